/** Texts in the charsets that a response can be written in. */
import { FwError } from '../base.ts'

const encodings: ReadonlyMap<string, 'utf8' | 'latin1' | 'utf16le'> = new Map([
  ['utf-8', 'utf8'],
  ['utf8', 'utf8'],
  ['iso-8859-1', 'latin1'],
  ['latin1', 'latin1'],
  ['utf-16le', 'utf16le'],
])

/**
 * The text as bytes of `charset`, or the text itself for UTF-8, which containers write.
 * @throws FwError `http.charset-unwritable`
 */
export function encodeText(text: string, charset: string): string | Uint8Array {
  const encoding = encodings.get(charset.toLowerCase())
  if (encoding === undefined)
    throw new FwError(
      'http.charset-unwritable',
      `Texts cannot be written in ${JSON.stringify(charset)}: use utf-8, iso-8859-1 or utf-16le, or give bytes.`,
    )
  if (encoding === 'utf8') return text
  if (encoding === 'latin1' && /[^\x00-\xff]/.test(text))
    throw new FwError(
      'http.charset-unwritable',
      'The text holds characters that are not in iso-8859-1: use utf-8.',
    )
  return Buffer.from(text, encoding)
}
