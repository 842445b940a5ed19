/** Reads a Content-Type header strictly: what does not follow the grammar is no content type. */

/** A media type with its parameters; names are in lower case, values as sent. */
export interface ContentType {
  /** `type/subtype` in lower case, such as `application/json`. */
  readonly essence: string
  readonly parameters: ReadonlyMap<string, string>
}

const token = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y
const quoted = /"((?:[^"\\]|\\[\t\x20-\x7e\x80-\xff])*)"/y
const blanks = /[ \t]*/y

const mostKnown = 100
const longestKnown = 200
/** Clients send few different ones: most need not be read again. */
const known = new Map<string, ContentType | undefined>()

/**
 * Undefined when the text is malformed: trailing text, a parameter twice, an open quote.
 * Leading and trailing blanks are allowed.
 */
export function parseContentType(header: string): ContentType | undefined {
  const found = known.get(header)
  if (found !== undefined || known.has(header)) return found
  const parsed = read(header)
  if (known.size === mostKnown) known.clear()
  if (header.length <= longestKnown) known.set(header, parsed)
  return parsed
}

function read(header: string): ContentType | undefined {
  const reader = new Reader(header)
  reader.skip(blanks)
  const type = reader.take(token)
  if (type === undefined || !reader.eat('/')) return undefined
  const subtype = reader.take(token)
  if (subtype === undefined) return undefined
  const parameters = readParameters(reader)
  return parameters && { essence: `${type}/${subtype}`.toLowerCase(), parameters }
}

function readParameters(reader: Reader): Map<string, string> | undefined {
  const parameters = new Map<string, string>()
  for (;;) {
    reader.skip(blanks)
    if (reader.atEnd) return parameters
    if (!reader.eat(';')) return undefined
    reader.skip(blanks)
    if (reader.atEnd) return parameters
    const name = reader.take(token)?.toLowerCase()
    if (name === undefined || parameters.has(name) || !reader.eat('=')) return undefined
    const value = reader.takeValue()
    if (value === undefined) return undefined
    parameters.set(name, value)
  }
}

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get atEnd(): boolean {
    return this.#at === this.#text.length
  }

  eat(character: string): boolean {
    if (this.#text[this.#at] !== character) return false
    this.#at++
    return true
  }

  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#text)
    if (match === null) return undefined
    this.#at = pattern.lastIndex
    return match[1] ?? match[0]
  }

  skip(pattern: RegExp): void {
    this.take(pattern)
  }

  takeValue(): string | undefined {
    if (this.#text[this.#at] !== '"') return this.take(token)
    return this.take(quoted)?.replace(/\\(.)/g, '$1')
  }
}

/** The declared charset in lower case; undefined when there is none. */
export function charsetOf(contentType: ContentType): string | undefined {
  return contentType.parameters.get('charset')?.toLowerCase()
}
