/** Escapers for URLs in attributes; their results still need the attribute's own escaping. */
import { plain, type Printable } from './printable.ts'

const schemes = new Set(['http', 'https', 'mailto', 'tel'])
const harmless = /^[\w\-./~]*$/
const ignoredByBrowsers = /[\t\n\r]|^[\u0000-\u0020]+/g
const notInUrl = /[^\w\-.~:/?#[\]@!$&*+,;=%]|%(?![0-9A-Fa-f]{2})/gu
const schemeShape = /^([^/?#:]*):/
const componentRest = /['()!*]/g

/** What is printed instead of a URL whose scheme is not http, https, mailto or tel. */
export const unsafeUrl = '#unsafe'

const hex = (char: string): string => '%' + char.charCodeAt(0).toString(16).toUpperCase()
const percent = (char: string): string =>
  /['()!*]/.test(char) ? hex(char) : encodeURIComponent(char)
const encode = (url: string): string => url.toWellFormed().replace(notInUrl, percent)

function urlText(value: Printable): string {
  return plain(value).replace(ignoredByBrowsers, '')
}

/** For a value that begins a URL: relative, or one of the four schemes. */
export function urlStart(value: Printable): string {
  const url = urlText(value)
  if (harmless.test(url)) return url
  const scheme = schemeShape.exec(url)?.[1]
  if (scheme !== undefined && !schemes.has(scheme.toLowerCase())) return unsafeUrl
  return encode(url)
}

/** For a value after something that could still become a scheme: it cannot add the colon. */
export function urlTail(value: Printable): string {
  const url = urlText(value)
  if (harmless.test(url)) return url
  const end = url.search(/[/?#]/)
  const head = end < 0 ? url : url.slice(0, end)
  return encode(head.replaceAll(':', '%3A') + url.slice(head.length))
}

/** For a value within the authority or path of a URL. */
export function urlPart(value: Printable): string {
  if (typeof value === 'number') return '' + value
  const url = plain(value)
  return harmless.test(url) ? url : encode(url.replace(/[\t\n\r]/g, ''))
}

/** For a value right after the first `/` of a URL: it cannot make it the `//` of another host. */
export function urlRoot(value: Printable): string {
  return urlPart(value).replace(/^\/+/, (slashes) => '%2F'.repeat(slashes.length))
}

/** For a value within the query or the fragment: one component. */
export function urlComponent(value: Printable): string {
  if (typeof value === 'number') return '' + value
  return encodeURIComponent(plain(value).toWellFormed()).replace(componentRest, hex)
}

/** For a whole `srcset`: each candidate's URL as `urlStart`, and its descriptor if it is one. */
export function sourceSet(value: Printable): string {
  return plain(value).split(',').map(candidate).join(', ')
}

function candidate(text: string): string {
  const [url = '', ...descriptors] = text.trim().split(/\s+/)
  return [urlStart(url), ...descriptors.filter((one) => /^[\d.]+[wxh]$/.test(one))].join(' ')
}

/** For a value that begins one candidate of `srcset`. */
export function sourceSetStart(value: Printable): string {
  return urlStart(value).replaceAll(',', '%2C')
}

/** For a value within a candidate of `srcset`, where a comma would begin the next one. */
export function sourceSetPart(value: Printable): string {
  return urlTail(value).replaceAll(',', '%2C')
}

/** For the number of a descriptor in `srcset`. */
export function sourceSetNumber(value: Printable): string {
  const number = plain(value)
  return /^\d+(\.\d+)?[wxh]?$/.test(number) ? number : '1'
}
