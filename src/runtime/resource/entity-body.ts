/** Serializes records and error maps as JSON and XML. */
import { elementName, escapeXml, isStoredJson } from '../http.ts'
import { FoundRows, textMembers } from '../model.ts'
import { isOptionalType, type ParamType, type ParamTypes, toSnakeCase } from '../params.ts'

/** The format of an API response's body. */
export type EntityFormat = 'json' | 'xml'

/** The XML element names of a resource's bodies, and the types of their members. */
export interface EntityNames {
  readonly resourcesName: string
  readonly resourceName: string
  readonly model: { readonly columns?: ParamTypes }
  /** The model view that defines the members of JSON and XML; `undefined` for all fields. */
  readonly output?: { readonly columns: ParamTypes } | undefined
}

const base64 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64')

/** Whether values of the type are JSON, whose keys are the application's data and not names of fields. */
const isJson = ({ definition }: ParamType<unknown>): boolean => definition?.isJson === true

function snakeCased(value: unknown, columns?: ParamTypes): unknown {
  // JSON has neither infinity nor NaN, which `JSON.stringify` would write as `null`.
  if (typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value)))
    return String(value)
  if (typeof value !== 'object' || value === null || isStoredJson(value)) return value
  if (Array.isArray(value)) return value.map((item) => snakeCased(item, columns))
  if (value instanceof Uint8Array) return base64(value)
  const members = textMembers(value)
  return hasToJson(members) ? members : snakeCasedMembers(members, columns)
}

function snakeCasedMembers(value: object, columns: ParamTypes | undefined): object {
  const cased: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const content = toJsonMember((value as Record<string, unknown>)[key], columns?.[key])
    const name = toSnakeCase(key)
    if (name !== '__proto__') cased[name] = content
    else Object.defineProperty(cased, name, { value: content, enumerable: true })
  }
  return cased
}

/**
 * Returns the value of a record's member in JSON. `JSON.stringify` omits `undefined`, so this returns `null` for it: a client could
 * not tell NULL from a missing field.
 */
export const toJsonMember = (value: unknown, type: ParamType<unknown> | undefined): unknown =>
  (type && isJson(type.element ?? type) ? value : snakeCased(value)) ?? null

const hasToJson = (value: object): boolean =>
  typeof (value as { toJSON?: unknown }).toJSON === 'function'

/** Converts a value to the content of an XML element. */
type Content = (value: unknown) => string

function element(key: string, content: string): string {
  const name = elementName(key)
  return `<${name}>${content}</${name}>`
}

/** Returns the text of a value; `undefined` for an object that has members instead. */
function textOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return String(value)
  if (value instanceof Uint8Array) return base64(value)
  // JSON is one text, because XML has neither its types nor all its keys.
  if (isStoredJson(value)) return JSON.stringify(value)
  return hasToJson(textMembers(value)) ? String(value) : undefined
}

function valueContent(value: unknown, columns?: ParamTypes): string {
  const text = textOf(value)
  return text === undefined ? recordMembers(value as object, columns) : escapeXml(text)
}

/** Returns the items of a list and of the lists inside it, and a single value as one item. XML has no element for NULL. */
function itemsOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) && !isStoredJson(value) ? value.flatMap(itemsOf) : [value]
}

/** Returns the contents of the XML elements of a record's member: one for a value, one for each item of a list. */
export function toXmlContents(
  value: unknown,
  type: ParamType<unknown> | undefined,
  content: Content = (item) => valueContent(item),
): readonly string[] {
  const jsonContent: Content = (item) => escapeXml(JSON.stringify(item ?? null))
  if (type === undefined || !isJson(type.element ?? type)) return itemsOf(value).map(content)
  if (type.element !== undefined) return ((value ?? []) as readonly unknown[]).map(jsonContent)
  return (value ?? null) === null && isOptionalType(type) ? [] : [jsonContent(value)]
}

function recordMembers(record: object, columns?: ParamTypes): string {
  const members = Object.entries(textMembers(record) as Record<string, unknown>)
  return members
    .flatMap(([key, member]) =>
      toXmlContents(member, columns?.[key]).map((content) => element(toSnakeCase(key), content)),
    )
    .join('')
}

function document(root: string, inside: string): string {
  const name = elementName(root)
  return `<?xml version="1.0" encoding="utf-8"?><${name}>${inside}</${name}>`
}

/** Serializes one object as XML; its members are the children of the root. */
export const objectXml = (root: string, object: object): string =>
  document(root, recordMembers(object))

function jsonContent(entity: object, columns: ParamTypes | undefined): unknown {
  if (!(entity instanceof FoundRows)) return snakeCased(entity, columns)
  const members = entity.members(toSnakeCase, (value, field) =>
    toJsonMember(value, columns?.[field]),
  )
  return members ?? snakeCased(entity.rows, columns)
}

/**
 * Serializes a record or a list of records as JSON or XML. JSON keys are in snake case, NULL is `null`, dates are in ISO 8601,
 * bytes in base64; the keys of stored JSON are not converted. In XML, the members of a record are the children of the root,
 * stored JSON is a JSON text, and a list has one element per record.
 */
export function entityBody(
  format: EntityFormat,
  names: EntityNames,
  entity: object | readonly object[] | FoundRows,
): string {
  const { columns } = names.output ?? names.model
  if (format === 'json') return JSON.stringify(jsonContent(entity, columns))
  const records = entity instanceof FoundRows ? entity.rows : entity
  const content: Content = (record) => valueContent(record, columns)
  const elements = Array.isArray(records)
    ? toXmlContents(records, undefined, content).map((each) => element(names.resourceName, each))
    : [content(records)]
  return document(names.resourcesName, elements.join(''))
}
