/** Splits a multipart body into its parts (RFC 2046 §5.1, RFC 7578), wherever the chunks of the body end. */
import { HttpError } from '../base.ts'
import { GrowableBuffer } from './body-chunks.ts'

const maxPreambleBytes = 16 * 1024
const maxHeaderBytes = 16 * 1024
const blankLine = Buffer.from('\r\n\r\n')
const lineEnd = 2

/**
 * Receives the parts in order. An error thrown by a method stops the parsing. Copy the bytes to keep, because the
 * parser reuses the chunk's memory.
 */
export interface PartListener {
  /** Called at the start of a part. `header` contains the header lines without the blank line that ends them. */
  begin(header: Buffer): void
  /** Called with each piece of a part's content. `content` is a slice of the chunk passed to `write`. */
  data(content: Buffer): void
  end(): void
}

export function invalidMultipart(message: string): HttpError {
  return new HttpError(400, 'http.multipart-invalid', message)
}

type State = 'preamble' | 'header' | 'content' | 'epilogue' | keyof typeof afterBoundary

const [tab, newline, carriageReturn, space, hyphen] = [0x09, 0x0a, 0x0d, 0x20, 0x2d] as const

// State transitions by the bytes after `--boundary`: blanks and a line end before the next part, or `--` after the last
// part.
const afterBoundary = {
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
 * A push parser that never copies content. When a chunk ends within a possible delimiter, the parser stores only the
 * number of matched bytes, which equal the beginning of the delimiter. A failed match needs no second attempt, because
 * the delimiter has a single line end, at its start.
 */
export class MultipartParser {
  /** The delimiter, `\r\n--boundary`. */
  readonly #delimiter: Buffer
  readonly #listener: PartListener
  readonly #header = new GrowableBuffer()
  #state: State = 'preamble'
  #preambleBytes = 0
  /**
   * The number of delimiter bytes matched so far. Matching starts after the line end, because the first delimiter may
   * come without it.
   */
  #matched = lineEnd
  /** The number of matched bytes that the body does not contain, because matching started after the delimiter's line end. */
  #implied = lineEnd

  /** `boundary` must follow RFC 2046: 1 to 70 characters without a line end. */
  constructor(boundary: string, listener: PartListener) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
    this.#listener = listener
  }

  /** Parses one chunk. @throws HttpError 400 `http.multipart-invalid`; the errors of the listener */
  write(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    for (let at = 0; at < bytes.length;) at = this.#read(bytes, at)
  }

  /** Ends the body. @throws HttpError 400 `http.multipart-invalid` when the last delimiter is missing */
  end(): void {
    if (this.#state === 'preamble') throw missingStart()
    if (this.#state !== 'closed' && this.#state !== 'closing' && this.#state !== 'epilogue')
      throw invalidMultipart('The multipart body ends before its last boundary.')
  }

  /** Parses bytes from position `at` in the current state, and returns the position after them. */
  #read(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case 'preamble':
      case 'content':
        return this.#readContent(bytes, at)
      case 'header':
        return this.#readHeader(bytes, at)
      case 'epilogue':
        return bytes.length
      default: {
        const transitions: Readonly<Partial<Record<number, State>>> = afterBoundary[this.#state]
        const next = transitions[bytes[at]!]
        if (next === undefined)
          throw invalidMultipart(
            'A boundary of the multipart body is not followed by a line end (CR LF).',
          )
        this.#state = next
        return at + 1
      }
    }
  }

  #readContent(bytes: Buffer, start: number): number {
    const delimiter = this.#delimiter
    let at = start
    if (this.#matched > 0) {
      const count = Math.min(delimiter.length - this.#matched, bytes.length - at)
      if (delimiter.compare(bytes, at, at + count, this.#matched, this.#matched + count) === 0) {
        this.#matched += count
        at += count
        if (this.#matched === delimiter.length) this.#endContent()
        return at
      }
      this.#emit(delimiter.subarray(this.#implied, this.#matched))
      this.#matched = 0
    }
    const found = bytes.indexOf(delimiter, at)
    if (found !== -1) {
      this.#emit(bytes.subarray(at, found))
      this.#endContent()
      return found + delimiter.length
    }
    this.#matched = this.#matchAtEnd(bytes, at)
    this.#implied = 0
    this.#emit(bytes.subarray(at, bytes.length - this.#matched))
    return bytes.length
  }

  /** Returns how many of the last bytes match the beginning of a delimiter. */
  #matchAtEnd(bytes: Buffer, start: number): number {
    const from = Math.max(start, bytes.length - this.#delimiter.length + 1)
    const tail = bytes.subarray(from)
    const opening = tail.lastIndexOf(carriageReturn)
    if (opening === -1) return 0
    const length = tail.length - opening
    return this.#delimiter.compare(tail, opening, tail.length, 0, length) === 0 ? length : 0
  }

  #emit(content: Buffer): void {
    if (content.length === 0) return
    if (this.#state === 'content') return this.#listener.data(content)
    this.#preambleBytes += content.length
    if (this.#preambleBytes > maxPreambleBytes) throw missingStart()
  }

  #endContent(): void {
    if (this.#state === 'content') this.#listener.end()
    this.#state = 'delimiter'
  }

  #readHeader(bytes: Buffer, at: number): number {
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
    const capacity = maxHeaderBytes + blankLine.length - before
    const added = bytes.subarray(at, at + capacity)
    header.append(added)
    const end = header.view().indexOf(blankLine, Math.max(0, before - blankLine.length + 1))
    if (end === -1) {
      if (added.length === capacity) throw partHeaderTooLarge()
      return at + added.length
    }
    this.#beginPart(header.view().subarray(0, end))
    header.clear()
    return at + end + blankLine.length - before
  }

  #beginPart(header: Buffer): void {
    if (header.length > maxHeaderBytes) throw partHeaderTooLarge()
    const delimiter = this.#delimiter
    const inFirstLine = delimiter.subarray(lineEnd)
    if (header.subarray(0, inFirstLine.length).equals(inFirstLine) || header.includes(delimiter))
      throw invalidMultipart('A boundary of the multipart body is inside the header of a part.')
    this.#listener.begin(header)
    this.#state = 'content'
    this.#matched = this.#implied = lineEnd
  }
}

function missingStart(): HttpError {
  return invalidMultipart('The multipart body does not begin with its boundary.')
}

export function partHeaderTooLarge(): HttpError {
  return invalidMultipart('The header of a part is too large.')
}
