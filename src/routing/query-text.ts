/** A query as text. */
import type { UrlQuery } from './url-params.ts'

/** `?` and the encoded pairs in the order of the keys; '' when there are none. */
export function queryText(query: UrlQuery | undefined): string {
  if (query === undefined) return ''
  let text = ''
  for (const key of Object.keys(query)) {
    const value = query[key]
    const values = Array.isArray(value) ? value : [value]
    for (const one of values) {
      if (one !== undefined)
        text += `${text === '' ? '?' : '&'}${encode(key)}=${encode(String(one))}`
    }
  }
  return text
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
