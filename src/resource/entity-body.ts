/** Records and error maps as JSON and XML. */
import { elementName } from '../http.ts'
import { toSnakeCase } from '../params.ts'

/** The representation of an API request. */
export type EntityFormat = 'json' | 'xml'

function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCased)
  if (typeof value === 'bigint') return String(value)
  if (value === null || typeof value !== 'object') return value
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [toSnakeCase(key), snakeCased(member)]),
  )
}

/** JSON of a record or a list of them: keys in snake case, absent members left out, dates in ISO 8601. */
export const entityJson = (entity: unknown): string => JSON.stringify(snakeCased(entity))

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}
/** What XML 1.0 cannot hold, not even as a reference. */
const illegal = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

function text(value: unknown): string {
  return String(value)
    .toWellFormed()
    .replace(illegal, '\ufffd')
    .replace(/[&<>"']/g, (found) => escapes[found]!)
}

// The keys of a stored JSON value are whatever a client once sent.
function element(key: string, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map((item) => element(key, item)).join('')
  const name = elementName(key)
  return `<${name}>${content(value)}</${name}>`
}

function content(value: unknown): string {
  const isLeaf = typeof value !== 'object' || value === null
  if (isLeaf || typeof (value as { toJSON?: unknown }).toJSON === 'function') return text(value)
  return Object.entries(value)
    .map(([key, member]) => element(toSnakeCase(key), member))
    .join('')
}

function document(root: string, inside: string): string {
  const name = elementName(root)
  return `<?xml version="1.0" encoding="utf-8"?><${name}>${inside}</${name}>`
}

/** XML of one record: its members right below the root. */
export const entityXml = (root: string, entity: object): string => document(root, content(entity))

/** XML of a list: each record in an element of its own. */
export const entitiesXml = (root: string, item: string, entities: readonly object[]): string =>
  document(root, element(item, entities))

/** One record in either format. */
export const entityBody = (format: EntityFormat, root: string, entity: object): string =>
  format === 'json' ? entityJson(entity) : entityXml(root, entity)
