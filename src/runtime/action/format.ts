/** The formats of responses, such as HTML or JSON, and the choice of a format for a request. */
import { FormatTable, type HttpResponse } from '../http.ts'

/** The name of a format, as in the suffix of a path: `html`, `json`, `xml`, `txt`, … */
export type Format = string

/** All formats that a path or an `Accept` header can select; `formats.add('geojson', 'application/geo+json')` adds one. */
export const formats = new FormatTable()

/** The media types of texts, which are sent in UTF-8. */
const texts =
  /^text\/|^application\/(?:javascript|ecmascript|x-javascript|x-ndjson|toml)$|[/+](?:json|xml|(?:x-)?yaml)$/i

/** The `Content-Type` of each media type. */
const contentTypes = new Map<string, string>()

/** Returns the `Content-Type` of a format; that of a text has the charset UTF-8. */
export function contentTypeOf(format: Format): string {
  const type = formats.typeOf(format) ?? 'application/octet-stream'
  let known = contentTypes.get(type)
  if (known === undefined) {
    known = texts.test(type) ? `${type}; charset=utf-8` : type
    contentTypes.set(type, known)
  }
  return known
}

/**
 * Sets `Content-Type` unless the response has one. `type` must be a constant or a type of `formats`: it is not validated,
 * because a validation takes 1.5 % of the CPU time of a small response.
 */
export function addDefaultType({ headers }: HttpResponse, type: string): void {
  if (!headers.has('content-type')) headers.raw.push('Content-Type', type)
}

const textType = /^(?:text\/|[^;]*[/+]xml\b)(?!.*;[ \t]*charset=)/i

/** Adds `charset=utf-8` to the `Content-Type` of a text that has no charset. */
export function addCharset({ headers }: HttpResponse): void {
  const type = headers.get('content-type')
  if (type !== undefined && textType.test(type))
    headers.set('Content-Type', `${type}; charset=utf-8`)
}

/** Chooses a format: `named` (by `.json`, `?format=json`) if it is known, else by `Accept`, else `fallback`. */
export function chooseFormat(
  named: string | undefined,
  accept: string | undefined,
  fallback: Format,
): Format {
  if (named !== undefined && formats.typeOf(named) !== undefined) return named
  if (accept === undefined || accept === '*/*') return fallback
  return formats.preferred(accept) ?? fallback
}
