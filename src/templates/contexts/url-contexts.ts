/** Finds the contexts of expressions in URLs: whether a value could choose the scheme or the host. */
import { MarkerError, type MarkerEscapers, type Markers } from './markers.ts'

const schemes = new Set(['http', 'https', 'mailto', 'tel'])
const imageData = /^data:image\/(png|gif|jpe?g|webp|avif);base64,/i
/** The private-use character that replaces each expression while a URL is analyzed. */
const value = '\ue000'

/**
 * Returns the escaper of each marker in a URL attribute. Omits markers at the end of an incomplete value, because more
 * text could change their contexts.
 */
export function urlEscapers(text: string, markers: Markers, isComplete = true): MarkerEscapers {
  const whole = isComplete ? text : text.slice(0, text.length - markersAtEnd(text, markers).length)
  return escapers(whole, markers, text.slice(whole.length), urlEscaper)
}

function markersAtEnd(text: string, markers: Markers): string {
  let end = text.length
  for (const place of markers.find(text).reverse()) if (place.end === end) end = place.start
  return text.slice(end)
}

/** Returns the escaper of each marker in a `srcset` attribute, which contains candidates: URLs with descriptors. */
export function sourceSetEscapers(text: string, markers: Markers): MarkerEscapers {
  if (markers.exact(text) !== undefined) return new Map([[markers.exact(text)!, 'sourceSet']])
  return escapers(text, markers, '', (before, after, marker) => {
    const candidate = openCandidate(before)
    if (candidate === undefined) return 'sourceSetNumber'
    const escaper = urlEscaper(candidate, after, marker)
    if (escaper === 'urlStart' || escaper === 'urlBase') return 'sourceSetStart'
    if (escaper === 'urlComponent') return escaper
    return roots.has(escaper) ? 'sourceSetRoot' : 'sourceSetPart'
  })
}

/**
 * Returns the URL at the end of an incomplete `srcset`, which extends to the next blank and may contain commas; `undefined`
 * after a complete URL, where its descriptors stand.
 */
function openCandidate(text: string): string | undefined {
  let rest = text
  for (;;) {
    rest = rest.replace(/^[\t\n\f\r ,]+/, '')
    const url = /^[^\t\n\f\r ]*/.exec(rest)![0]
    rest = rest.slice(url.length)
    if (rest === '') return url
    if (url.endsWith(',')) continue
    const descriptors = /^(?:\([^)]*(?:\)|$)|[^,(])*/.exec(rest)![0]
    rest = rest.slice(descriptors.length)
    if (rest === '') return undefined
  }
}

/** Returns a key of the beginning of a URL: equal keys mean equal contexts for expressions in the rest of the URL. */
export function urlState(text: string, markers: Markers): string {
  const before = markers.replace(text, value)
  if (before.includes(',')) return before
  const scheme = /^[^/?#]*:/.exec(cleaned(before))?.[0] ?? ''
  try {
    return scheme + urlEscaper(before, '', 0) + markersAtEnd(text, markers)
  } catch {
    return before
  }
}

function escapers(
  text: string,
  markers: Markers,
  rest: string,
  choose: (before: string, after: string, marker: number) => string,
): MarkerEscapers {
  const found = new Map<number, string>()
  for (const { marker, start, end } of markers.find(text)) {
    const before = markers.replace(text.slice(0, start), value)
    const after = markers.replace(text.slice(end) + rest, value)
    const escaper = choose(before, after, marker)
    const joined = joinUrlEscapers(found.get(marker) ?? escaper, escaper)
    if (joined === undefined)
      throw new MarkerError(marker, 'the value would be a URL in one place and a number in another')
    found.set(marker, joined)
  }
  const places = markers.find(text)
  const whole = cleaned(markers.replace(text, value))
  const scheme = /^[^/?#:]*:/.exec(whole)?.[0]
  if (scheme?.includes(value) === true) throw dynamicScheme(places[0]!.marker)
  return found
}

/** Removes characters that browsers ignore in URLs. */
const cleaned = (url: string): string =>
  url.replace(/[\t\n\r]/g, '').replace(/^[\u0000-\u0020]+/, '')

const dynamicScheme = (marker: number): MarkerError =>
  new MarkerError(
    marker,
    "a ':' after an expression would let the value choose the scheme: write the scheme before it, or encode the ':' as %3A",
  )

function urlEscaper(before: string, after: string, marker: number): string {
  const url = cleaned(before)
  const scheme = /^([^/?#:]*):/.exec(url)?.[1]
  if (scheme !== undefined) checkScheme(scheme, url, marker)
  if (/[?#]/.test(url)) return 'urlComponent'
  // If the value is empty, a slash after the expression becomes the first character of the URL.
  const isBase = /^\ue000*[/\\]/.test(after)
  if (url === '') return isBase ? 'urlBase' : 'urlStart'
  // The URL so far contains at most one slash, otherwise only expressions. If their values are empty, a further slash
  // forms `//`, the start of another host.
  if (/^(?![/\\]{2})[/\\\ue000]*[/\\][/\\\ue000]*$/.test(url))
    return /^[/\\]/.test(after) ? 'urlRootSegment' : 'urlRoot'
  if (scheme !== undefined || /[/\\]/.test(url)) return 'urlPart'
  return isBase && /^\ue000+$/.test(url) ? 'urlTailBase' : 'urlTail'
}

function checkScheme(scheme: string, url: string, marker: number): void {
  if (scheme.includes(value)) throw dynamicScheme(marker)
  const name = scheme.toLowerCase()
  if (schemes.has(name) || imageData.test(url)) return
  const isScript =
    /^(?:javascript|vbscript|livescript|mocha|data|blob|filesystem|view-source)$/.test(name)
  const remedy = isScript
    ? ''
    : `. For ${name}: write the whole value as \${safeUrl\`${name}:\${…}\`}`
  throw new MarkerError(
    marker,
    `an expression cannot stand in a ${name}: URL; http, https, mailto, tel and base64 images are safe${remedy}`,
  )
}

const roots = new Set(['urlRoot', 'urlRootSegment'])
const starts = new Set(['urlStart', 'urlBase', 'urlTail', 'urlTailBase'])
const bases = new Set(['urlBase', 'urlTailBase', 'urlRootSegment', 'urlSegment'])

/** Returns an escaper that is safe wherever either of two escapers is needed; `undefined` if none is. */
export function joinUrlEscapers(one: string, other: string): string | undefined {
  if (one === other) return one
  const both = [one, other]
  if (both.includes('sourceSetNumber') || both.includes('sourceSet')) return undefined
  if (one.startsWith('sourceSet') || other.startsWith('sourceSet'))
    return both.every((escaper) => !/Root|Component/.test(escaper)) ? 'sourceSetPart' : 'urlSegment'
  const isBase = both.some((escaper) => bases.has(escaper))
  const mayStart = both.some((escaper) => starts.has(escaper))
  if (both.some((escaper) => /^url(?:Component|Segment)$/.test(escaper)))
    return isBase ? 'urlSegment' : 'urlComponent'
  if (both.some((escaper) => roots.has(escaper))) {
    if (mayStart) return isBase ? 'urlSegment' : 'urlComponent'
    return isBase ? 'urlRootSegment' : 'urlRoot'
  }
  if (!mayStart) return 'urlPart'
  if (both.every((escaper) => /^url(?:Start|Base)$/.test(escaper))) return 'urlBase'
  return isBase ? 'urlTailBase' : 'urlTail'
}
