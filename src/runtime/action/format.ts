/** The formats of responses, and the choice of one for a request. */
import { FormatTable, type HttpResponse } from '../http.ts'

/** The name of a format, as in a path's suffix: `html`, `json`, `xml`, `txt`, … */
export type Format = string

/** All formats that a path or an `Accept` header can name; `formats.add('geojson', 'application/geo+json')` adds one. */
export const formats = new FormatTable()

/** The `Content-Type` of a format; texts are UTF-8. */
export const contentTypeOf = (format: Format): string =>
  `${formats.typeOf(format) ?? 'application/octet-stream'}; charset=utf-8`

const textType = /^(?:text\/|[^;]*[/+]xml\b)(?!.*;[ \t]*charset=)/i

/** Adds `charset=utf-8` to the type of a text without one. */
export function addCharset({ headers }: HttpResponse): void {
  const type = headers.get('content-type')
  if (type !== undefined && textType.test(type))
    headers.set('Content-Type', `${type}; charset=utf-8`)
}

/** Chooses by the parameter `format` (`.json`, `?format=json`), then `Accept`, then `fallback`; unknown names are ignored. */
export function chooseFormat(
  named: string | undefined,
  accept: string | undefined,
  fallback: Format,
): Format {
  if (named !== undefined && formats.typeOf(named) !== undefined) return named
  if (accept === undefined || accept === '*/*') return fallback
  return formats.preferred(accept) ?? fallback
}
