/** `ParamType.ByteArray`. */
import { outOfRangeError } from '../../base.ts'
import type { TypeDefinition } from '../type-definition.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

/** Returns the text of bytes in UTF-8; for other bytes, the empty text, because no form's text gives such bytes. */
function format(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    return ''
  }
}

const base64Digit = '[A-Za-z\\d+/]'
/** At least one byte in base64, whose unused bits are 0. */
const base64Pattern = `^(${base64Digit}{4})*(${base64Digit}{4}|${base64Digit}{2}[AEIMQUYcgkosw048]=|${base64Digit}[AQgw]==)$`

/** Parses base64 text (RFC 4648, section 4). Blanks and line breaks are ignored. */
function parseBase64(text: string): Uint8Array | undefined {
  const joined = text.replace(/\s+/g, '')
  const bytes = Buffer.from(joined, 'base64')
  // Node also decodes malformed base64, so accept only text that encodes back to itself.
  return joined !== '' && bytes.toString('base64') === joined ? new Uint8Array(bytes) : undefined
}

function decode(text: string): Uint8Array {
  if (!text.startsWith('\\x')) throw outOfRangeError(text, 'hex bytea')
  return new Uint8Array(Buffer.from(text.slice(2), 'hex'))
}

export const byteArray: TypeDefinition<Uint8Array> = {
  name: 'ByteArray',
  expected: 'a text',
  parse: (text) => (text.trim() === '' ? undefined : encoder.encode(text)),
  format,
  inPrograms: {
    name: 'Base64',
    expected: 'bytes in base64',
    parse: parseBase64,
    jsonSchema: { type: 'string', contentEncoding: 'base64', pattern: base64Pattern },
    responseSchema: { type: 'string', contentEncoding: 'base64' },
  },
  jsonSchema: { type: 'string' },
  // A described response of bytes is a body of any kind, and no base64 text.
  responseSchema: {},
  sql: { type: 'bytea', oids: [[17, 1001]], decode, isSortable: false },
  field: {
    // The sample is valid both as a form's text and as base64 in JSON.
    samples: ['data'],
    code: (_text, quoted) => `new TextEncoder().encode(${quoted})`,
    display: 'size',
  },
}
