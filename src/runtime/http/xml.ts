/** XML for and from clients: writes a value as a document, and parses a document strictly into a JSON-like value. */
import type { SaxesParser } from 'saxes'
import { HttpError, OutOfRangeValue } from '../base.ts'
import { JsonNumber } from './json-number.ts'
import { formatPlace } from './json.ts'
import { isStoredJson } from './stored-json.ts'

/** The element names for values without a key. */
export interface XmlNames {
  /** The name of the root element; default `response`. */
  readonly root?: string
  /** The element name for each entry of a top-level list; default `item`. */
  readonly item?: string
}

/** Options of `toXml`. */
export interface XmlStyle extends XmlNames {
  /** A function that renames the keys of objects. The keys of a `Map` stay. */
  readonly key?: (key: string) => string
}

const sameKey = (key: string): string => key

const prolog = '<?xml version="1.0" encoding="utf-8"?>'
const nameStart =
  'A-Z_a-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff'
const invalidInName = new RegExp(`[^-.0-9\\u00b7${nameStart}]`, 'g')
const validNameStart = new RegExp(`^[${nameStart}]`)
// XML 1.0 cannot represent these characters, not even as references.
const illegal = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g
const special = /[&<>"\r]/g
const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
}
const maxDepth = 64

/** Escapes a text for an element or an attribute. Replaces characters that XML cannot represent with U+FFFD. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(illegal, '\ufffd')
    .replace(special, (character) => references[character]!)
}

/**
 * Writes `value` as a document. Objects become elements named after their keys, a list repeats its element, `null`
 * becomes an empty element, and `undefined` is omitted. `toJSON` is called as for JSON, so that dates are written as
 * ISO texts. The value of a JSON column is written as JSON text, because XML has neither its types nor all its keys.
 * @throws TypeError for a circular value, or more than 64 levels
 */
export function toXml(
  value: unknown,
  { root = 'response', item = 'item', key: rename = sameKey }: XmlStyle = {},
): string {
  const json = callToJson(value)
  const content = Array.isArray(json)
    ? json.map((entry) => writeElement(item, entry, { rename, depth: 1 })).join('')
    : writeContent(json, { rename, depth: 0 })
  const name = elementName(root)
  return `${prolog}<${name}>${content}</${name}>`
}

interface Place {
  readonly rename: (key: string) => string
  readonly depth: number
}

const deeper = ({ rename, depth }: Place): Place => ({ rename, depth: depth + 1 })

// Writes an element. Omits functions and symbols, as JSON does.
function writeElement(key: string, value: unknown, place: Place): string {
  if (place.depth > maxDepth)
    throw new TypeError(
      `The value is circular or nested deeper than ${maxDepth} levels, which XML cannot represent.`,
    )
  const json = callToJson(value)
  if (json === undefined || typeof json === 'function' || typeof json === 'symbol') return ''
  const name = elementName(key)
  if (Array.isArray(json))
    return json.map((entry) => writeElement(name, entry, deeper(place))).join('')
  const content = writeContent(json, place)
  return content === '' ? `<${name}/>` : `<${name}>${content}</${name}>`
}

function writeContent(value: unknown, place: Place): string {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'object') return escapeXml(String(value))
  const isMap = value instanceof Map
  const entries: Iterable<[unknown, unknown]> = isMap ? value : Object.entries(value)
  const inner = deeper(place)
  let content = ''
  for (const [key, member] of entries)
    content += writeElement(isMap ? String(key) : place.rename(String(key)), member, inner)
  return content
}

function callToJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof JsonNumber || value instanceof OutOfRangeValue) return String(value)
  if (isStoredJson(value)) return JSON.stringify(value)
  const { toJSON } = value as { toJSON?: unknown }
  return typeof toJSON === 'function' ? (toJSON as () => unknown).call(value) : value
}

/** Returns the element name for a key. Replaces characters that are invalid in names with `_`. */
export function elementName(key: string): string {
  const name = key.replace(invalidInName, '_')
  return validNameStart.test(name) ? name : `_${name}`
}

const maxNodes = 10_000
const chunkLength = 32 * 1024

type Members = Record<string, unknown>

/** An open element. It collects `text` until its first child element, and `members` from then on. */
interface OpenElement {
  readonly name: string
  members: Members | undefined
  text: string
}

/**
 * Parses a document, and returns the content of its root element as a plain value. An element with child elements
 * becomes an object, an element with text a string, and an empty element `''`. Repeated elements become a list, and an
 * empty root becomes `{}`. The name of the root and all attributes are ignored.
 * @throws HttpError 400 `http.xml-invalid`: not well-formed, a document type, an entity other than the five of XML, a
 * processing instruction, text beside elements, an encoding other than UTF-8, more than 64 levels, more than 10,000
 * elements and attributes, or more than 10,000 references, comments and CDATA sections
 */
