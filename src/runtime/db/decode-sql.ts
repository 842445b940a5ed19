/** Decodes the bytes of an SQL file strictly: a wrong encoding must not change texts in the database. */

import { isUtf8 } from 'node:buffer'

/** Skips a byte order mark. */
const utf8 = new TextDecoder()

/** Returns the text without a byte order mark and with LF line ends, and the reason why the bytes are not UTF-8. */
export function decodeSql(bytes: Buffer): { text: string; problem: string | undefined } {
  const problem = isUtf16(bytes)
    ? 'it is encoded in UTF-16, so save it as UTF-8'
    : findInvalidLine(bytes)
  const text = problem === undefined ? utf8.decode(bytes) : bytes.toString()
  return { text: text.replaceAll('\r\n', '\n'), problem }
}

/** Whether the bytes begin with a byte order mark of UTF-16, or contain a zero, which no SQL text contains. */
const isUtf16 = (bytes: Buffer): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) ||
  (bytes[0] === 0xfe && bytes[1] === 0xff) ||
  bytes.includes(0)

/** Names the first line whose bytes are not UTF-8. A line feed is never part of another character. */
function findInvalidLine(bytes: Buffer): string | undefined {
  if (isUtf8(bytes)) return undefined
  let line = 1
  for (let start = 0; ; line++) {
    const end = bytes.indexOf(10, start)
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) break
    start = end + 1
  }
  return `line ${line} is not UTF-8, but perhaps Latin-1 or Windows-1252, so save the file as UTF-8, for example with iconv -f WINDOWS-1252 -t UTF-8`
}
