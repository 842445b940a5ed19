/** Finds the contexts of expressions in the value of an attribute. */
import type { Token } from 'parse5'
import { attributeKind, type AttributeKind } from './attribute-kinds.ts'
import { jsonEscapers } from './json-contexts.ts'
import { MarkerError, type MarkerEscapers, type Markers } from './markers.ts'
import { scriptEscapers } from './script-contexts.ts'
import { styleEscapers, styleState } from './style-contexts.ts'
import { sourceSetEscapers, urlEscapers, urlState } from './url-contexts.ts'

/**
 * Returns the inner escaper of each marker in an attribute value, such as the one for URLs; the outer one escapes HTML.
 * Returns none if values of this kind need no inner escaper or allow no expression. Omits a marker of an incomplete value
 * if the rest of the value could change its escaper.
 */
export function valueEscapers(
  kind: AttributeKind,
  value: string,
  markers: Markers,
  isComplete: boolean,
): MarkerEscapers {
  if (kind === 'style') return styleEscapers(value, markers, isComplete)
  if (kind === 'url') return urlEscapers(value, markers, isComplete)
  if (!isComplete) return new Map()
  switch (kind) {
    case 'script':
      return scriptEscapers(value, 'handler', markers)
    case 'framework':
      return scriptEscapers(value, 'framework', markers)
    case 'json':
      return jsonEscapers(value, markers)
    case 'srcset':
      return sourceSetEscapers(value, markers)
    case 'document':
      return documentEscapers(value, markers)
    default:
      return new Map()
  }
}

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
  switch (attributeKind(element, name)) {
    case 'plain':
      return ''
    case 'style':
      return styleState(value)
    case 'url':
      return urlState(value, markers)
    default:
      return value
  }
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
