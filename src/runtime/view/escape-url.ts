/** Escapes values in URLs of attributes. The results must also be escaped for the attribute. */
import { plainText, type Printable, SafeUrl } from './printable.ts'
import { replaceValue } from './replaced-values.ts'

const schemes = new Set(['http', 'https', 'mailto', 'tel'])
const harmless = /^[\w\-./~]*$/
const ignoredByBrowsers = /[\t\n\r]|^[\u0000-\u0020]+/g
const notInUrl = /[^\w\-.~:/?#[\]@!$&*+,;=%]|%(?![0-9A-Fa-f]{2})/gu
const schemeShape = /^([^/?#:]*):/
const componentRest = /['()!*]/g

/** The replacement for a URL whose scheme is not http, https, mailto or tel. */
export const unsafeUrl = '#unsafe'

const hex = (char: string): string => '%' + char.charCodeAt(0).toString(16).toUpperCase()
const percent = (char: string): string =>
  /['()!*]/.test(char) ? hex(char) : encodeURIComponent(char)
const encode = (url: string): string => url.toWellFormed().replace(notInUrl, percent)

/** Matches URLs that browsers run as scripts, and URLs of pages that can run scripts with the rights of another page. */
const script = /^(?:javascript|vbscript|livescript|mocha|blob|filesystem|view-source):/i
/**
 * Matches `data:` URLs whose media type browsers do not show as a page. In a frame, SVG and every other type that ends in `+xml`
 * is a page.
 */
const harmlessData =
  /^data:(?:(?:image|audio|video|font)\/[\w.-]+[;,]|text\/(?:plain|csv|calendar)[;,]|application\/(?:pdf|json|octet-stream)[;,])/i

/**
 * Escapes a value at the start of a URL. The value must be a relative URL or have an allowed scheme; in a `SafeUrl` all
 * schemes are allowed except those that run scripts.
 */
export function urlStart(value: Printable): string {
  const text = plainText(value)
  if (harmless.test(text)) return text
  const url = text.replace(ignoredByBrowsers, '')
  const scheme = schemeShape.exec(url)?.[1]
  if (scheme === undefined || schemes.has(scheme.toLowerCase())) return encode(url)
  const isTrusted = value instanceof SafeUrl && !script.test(url)
  const isHarmless = isTrusted && (scheme.toLowerCase() !== 'data' || harmlessData.test(url))
  return isHarmless ? encode(url) : replaceValue('url', value, unsafeUrl)
}

/** Escapes a value after text that could form a URL scheme together with the value. Therefore encodes colons. */
export function urlTail(value: Printable): string {
  const text = plainText(value)
  if (harmless.test(text)) return text
  const url = text.replace(ignoredByBrowsers, '')
  const end = url.search(/[/?#]/)
  const head = end < 0 ? url : url.slice(0, end)
  return encode(head.replaceAll(':', '%3A') + url.slice(head.length))
}

/** Escapes a value within the authority or the path of a URL. */
export function urlPart(value: Printable): string {
  if (typeof value === 'number') return '' + value
  const url = plainText(value)
  return harmless.test(url) ? url : encode(url.replace(/[\t\n\r]/g, ''))
}

/** Escapes a value directly after the first `/`. Encodes leading slashes, because `//` would begin a host. */
export function urlRoot(value: Printable): string {
  return urlPart(value).replace(/^\/+/, (slashes) => '%2F'.repeat(slashes.length))
}

/** Escapes a value between the first `/` and another. It is never empty, because `//` would begin a host. */
export function urlRootSegment(value: Printable): string {
  return urlRoot(value) || '.'
}

/** Escapes a value at the start of a URL, before a `/`. Slashes alone become '', because `//` would begin a host. */
export function urlBase(value: Printable): string {
  return urlStart(value).replace(/^\/+$/, '')
}

/**
 * Escapes a value between other values and a `/`, in a URL that has no text before it. Slashes alone become '', because `//`
 * would begin a host if the other values are empty.
 */
export function urlTailBase(value: Printable): string {
  return urlTail(value).replace(/^\/+$/, '')
}

/** Escapes a value directly before a `/`, at the start of a URL or segment, as one component that is never empty. */
export function urlSegment(value: Printable): string {
  return urlComponent(value) || '.'
}

/** Escapes a value within the query or the fragment of a URL, as one component. */
export function urlComponent(value: Printable): string {
  if (typeof value === 'number') return '' + value
  return encodeURIComponent(plainText(value).toWellFormed()).replace(componentRest, hex)
}

const blank = /[\t\n\f\r ]/

/**
 * Escapes a whole `srcset`, which it splits as browsers do: a URL extends to the next blank and may contain commas. Escapes
 * each URL with `urlStart`, and drops invalid descriptors.
 */
export function sourceSet(value: Printable): string {
  const text = plainText(value)
  const candidates: string[] = []
  let at = 0
  for (;;) {
    while (at < text.length && (text[at] === ',' || blank.test(text[at]!))) at++
    if (at === text.length) return candidates.join(', ')
    const start = at
    while (at < text.length && !blank.test(text[at]!)) at++
    let end = at
    while (text[end - 1] === ',') end--
    const from = at
    // A comma directly after the URL ends the candidate, so that it has no descriptors.
    if (end === at) at = endOfDescriptors(text, at)
    const url = encodeOuterCommas(urlStart(text.slice(start, end)))
    const words = text.slice(from, at).split(/[\t\n\f\r ]+/)
    const known = words.filter((one) => descriptor.test(one))
    // The first word and the last are empty, if blanks surround the descriptors.
    if (known.length < words.filter((one) => one !== '').length)
      replaceValue('sourceSet', value, url)
    if (url !== '') candidates.push([url, ...known].join(' '))
  }
}

const descriptor = /^(?:[\d.]+|[\d.]+e[+-]?\d+)[wxh]$/

/** Returns the offset of the next comma outside parentheses; the end of the text without one. */
function endOfDescriptors(text: string, from: number): number {
  let isOpen = false
  for (let at = from; at < text.length; at++) {
    if (text[at] === '(') isOpen = true
    else if (text[at] === ')') isOpen = false
    else if (text[at] === ',' && !isOpen) return at
  }
  return text.length
}

/** Encodes commas at the start and end of a URL, which browsers read as separators of candidates. */
function encodeOuterCommas(url: string): string {
  let start = 0
  let end = url.length
  while (url[start] === ',') start++
  while (end > start && url[end - 1] === ',') end--
  if (end - start === url.length) return url
  return '%2C'.repeat(start) + url.slice(start, end) + '%2C'.repeat(url.length - end)
}

/** Escapes a value at the start of a candidate of `srcset`. */
export function sourceSetStart(value: Printable): string {
  return encodeOuterCommas(urlStart(value))
}

/** Escapes a value inside a candidate of `srcset`. */
export function sourceSetPart(value: Printable): string {
  return encodeOuterCommas(urlTail(value))
}

/** Escapes a value directly after the first `/` of a candidate of `srcset`. */
export function sourceSetRoot(value: Printable): string {
  return encodeOuterCommas(urlRootSegment(value))
}

/** Escapes the number of a descriptor in `srcset`. */
export function sourceSetNumber(value: Printable): string {
  const number = plainText(value)
  return /^\d+(\.\d+)?[wxh]?$/.test(number) ? number : replaceValue('sourceSet', value, '1')
}
