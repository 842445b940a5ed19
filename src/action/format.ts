/** Which representation the client asked for. */
import { FormatTable } from '../http.ts'

/** The name of a representation, as a suffix has it: `html`, `json`, `xml`, `txt`, … */
export type Format = string

/** All formats that a route or an `Accept` header can name; `formats.add('geojson', 'application/geo+json')` adds one. */
export const formats = new FormatTable()

/** The `Content-Type` of a format; texts are UTF-8. */
export const contentTypeOf = (format: Format): string =>
  `${formats.typeOf(format) ?? 'application/octet-stream'}; charset=utf-8`

/** By the parameter `format` (`.json`, `?format=json`), then `Accept`, then `fallback`; unknown names decide nothing. */
export function chooseFormat(
  named: string | undefined,
  accept: string | undefined,
  fallback: Format,
): Format {
  if (named !== undefined && formats.typeOf(named) !== undefined) return named
  if (accept === undefined || accept === '*/*') return fallback
  return formats.preferred(accept) ?? fallback
}
