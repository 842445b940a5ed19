/** What the value of an HTML attribute means to a browser, and so how it is escaped. */

/** `static` values decide how other text is read; an expression there is refused. */
export type AttributeKind =
  | 'plain'
  | 'url'
  | 'srcset'
  | 'script'
  | 'style'
  | 'document'
  | 'refresh'
  | 'static'

const urls = new Set(
  (
    'href src action formaction cite poster data background longdesc manifest codebase classid profile usemap icon ' +
    'lowsrc dynsrc xlink:href ping archive'
  ).split(' '),
)
const animations = new Set(['animate', 'set', 'animatemotion', 'animatetransform', 'animatecolor'])
const animatedValues = new Set(['to', 'from', 'by', 'values'])
const statics: Readonly<Record<string, readonly string[]>> = {
  script: ['type', 'language'],
  link: ['rel'],
  meta: ['http-equiv'],
  iframe: ['sandbox'],
}
const handlers =
  /^(@|on|x-on:|v-on:|hx-on|x-(data|init|show|if|effect|model|text|html|for|bind:)|v-(bind:|html|if|show|text|for|model)|:)/

export function attributeKind(element: string, name: string): AttributeKind {
  if (handlers.test(name)) return 'script'
  if (name === 'nonce' || statics[element]?.includes(name)) return 'static'
  if (animations.has(element)) {
    if (animatedValues.has(name)) return 'url'
    if (name === 'attributename') return 'static'
  }
  if (element === 'meta' && name === 'content') return 'refresh'
  return kindOfName(name)
}

/** `data-href` and `svg:href` are treated as `href`: scripts copy the one, browsers read the other. */
function kindOfName(name: string): AttributeKind {
  const colon = name.indexOf(':')
  if (name.startsWith('xmlns')) return 'url'
  const local = name.startsWith('data-') ? name.slice(5) : colon > 0 ? name.slice(colon + 1) : name
  if (local.startsWith('on') && !name.startsWith('data-')) return 'script'
  if (local === 'style') return 'style'
  if (local === 'srcset' || local === 'imagesrcset') return 'srcset'
  if (local === 'srcdoc') return 'document'
  if (urls.has(name) || urls.has(local) || /src|uri|url/.test(local)) return 'url'
  return 'plain'
}

const scripts =
  /^$|^(module|importmap|speculationrules)$|^(text|application)\/((x-)?(java|ecma|live|j)script(1\.\d)?|babel|typescript|jsx)$/

/** What a script element of this `type` holds: code, JSON, or data that no browser runs. */
export function scriptKind(type: string): 'code' | 'json' | 'data' {
  const essence = type.trim().toLowerCase().split(';')[0]!.trim()
  if (essence === 'importmap' || essence === 'speculationrules') return 'json'
  if (scripts.test(essence)) return 'code'
  return /(^|[/+])json$/.test(essence) ? 'json' : 'data'
}

/** True when a browser acts on a script of this `type`, so that it needs a nonce. */
export function runs(type: string): boolean {
  const essence = type.trim().toLowerCase()
  return scripts.test(essence)
}
