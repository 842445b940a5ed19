/** Parses the header of one part of a multipart form strictly, as RFC 7578 §4 defines it. */
import { charsetOf, parameterSyntax, parseContentType, parseParameters } from './content-type.ts'
import { invalidMultipart, partHeaderTooLarge } from './multipart-parser.ts'

const maxLines = 16
const token = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+"
const fieldName = new RegExp(`^${token}$`)
const dispositionType = new RegExp(`[ \\t]*(${token})`, 'y')
// Two syntaxes, tried in this order. The first is that of mail, with backslash escapes. The second is that of browsers,
// with raw backslashes and %22 for a quotation mark.
const parameters = ['(?:[^"\\\\]|\\\\[^])*', '[^"]*'].map(parameterSyntax)
// Unescapes only quotation marks and backslashes, because old browsers send Windows paths with raw backslashes.
const escapes = /\\(["\\])/g
const control = /[\x00-\x08\x0a-\x1f\x7f]/
const extendedValue =
  /^(utf-8|iso-8859-1)'[0-9A-Za-z-]*'((?:%[0-9A-Fa-f]{2}|[!#$&+\-.^_`|~0-9A-Za-z])*)$/i
const encodedSection = /^((?:%[0-9A-Fa-f]{2}|[!#$&+\-.^_`|~0-9A-Za-z])*)$/

/** The metadata of a part as sent by the client. Do not trust it. */
export interface PartHeader {
  /** The name of the field; never empty. */
  readonly name: string
  /** The file name without folders; '' for an empty file input, undefined for a text field. */
  readonly fileName: string | undefined
  /** The media type in lower case without parameters; undefined when missing or malformed. */
  readonly contentType: string | undefined
  /** The charset in lower case; undefined when missing. */
  readonly charset: string | undefined
}

/** @throws HttpError 400 `http.multipart-invalid` */
export function parsePartHeader(block: Uint8Array): PartHeader {
  const lines = parseLines(block)
  const disposition = parseDisposition(lines.get('content-disposition'))
  const contentType = parseContentType(lines.get('content-type') ?? '')
  return {
    name: readName(disposition),
    fileName: readFileName(disposition),
    contentType: contentType?.essence,
    charset: contentType && charsetOf(contentType),
  }
}

// RFC 7578 §4.8: ignore headers with other names. Malformed lines are rejected nevertheless.
function parseLines(block: Uint8Array): Map<string, string> {
  // Joins a header that continues on the next line into one line.
  const lines = decodePartText('utf-8', block, 'The header of a part').replace(/\r\n(?=[ \t])/g, '')
  const found = new Map<string, string>()
  let previous = ''
  for (const [at, line] of lines.split('\r\n', maxLines + 1).entries()) {
    if (at === maxLines) throw partHeaderTooLarge()
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(colon, 0)).toLowerCase()
    if (/[\r\n]/.test(line)) throw rawLineBreak()
    if (!fieldName.test(name) || control.test(line)) {
      // The line before may have ended in the middle of a quoted text.
      if (hasOpenQuote(previous)) throw rawLineBreak()
      throw invalidMultipart('A header line of a part is malformed.')
    }
    if (found.has(name) && (name === 'content-disposition' || name === 'content-type'))
      throw invalidMultipart(`A part has two headers ${name}.`)
    found.set(name, line.slice(colon + 1))
    previous = line
  }
  return found
}

function parseDisposition(line: string | undefined): ReadonlyMap<string, string> {
  dispositionType.lastIndex = 0
  const type = dispositionType.exec(line ?? '')?.[1]?.toLowerCase()
  if (line !== undefined && type === 'form-data')
    for (const syntax of parameters) {
      const found = parseParameters(line, dispositionType.lastIndex, syntax, escapes)
      if (found !== undefined) return found
    }
  if (hasOpenQuote(line ?? '')) throw rawLineBreak()
  throw invalidMultipart('A part needs one Content-Disposition: form-data; name="…".')
}

/** True if a text has an opening quotation mark without a closing one. */
const hasOpenQuote = (text: string): boolean =>
  text.replaceAll(escapes, '').replace(/[^"]+/g, '').length % 2 === 1

const rawLineBreak = () =>
  invalidMultipart(
    'The header of a part contains a raw line break, or a quotation mark that is not closed. Send %0D%0A and %22 in names.',
  )

function readName(disposition: ReadonlyMap<string, string>): string {
  const sections = joinSections(disposition, 'name')
  const plain = disposition.get('name')
  if (sections !== undefined && plain !== undefined) throw invalidMultipart('A part has two names.')
  if (control.test(sections ?? '')) throw invalidMultipart('A name contains a control character.')
  // Browsers encode exactly these three characters of a name (HTML standard), and leave the percent sign as it is.
  const name =
    sections ?? plain?.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%22', '"') ?? ''
  if (name === '') throw invalidMultipart('A part has no name.')
  return name
}

function readFileName(disposition: ReadonlyMap<string, string>): string | undefined {
  const extended = disposition.get('filename*')
  const name =
    joinSections(disposition, 'filename') ??
    (extended === undefined
      ? // Keep %0D and %0A encoded, because a file name must not contain a line break.
        disposition.get('filename')?.replaceAll('%22', '"')
      : decodeExtendedName(extended))
  if (name === undefined) return undefined
  if (control.test(name)) throw invalidMultipart('A file name contains a control character.')
  const last = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
  return last === '.' || last === '..' ? '' : last
}

const decodeHex = (text: string): Buffer =>
  Buffer.from(
    text.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )

// RFC 7578 §4.2 forbids `filename*`, but some clients send it.
function decodeExtendedName(value: string): string {
  const [, charset, text] = extendedValue.exec(value) ?? []
  if (charset === undefined || text === undefined)
    throw invalidMultipart("The filename* of a part must be UTF-8'' and a percent-encoded name.")
  return decodePartText(charset, decodeHex(text), 'The filename* of a part')
}

/**
 * Returns a value that a client has sent in several parameters: `filename*0=…; filename*1=…` (RFC 2231 §3). A `*` after the
 * number marks a percent-encoded one, and the first then begins with the charset (§4.1). Returns undefined without such a
 * parameter.
 */
function joinSections(
  disposition: ReadonlyMap<string, string>,
  parameter: string,
): string | undefined {
  const prefix = `${parameter}*`
  const count = disposition.keys().reduce((sum, key) => sum + Number(key.startsWith(prefix)), 0)
  if (count === 0 || (count === 1 && disposition.has(prefix))) return undefined
  const malformed = () => invalidMultipart(`The parameters ${prefix}0 to ${prefix}n are malformed.`)
  let charset: string | undefined
  let joined = ''
  let encoded: Buffer[] = []
  const decode = () => {
    if (encoded.length > 0) joined += decodePartText(charset!, Buffer.concat(encoded), prefix)
    encoded = []
  }
  for (let at = 0; at < count; at++) {
    const plain = disposition.get(`${prefix}${at}`)
    const value = disposition.get(`${prefix}${at}*`)
    if ((plain === undefined) === (value === undefined)) throw malformed()
    if (plain !== undefined) {
      decode()
      joined += plain
      continue
    }
    const syntax = at === 0 ? extendedValue : encodedSection
    const match = syntax.exec(value!)
    if (match === null) throw malformed()
    if (at === 0) charset = match[1]
    if (charset === undefined) throw malformed()
    encoded.push(decodeHex(match.at(-1)!))
  }
  decode()
  return joined
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes bytes in a charset. @throws HttpError 400 `http.multipart-invalid` for bytes that are invalid in the charset */
export function decodePartText(charset: string, bytes: Uint8Array, what: string): string {
  try {
    const decoder =
      charset === 'utf-8' ? utf8 : new TextDecoder(charset, { fatal: true, ignoreBOM: true })
    return decoder.decode(bytes)
  } catch {
    throw invalidMultipart(`${what} is not valid ${charset.slice(0, 40)}: send UTF-8.`)
  }
}
