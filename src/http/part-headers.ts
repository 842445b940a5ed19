/** Reads the header lines of a form's part: what RFC 7578 §4 lets count, and strictly. */
import { parseContentType, charsetOf } from './content-type.ts'
import { invalidMultipart, largeHeader } from './multipart-parser.ts'

const maxLines = 16
const token = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+"
const fieldName = new RegExp(`^${token}$`)
const dispositionType = new RegExp(`[ \\t]*(${token})`, 'y')
// Programs escape quotation marks as in mail; browsers send backslashes as they are, and %22 for a quotation mark.
const parameters = ['(?:[^"\\\\]|\\\\[^])*', '[^"]*'].map(
  (inQuotes) => new RegExp(`[ \\t]*;[ \\t]*(${token})=(?:"(${inQuotes})"|(${token}))`, 'y'),
)
const dispositionEnd = /[ \t]*(?:;[ \t]*)?$/y
const control = /[\x00-\x08\x0a-\x1f\x7f]/
const extendedValue =
  /^(utf-8|iso-8859-1)'[0-9A-Za-z-]*'((?:%[0-9A-Fa-f]{2}|[!#$&+\-.^_`|~0-9A-Za-z])*)$/i

/** What the header of a part says; all of it is a claim. */
export interface PartHeader {
  /** Not empty. */
  readonly name: string
  /** Without folders; '' for an input that was left empty; undefined for a text field. */
  readonly fileName: string | undefined
  /** `type/subtype` in lower case; undefined when there is none, or one that is malformed. */
  readonly contentType: string | undefined
  /** In lower case. */
  readonly charset: string | undefined
}

/** @throws HttpError 400 `http.multipart-invalid` */
export function parsePartHeader(block: Uint8Array): PartHeader {
  const lines = linesOf(block)
  const disposition = dispositionOf(lines.get('content-disposition'))
  const contentType = parseContentType(lines.get('content-type') ?? '')
  // As HTML writes the name; a percent sign that was there before is left as it is.
  const name = (disposition.get('name') ?? '')
    .replaceAll('%0D', '\r')
    .replaceAll('%0A', '\n')
    .replaceAll('%22', '"')
  if (name === '') throw invalidMultipart('A part has no name.')
  return {
    name,
    fileName: fileNameOf(disposition),
    contentType: contentType?.essence,
    charset: contentType && charsetOf(contentType),
  }
}

// Other headers than those read must be ignored (RFC 7578 §4.8), but not what is no header.
function linesOf(block: Uint8Array): Map<string, string> {
  // A folded line is one line, as in mail.
  const lines = decode('utf-8', block, 'The header of a part').replace(/\r\n(?=[ \t])/g, '')
  const found = new Map<string, string>()
  for (const [at, line] of lines.split('\r\n', maxLines + 1).entries()) {
    if (at === maxLines) throw largeHeader()
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase()
    if (!fieldName.test(name) || control.test(line))
      throw invalidMultipart('A header line of a part is malformed.')
    if (found.has(name) && (name === 'content-disposition' || name === 'content-type'))
      throw invalidMultipart(`A part has two headers ${name}.`)
    found.set(name, line.slice(colon + 1))
  }
  return found
}

function dispositionOf(line: string | undefined): ReadonlyMap<string, string> {
  dispositionType.lastIndex = 0
  const type = dispositionType.exec(line ?? '')?.[1]?.toLowerCase()
  if (line !== undefined && type === 'form-data')
    for (const parameter of parameters) {
      const found = parametersOf(line, dispositionType.lastIndex, parameter)
      if (found !== undefined) return found
    }
  throw invalidMultipart('A part needs one Content-Disposition: form-data; name="…".')
}

/** Undefined when the line does not follow the grammar, or names a parameter twice. */
function parametersOf(
  line: string,
  start: number,
  parameter: RegExp,
): Map<string, string> | undefined {
  const found = new Map<string, string>()
  for (let at = start; ; at = parameter.lastIndex) {
    parameter.lastIndex = at
    const [, name, quoted, plain] = parameter.exec(line) ?? []
    if (name === undefined) {
      dispositionEnd.lastIndex = at
      return dispositionEnd.test(line) ? found : undefined
    }
    const key = name.toLowerCase()
    if (found.has(key)) return undefined
    // Only an escape that is needed is one: old browsers send paths with their backslashes.
    found.set(key, plain ?? quoted!.replace(/\\(["\\])/g, '$1'))
  }
}

function fileNameOf(disposition: ReadonlyMap<string, string>): string | undefined {
  const extended = disposition.get('filename*')
  const plain = disposition.get('filename')
  if (extended === undefined && plain === undefined) return undefined
  // A line break that a browser wrote as %0D%0A stays so: it has no place in a name of a file.
  const name = extended === undefined ? plain!.replaceAll('%22', '"') : extendedName(extended)
  const last = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
  return last === '.' || last === '..' ? '' : last
}

// RFC 7578 §4.2 forbids it, yet clients send it.
function extendedName(value: string): string {
  const [, charset, text] = extendedValue.exec(value) ?? []
  if (charset === undefined || text === undefined)
    throw invalidMultipart("The filename* of a part must be UTF-8'' and a percent-encoded name.")
  const bytes = text.replace(/%(..)/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  const name = decode(charset, Buffer.from(bytes, 'latin1'), 'The filename* of a part')
  if (control.test(name)) throw invalidMultipart('A file name holds a control character.')
  return name
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The text of bytes that must be text.
 * @throws HttpError 400 `http.multipart-invalid`
 */
export function decode(charset: string, bytes: Uint8Array, what: string): string {
  try {
    const decoder =
      charset === 'utf-8' ? utf8 : new TextDecoder(charset, { fatal: true, ignoreBOM: true })
    return decoder.decode(bytes)
  } catch {
    throw invalidMultipart(`${what} is no ${charset.slice(0, 40)} text: send UTF-8.`)
  }
}
