/** Cuts a multipart body into its parts, as RFC 2046 §5.1 and RFC 7578 say, whatever pieces it comes in. */
import { HttpError } from '../base.ts'
import { GatheredBytes } from './gathered-bytes.ts'

const maxPreambleBytes = 16 * 1024
const maxHeaderBytes = 16 * 1024
const blankLine = Buffer.from('\r\n\r\n')
const lineEnd = 2

/** What hears of the parts, in order. What it throws ends the parsing. Bytes are lent: copy what is to stay. */
export interface PartListener {
  /** The header lines without the blank line that ends them. */
  begin(header: Buffer): void
  /** A stretch of the part's content. It lives until the piece that was written is let go of. */
  data(content: Buffer): void
  end(): void
}

/** A body that is no form. */
export function invalidMultipart(message: string): HttpError {
  return new HttpError(400, 'http.multipart-invalid', message)
}

type Place = 'preamble' | 'header' | 'content' | 'epilogue' | keyof typeof aroundDelimiter

const [tab, newline, carriageReturn, space, hyphen] = [0x09, 0x0a, 0x0d, 0x20, 0x2d] as const

// What may follow `--boundary`, byte by byte: blanks and a line end, or `--` for the last one.
const aroundDelimiter = {
  delimiter: {
    [hyphen]: 'hyphen',
    [space]: 'padding',
    [tab]: 'padding',
    [carriageReturn]: 'padded',
  },
  padding: { [space]: 'padding', [tab]: 'padding', [carriageReturn]: 'padded' },
  padded: { [newline]: 'header' },
  hyphen: { [hyphen]: 'closed' },
  closed: { [space]: 'closed', [tab]: 'closed', [carriageReturn]: 'closing' },
  closing: { [newline]: 'epilogue' },
} as const

/**
 * Holds no content back but what may be the begin of a delimiter: that is known without its bytes, since a line end opens
 * the delimiter and occurs nowhere else in it. So content is never copied, and each byte is looked at a bounded number
 * of times.
 */
export class MultipartParser {
  /** Line end, two hyphens, boundary. */
  readonly #delimiter: Buffer
  readonly #listener: PartListener
  readonly #header = new GatheredBytes()
  #place: Place = 'preamble'
  #preambleBytes = 0
  /** How many bytes of the delimiter the last piece ended with. */
  #matched = lineEnd
  /** How many of them were never sent as content: a delimiter may open the body, and follow the blank line at once. */
  #unsent = lineEnd

  /** `boundary` by the grammar of RFC 2046: 1 to 70 characters, no line end. */
  constructor(boundary: string, listener: PartListener) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
    this.#listener = listener
  }

  /** @throws HttpError 400 `http.multipart-invalid`, and what the listener throws */
  write(piece: Uint8Array): void {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    for (let at = 0; at < bytes.length;) at = this.#read(bytes, at)
  }

  /** @throws HttpError 400 `http.multipart-invalid` when the last delimiter is missing */
  end(): void {
    if (this.#place === 'preamble') throw noBegin()
    if (this.#place !== 'closed' && this.#place !== 'closing' && this.#place !== 'epilogue')
      throw invalidMultipart('The multipart body ends before its last boundary.')
  }

  /** Returns where to read on. */
  #read(bytes: Buffer, at: number): number {
    switch (this.#place) {
      case 'preamble':
      case 'content':
        return this.#content(bytes, at)
      case 'header':
        return this.#headerLines(bytes, at)
      case 'epilogue':
        return bytes.length
      default: {
        const steps: Readonly<Partial<Record<number, Place>>> = aroundDelimiter[this.#place]
        const next = steps[bytes[at]!]
        if (next === undefined)
          throw invalidMultipart(
            'A boundary of the multipart body is not followed by a line end (CR LF).',
          )
        this.#place = next
        return at + 1
      }
    }
  }

  #content(bytes: Buffer, start: number): number {
    const delimiter = this.#delimiter
    let at = start
    if (this.#matched > 0) {
      const more = Math.min(delimiter.length - this.#matched, bytes.length - at)
      if (delimiter.compare(bytes, at, at + more, this.#matched, this.#matched + more) === 0) {
        this.#matched += more
        at += more
        if (this.#matched === delimiter.length) this.#endContent()
        return at
      }
      this.#tell(delimiter.subarray(this.#unsent, this.#matched))
      this.#matched = 0
    }
    const found = bytes.indexOf(delimiter, at)
    if (found !== -1) {
      this.#tell(bytes.subarray(at, found))
      this.#endContent()
      return found + delimiter.length
    }
    this.#matched = this.#matchedAtEnd(bytes, at)
    this.#unsent = 0
    this.#tell(bytes.subarray(at, bytes.length - this.#matched))
    return bytes.length
  }

  #matchedAtEnd(bytes: Buffer, start: number): number {
    const from = Math.max(start, bytes.length - this.#delimiter.length + 1)
    const tail = bytes.subarray(from)
    const opening = tail.lastIndexOf(carriageReturn)
    if (opening === -1) return 0
    const length = tail.length - opening
    return this.#delimiter.compare(tail, opening, tail.length, 0, length) === 0 ? length : 0
  }

  #tell(content: Buffer): void {
    if (content.length === 0) return
    if (this.#place === 'content') return this.#listener.data(content)
    this.#preambleBytes += content.length
    if (this.#preambleBytes > maxPreambleBytes) throw noBegin()
  }

  #endContent(): void {
    if (this.#place === 'content') this.#listener.end()
    this.#place = 'delimiter'
  }

  #headerLines(bytes: Buffer, at: number): number {
    const header = this.#header
    const before = header.length
    if (before === 0) {
      if (bytes[at] === carriageReturn) throw invalidMultipart('A part has no header.')
      const end = bytes.indexOf(blankLine, at)
      if (end !== -1) {
        this.#beginPart(bytes.subarray(at, end))
        return end + blankLine.length
      }
    }
    const room = maxHeaderBytes + blankLine.length - before
    const piece = bytes.subarray(at, at + room)
    header.append(piece)
    const end = header.view().indexOf(blankLine, Math.max(0, before - blankLine.length + 1))
    if (end === -1) {
      if (piece.length === room) throw largeHeader()
      return at + piece.length
    }
    this.#beginPart(header.view().subarray(0, end))
    header.clear()
    return at + end + blankLine.length - before
  }

  #beginPart(header: Buffer): void {
    if (header.length > maxHeaderBytes) throw largeHeader()
    const delimiter = this.#delimiter
    const inFirstLine = delimiter.subarray(lineEnd)
    if (header.subarray(0, inFirstLine.length).equals(inFirstLine) || header.includes(delimiter))
      throw invalidMultipart('A boundary of the multipart body lies in the header of a part.')
    this.#listener.begin(header)
    this.#place = 'content'
    this.#matched = this.#unsent = lineEnd
  }
}

function noBegin(): HttpError {
  return invalidMultipart('The multipart body does not begin with its boundary.')
}

/** A part's header beyond its limits of bytes or lines. */
export function largeHeader(): HttpError {
  return invalidMultipart('The header of a part is too large.')
}
