/** Escapes values in URLs of attributes. The results must also be escaped for the attribute. */
import { plainText, type Printable } from './printable.ts'

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

function urlText(value: Printable): string {
  return plainText(value).replace(ignoredByBrowsers, '')
}

/** Escapes a value at the start of a URL. The value must be a relative URL or have an allowed scheme. */
export function urlStart(value: Printable): string {
  const url = urlText(value)
  if (harmless.test(url)) return url
  const scheme = schemeShape.exec(url)?.[1]
  if (scheme !== undefined && !schemes.has(scheme.toLowerCase())) return unsafeUrl
  return encode(url)
}

/** Escapes a value after text that could form a URL scheme together with the value. Therefore encodes colons. */
export function urlTail(value: Printable): string {
  const url = urlText(value)
  if (harmless.test(url)) return url
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

/** Escapes a whole `srcset`. Escapes the URL of each candidate with `urlStart`, and drops invalid descriptors. */
export function sourceSet(value: Printable): string {
  return plainText(value).split(',').map(candidate).join(', ')
}

function candidate(text: string): string {
  const [url = '', ...descriptors] = text.trim().split(/\s+/)
  return [urlStart(url), ...descriptors.filter((one) => /^[\d.]+[wxh]$/.test(one))].join(' ')
}

/** Escapes a value at the start of a candidate of `srcset`. */
export function sourceSetStart(value: Printable): string {
  return urlStart(value).replaceAll(',', '%2C')
}

/** Escapes a value inside a candidate of `srcset`. Encodes commas, which would begin another candidate. */
export function sourceSetPart(value: Printable): string {
  return urlTail(value).replaceAll(',', '%2C')
}

/** Escapes a value directly after the first `/` of a candidate of `srcset`. */
export function sourceSetRoot(value: Printable): string {
  return urlRootSegment(value).replaceAll(',', '%2C')
}

/** Escapes the number of a descriptor in `srcset`. */
export function sourceSetNumber(value: Printable): string {
  const number = plainText(value)
  return /^\d+(\.\d+)?[wxh]?$/.test(number) ? number : '1'
}
