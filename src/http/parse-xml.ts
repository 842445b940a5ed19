/** XML from a client: strict, shallow, without document types, and as plain as JSON. */
import type { SaxesParser } from 'saxes'
import { HttpError } from '../base.ts'

const maxDepth = 64
const maxParts = 10_000
const pieceLength = 32 * 1024

/** Values by the names of their elements. */
type Members = Record<string, unknown>

/** An element that is open: its members once it has one, its text until then. */
interface Open {
  readonly name: string
  members: Members | undefined
  text: string
}

/**
 * What the root of a document holds, as JSON would have it: elements with elements are objects, those with text are texts,
 * empty ones `''`, and several of one name are a list. The root's own name and all attributes say nothing; a root
 * that is empty or blank is an empty object.
 * @throws HttpError 400 `http.xml-invalid`: not well-formed, a document type, an entity beyond the five of XML, a
 * processing instruction, text beside elements, another encoding than UTF-8, deeper than 64, more than 10,000 elements
 * and attributes
 */
export async function parseXml(text: string): Promise<unknown> {
  // Few requests need it, so the start does not wait for it.
  const { SaxesParser } = await import('saxes')
  const reader = new DocumentReader(new SaxesParser({ xmlns: false, position: true }))
  return reader.read(text)
}

class DocumentReader {
  readonly #parser: SaxesParser<{ xmlns: false; position: true }>
  readonly #open: Open[] = []
  #root: unknown
  #parts = 0

  constructor(parser: SaxesParser<{ xmlns: false; position: true }>) {
    this.#parser = parser
    parser.on('error', ({ message }) => refuse(`The body is not well-formed XML: ${message}`))
    parser.on('doctype', () => refuse('Send the XML without a DOCTYPE.'))
    parser.on('processinginstruction', () => refuse('The XML holds a processing instruction.'))
    parser.on('xmldecl', ({ version, encoding }) => refuseOther(version, encoding))
    // They say nothing, of types least of all.
    parser.on('attribute', () => this.#count())
    parser.on('opentag', ({ name }) => this.#begin(name))
    parser.on('text', (part) => this.#add(part))
    parser.on('cdata', (part) => this.#add(part))
    parser.on('closetag', () => this.#end())
  }

  /** Piece by piece: a megabyte takes its time, and others are waiting. */
  async read(text: string): Promise<unknown> {
    for (let at = 0; at < text.length; at += pieceLength) {
      if (at > 0) await new Promise((resolve) => setImmediate(resolve))
      this.#parser.write(text.slice(at, at + pieceLength))
    }
    this.#parser.close()
    return typeof this.#root === 'string' && isBlank(this.#root) ? {} : this.#root
  }

  #begin(name: string): void {
    this.#count()
    if (this.#open.length >= maxDepth) refuse(`The XML is nested deeper than ${maxDepth} levels.`)
    const around = this.#open.at(-1)
    if (name === '__proto__' || (name === 'prototype' && around?.name === 'constructor'))
      this.#refuse(`<${name}> is refused.`)
    if (around !== undefined && around.members === undefined) {
      this.#refuseText(around.name, around.text)
      around.members = Object.create(null) as Members
    }
    this.#open.push({ name, members: undefined, text: '' })
  }

  #count(): void {
    if (++this.#parts > maxParts)
      refuse(`The XML holds more than ${maxParts} elements and attributes.`)
  }

  #add(part: string): void {
    const around = this.#open.at(-1)
    // Blanks around the root.
    if (around === undefined) return
    if (around.members === undefined) around.text += part
    else this.#refuseText(around.name, part)
  }

  #end(): void {
    const { name, members, text } = this.#open.pop()!
    const value = members ?? text
    const around = this.#open.at(-1)
    if (around === undefined) this.#root = value
    else put(around.members!, name, value)
  }

  #refuseText(name: string, text: string): void {
    if (!isBlank(text)) this.#refuse(`<${name}> holds text beside elements.`)
  }

  #refuse(what: string): never {
    const { line, column } = this.#parser
    refuse(`The XML cannot be read at ${line}:${column}: ${what}`)
  }
}

// As XML has it: any other space is text.
const isBlank = (text: string): boolean => !/[^ \t\r\n]/.test(text)

function put(members: Members, name: string, value: unknown): void {
  const known = members[name]
  if (known === undefined) members[name] = value
  else if (Array.isArray(known)) known.push(value)
  else members[name] = [known, value]
}

function refuseOther(version: string | undefined, encoding: string | undefined): void {
  if (version !== '1.0') refuse('Send XML 1.0.')
  if (encoding !== undefined && !/^utf-?8$/i.test(encoding)) refuse('Send the XML in UTF-8.')
}

function refuse(message: string): never {
  const shown = message.length > 200 ? `${message.slice(0, 200)}…` : message
  throw new HttpError(400, 'http.xml-invalid', shown)
}
