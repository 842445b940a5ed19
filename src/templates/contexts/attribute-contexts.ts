/** Determines how browsers interpret the value of each HTML attribute, and finds the contexts of expressions in it. */
import type { Token } from 'parse5'
import { jsonEscapers } from './json-contexts.ts'
import { MarkerError, type MarkerEscapers, type Markers } from './markers.ts'
import { scriptEscapers } from './script-contexts.ts'
import { styleEscapers, styleState } from './style-contexts.ts'
import { sourceSetEscapers, urlEscapers, urlState } from './url-contexts.ts'

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

/** The attributes that browsers apply with any value. */
const booleans = new Set(
  (
    'allowfullscreen async autofocus autoplay checked compact controls declare default defer disabled formnovalidate ' +
    'inert ismap itemscope loop multiple muted nohref nomodule noresize noshade novalidate nowrap open playsinline ' +
    'readonly required reversed selected shadowrootclonable shadowrootdelegatesfocus shadowrootserializable'
  ).split(' '),
)
/** The attributes that have an effect without a value, and another one with a value. */
const optionals = new Set('capture crossorigin download hidden popover'.split(' '))

/** Returns the escaper of a whole value whose attribute is left out for `false`; `undefined` for other attributes. */
export function presenceEscaper(
  name: string,
): 'booleanAttribute' | 'optionalAttribute' | undefined {
  if (booleans.has(name)) return 'booleanAttribute'
  return optionals.has(name) ? 'optionalAttribute' : undefined
}

/** Returns the error message for a boolean attribute whose value is more than one expression. */
export const wholeValue = (name: string): string =>
  `the attribute '${name}' counts with any value, even false: write ${name}="\${condition}", with nothing else in its value`

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

/**
 * Returns the inner escaper of each marker in an attribute value, such as the one for URLs; the outer one escapes HTML.
 * Returns none if values of this kind need no inner escaper or allow no expression. Omits a marker of an incomplete value
 * if the rest of the value could change its escaper.
 */
export function valueEscapers(
  kind: AttributeKind,
  { name, value }: Token.Attribute,
  markers: Markers,
  isComplete: boolean,
): MarkerEscapers {
  if (kind === 'style') {
    const escapers = styleEscapers(value, markers, isComplete)
    return name.startsWith('data-') ? withoutDeclarations(escapers) : escapers
  }
  if (kind === 'url') return urlEscapers(value, markers, isComplete)
  if (!isComplete) return new Map()
  if (kind === 'script' || kind === 'framework') return scriptEscapers(value, kind, markers)
  if (kind === 'json') return jsonEscapers(value, markers)
  if (kind === 'srcset') return sourceSetEscapers(value, markers)
  return kind === 'document' ? documentEscapers(value, markers) : new Map()
}

/** Prints a value instead of declarations: `data-style` may contain the name of a theme. */
const withoutDeclarations = (escapers: MarkerEscapers): MarkerEscapers =>
  new Map(
    [...escapers].map(([marker, one]) => [
      marker,
      one === 'styleDeclarations' ? 'styleValue' : one,
    ]),
  )

function documentEscapers(value: string, markers: Markers): MarkerEscapers {
  const places = markers.find(value)
  if (/[<&]/.test(value))
    throw new MarkerError(
      places[0]!.marker,
      'srcdoc takes one expression or static markup, not both: build the document as a partial',
    )
  return new Map(places.map(({ marker }) => [marker, 'documentText']))
}

/** Returns the value of a tag's attribute; `undefined` without the attribute. */
export const valueOf = ({ attrs }: Token.TagToken, name: string): string | undefined =>
  attrs.find((attribute) => attribute.name === name)?.value

/**
 * True if the attribute changes what a browser does with the element. Browsers ignore a second attribute of the same
 * name, so a sensitive one must not be repeated.
 */
export const isSensitive = (element: string, name: string): boolean =>
  attributeKind(element, name) !== 'plain' ||
  /^(type|http-equiv|content|integrity|sandbox|target|method)$/.test(name)

/**
 * Returns a key of the beginning of an attribute value: equal keys mean equal contexts for expressions in the rest of
 * the value.
 */
export function valueState(
  element: string,
  { name, value }: Token.Attribute,
  markers: Markers,
): string {
  const kind = attributeKind(element, name)
  if (kind === 'plain') return ''
  if (kind === 'style') return styleState(value, markers)
  return kind === 'url' ? urlState(value, markers) : value
}

/**
 * Returns the escapers for the attribute `content` of a meta element with `http-equiv`, as in `content="0; url=…"`. The
 * text after `url=` is a URL.
 */
export function metaEscapers(token: Token.TagToken, markers: Markers): MarkerEscapers {
  const content = valueOf(token, 'content') ?? ''
  const places = markers.find(content)
  if (valueOf(token, 'http-equiv') === undefined)
    return new Map(places.map(({ marker }) => [marker, '']))
  const start = /^.*?url\s*=\s*['"]?/is.exec(content)?.[0] ?? content
  const [early] = markers.find(start)
  if (early !== undefined)
    throw new MarkerError(
      early.marker,
      'in a meta http-equiv an expression can only stand after url=',
    )
  return urlEscapers(content.slice(start.length), markers)
}