export async function parseXml(text: string): Promise<unknown> {
  // Import the parser on demand, because few applications receive XML.
  const { SaxesParser } = await import('saxes')
  return new DocumentReader(new SaxesParser({ xmlns: false, position: true })).read(text)
}

class DocumentReader {
  readonly #parser: SaxesParser<{ xmlns: false; position: true }>
  readonly #open: OpenElement[] = []
  #root: unknown
  #nodes = 0

  constructor(parser: SaxesParser<{ xmlns: false; position: true }>) {
    this.#parser = parser
    parser.on('error', ({ message }) => reject(`The body is not well-formed XML: ${message}`))
    parser.on('doctype', () => reject('Send the XML without a DOCTYPE.'))
    parser.on('processinginstruction', () => reject('The XML contains a processing instruction.'))
    parser.on('xmldecl', ({ version, encoding }) => rejectDeclaration(version, encoding))
    parser.on('attribute', ({ name }) => this.#count(name))
    parser.on('opentag', ({ name }) => this.#begin(name))
    parser.on('text', (text) => this.#addText(text))
    parser.on('cdata', (text) => this.#addText(text))
    parser.on('closetag', () => this.#end())
  }

  /** Lets other requests run after each chunk, because parsing a megabyte blocks the event loop for long. */
  async read(text: string): Promise<unknown> {
    rejectReferences(text)
    for (let at = 0; at < text.length; at += chunkLength) {
      if (at > 0) await new Promise((resolve) => setImmediate(resolve))
      this.#parser.write(text.slice(at, at + chunkLength))
    }
    this.#parser.close()
    return typeof this.#root === 'string' && isBlank(this.#root) ? {} : this.#root
  }

  #begin(name: string): void {
    this.#count(name)
    if (this.#open.length >= maxDepth)
      reject(`The XML is nested deeper than ${maxDepth} levels${this.#place(name)}.`)
    const parent = this.#open.at(-1)
    if (name === '__proto__' || (name === 'prototype' && parent?.name === 'constructor'))
      this.#reject(`the element <${name}> is forbidden.`)
    if (parent !== undefined && parent.members === undefined) {
      this.#rejectText(parent.name, parent.text)
      parent.members = Object.create(null) as Members
    }
    this.#open.push({ name, members: undefined, text: '' })
  }

  #count(name: string): void {
    if (++this.#nodes > maxNodes)
      reject(`The XML contains more than ${maxNodes} elements and attributes${this.#place(name)}.`)
  }

  /** Formats the path of an element or attribute below the root, for an error message. */
  #place(name: string): string {
    return formatPlace([...this.#open.slice(1).map((element) => element.name), name])
  }

  #addText(added: string): void {
    const parent = this.#open.at(-1)
    // Ignores white space outside the root element.
    if (parent === undefined) return
    if (parent.members === undefined) parent.text += added
    else this.#rejectText(parent.name, added)
  }

  #end(): void {
    const { name, members, text } = this.#open.pop()!
    const value = members ?? text
    const parent = this.#open.at(-1)
    if (parent === undefined) this.#root = value
    else addMember(parent.members!, name, value)
  }

  #rejectText(name: string, text: string): void {
    if (!isBlank(text)) this.#reject(`<${name}> contains text beside elements.`)
  }

  #reject(what: string): never {
    const { line, column } = this.#parser
    reject(`The XML cannot be read at ${line}:${column}: ${what}`)
  }
}

/**
 * Limits references, comments and CDATA sections. The parser needs as much time for each of them as for a hundred
 * characters.
 */
function rejectReferences(text: string): void {
  let count = 0
  for (const start of ['&', '<!'])
    for (let at = text.indexOf(start); at !== -1; at = text.indexOf(start, at + 1))
      if (++count > maxNodes)
        reject(`The XML contains more than ${maxNodes} references, comments and CDATA sections.`)
}

// XML defines only these four characters as white space. Any other space is text.
const isBlank = (text: string): boolean => !/[^ \t\r\n]/.test(text)

function addMember(members: Members, name: string, value: unknown): void {
  const known = members[name]
  if (known === undefined) members[name] = value
  else if (Array.isArray(known)) known.push(value)
  else members[name] = [known, value]
}

function rejectDeclaration(version: string | undefined, encoding: string | undefined): void {
  if (version !== '1.0') reject('Send XML 1.0.')
  if (encoding !== undefined && !/^utf-?8$/i.test(encoding)) reject('Send the XML in UTF-8.')
}

function reject(message: string): never {
  const short = message.length > 200 ? `${message.slice(0, 200)}…` : message
  throw new HttpError(400, 'http.xml-invalid', short)
}
