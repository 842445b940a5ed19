/** Determines how browsers interpret the value of each HTML attribute, and so how expressions in it are escaped. */

/**
 * The kinds of attribute values. `static` allows no expression: the value changes how browsers parse other text, or is
 * code that this compiler cannot parse.
 */
export type AttributeKind =
  | 'plain'
  | 'url'
  | 'srcset'
  | 'script'
  | 'framework'
  | 'json'
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
/** Matches the attributes that Alpine, Vue, htmx and AngularJS evaluate as scripts. */
const framework =
  /^(?:@|:|x-on:|v-on:|(?:data-)?hx-on|x-(?:data|init|show|if|effect|model|text|html|for|bind:)|v-(?:bind:|html|if|else-if|show|text|for|model)|(?:data-|x-)?ng-)/
/** Matches the attributes of htmx that contain JSON. */
const json = /^(?:data-)?hx-(?:vals|vars|headers|request)$/
/**
 * Matches attributes that contain code of hyperscript, bindings of Knockout, or conditions of htmx. This compiler
 * cannot parse them.
 */
const unreadable = /^(?:_|script|data-script|data-bind|(?:data-)?hx-trigger)$/
const requests =
  /^(?:data-)?(?:hx-(?:action|get|post|put|patch|delete|query|push-url|replace-url|sse:connect)|sse-connect)$/

/** Returns the kind of an attribute, which determines how expressions in its value are escaped. */
export function attributeKind(element: string, name: string): AttributeKind {
  if (framework.test(name)) return 'framework'
  if (json.test(name)) return 'json'
  if (requests.test(name)) return 'url'
  if (name === 'nonce' || unreadable.test(name) || statics[element]?.includes(name)) return 'static'
  if (animations.has(element)) {
    if (animatedValues.has(name)) return 'url'
    if (name === 'attributename') return 'static'
  }
  if (element === 'meta' && name === 'content') return 'refresh'
  if (element === 'param' && name === 'value') return 'url'
  return kindOfName(name)
}

/**
 * Returns the kind by the attribute's name. Treats `data-href` and `svg:href` as `href`: scripts copy `data-href`, and
 * browsers follow `svg:href`.
 */
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

const rawText = new Set(
  'script style title textarea xmp iframe noembed noframes noscript'.split(' '),
)

/** True if browsers parse the content of the element as text, not as markup. */
export const isRawText = (element: string): boolean => rawText.has(element)

/**
 * Returns the language of a script element by its attribute `type`: a classic script, a module, JSON, or data that
 * browsers do not run.
 */
export function scriptKind(type: string): 'code' | 'module' | 'json' | 'data' {
  const essence = type.trim().toLowerCase().split(';')[0]!.trim()
  if (essence === 'importmap' || essence === 'speculationrules') return 'json'
  if (essence === 'module') return 'module'
  if (scripts.test(essence)) return 'code'
  return /(^|[/+])json$/.test(essence) ? 'json' : 'data'
}

/** True if browsers run or apply a script element with this `type`. Such a script needs a nonce. */
export function runs(type: string): boolean {
  const essence = type.trim().toLowerCase()
  return scripts.test(essence)
}
