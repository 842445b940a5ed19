/** Values as XML: objects become elements, lists repeat theirs, and nothing a value holds can break the document. */

/** Names of the elements that no key gives. */
export interface XmlNames {
  /** `response` unless given. */
  readonly root?: string
  /** Of each entry of a list that stands at the top; `item` unless given. */
  readonly item?: string
}

const prolog = '<?xml version="1.0" encoding="utf-8"?>'
const nameStart =
  'A-Z_a-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff'
const notInName = new RegExp(`[^-.0-9\\u00b7${nameStart}]`, 'g')
const beginsName = new RegExp(`^[${nameStart}]`)
// XML 1.0 has no way to write these, not even as references.
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

/** Text for an element or an attribute; characters that XML cannot hold become U+FFFD. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(illegal, '\ufffd')
    .replace(special, (found) => references[found]!)
}

/**
 * A document of `value`. Keys are element names, characters that no name can have become `_`; `undefined` is left out,
 * `null` is an empty element, dates are ISO texts, and `toJSON` is honoured as in JSON.
 * @throws TypeError when the value holds itself or is nested deeper than 64
 */
export function toXml(value: unknown, { root = 'response', item = 'item' }: XmlNames = {}): string {
  const plain = plainOf(value)
  const content = Array.isArray(plain)
    ? plain.map((entry) => element(item, entry, 1)).join('')
    : contentOf(plain, 0)
  const name = elementName(root)
  return `${prolog}<${name}>${content}</${name}>`
}

// JSON omits functions and symbols, and so does XML.
function element(key: string, value: unknown, depth: number): string {
  if (depth > maxDepth)
    throw new TypeError(
      `The value holds itself, or is nested deeper than ${maxDepth}: XML cannot hold it.`,
    )
  const plain = plainOf(value)
  if (plain === undefined || typeof plain === 'function' || typeof plain === 'symbol') return ''
  const name = elementName(key)
  if (Array.isArray(plain)) return plain.map((entry) => element(name, entry, depth + 1)).join('')
  const content = contentOf(plain, depth)
  return content === '' ? `<${name}/>` : `<${name}>${content}</${name}>`
}

function contentOf(value: unknown, depth: number): string {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'object') return escapeXml(String(value))
  const entries = value instanceof Map ? [...value] : Object.entries(value)
  return entries.map(([key, member]) => element(String(key), member, depth + 1)).join('')
}

function plainOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const { toJSON } = value as { toJSON?: unknown }
  return typeof toJSON === 'function' ? (toJSON as () => unknown).call(value) : value
}

/** A key as the name of an element: characters that no name can have become `_`. */
export function elementName(key: string): string {
  const name = key.replace(notInName, '_')
  return beginsName.test(name) ? name : `_${name}`
}
