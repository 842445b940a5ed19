/** Serializes records and error maps as JSON and XML. */
import { elementName, escapeXml } from '../http.ts'
import { isStoredJson, textMembers } from '../model.ts'
import { type ParamTypes, toSnakeCase } from '../params.ts'

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

/** Whether the member is stored JSON. Its keys are the application's data, so they are not converted to snake case. */
function isStored(member: object, key: string, columns?: ParamTypes): boolean {
  const type = columns?.[key]
  return (type?.definition ?? type?.element?.definition)?.isJson === true || isStoredJson(member)
}

function snakeCased(value: unknown, columns?: ParamTypes): unknown {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => snakeCased(item, columns))
  if (value instanceof Uint8Array) return base64(value)
  const members = textMembers(value)
  return hasToJson(members) ? members : snakeCasedMembers(members, columns)
}

function snakeCasedMembers(value: object, columns: ParamTypes | undefined): object {
  const cased: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key]
    const isObject = typeof member === 'object' && member !== null
    // `JSON.stringify` omits `undefined`, so convert it to `null`: a client could not tell NULL from a missing field.
    const content =
      isObject && isStored(member, key, columns) ? member : (snakeCased(member) ?? null)
    const name = toSnakeCase(key)
    if (name !== '__proto__') cased[name] = content
    else Object.defineProperty(cased, name, { value: content, enumerable: true })
  }
  return cased
}

const hasToJson = (value: object): boolean =>
  typeof (value as { toJSON?: unknown }).toJSON === 'function'

/** Writes one XML element. `elementName` makes any key a valid name, because clients may choose the keys of stored JSON. */
function element(key: string, value: unknown, inside: (value: object) => string): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map((item) => element(key, item, inside)).join('')
  const name = elementName(key)
  return `<${name}>${content(value, inside)}</${name}>`
}

function content(value: unknown, inside: (value: object) => string): string {
  if (typeof value !== 'object' || value === null) return escapeXml(String(value))
  if (value instanceof Uint8Array) return base64(value)
  const members = textMembers(value)
  return hasToJson(members) ? escapeXml(String(members)) : inside(members)
}

const storedMembers = (value: object): string =>
  Object.entries(value)
    .map(([key, member]) => element(key, member, storedMembers))
    .join('')

const recordMembers = (value: object, columns?: ParamTypes): string =>
  Object.entries(value as Record<string, unknown>)
    .map(([key, member]) => {
      const isObject = typeof member === 'object' && member !== null
      const inside = isObject && isStored(member, key, columns) ? storedMembers : recordMembers
      return element(toSnakeCase(key), member, inside)
    })
    .join('')

function document(root: string, inside: string): string {
  const name = elementName(root)
  return `<?xml version="1.0" encoding="utf-8"?><${name}>${inside}</${name}>`
}

/** Serializes one object as XML; its members are the children of the root. */
export const objectXml = (root: string, object: object): string =>
  document(root, recordMembers(object))

/**
 * Serializes a record or a list of records as JSON or XML. JSON keys are in snake case, NULL is `null`, dates are in ISO 8601,
 * bytes in base64; the keys of stored JSON are not converted. In XML, the members of a record are the children of the root, and
 * a list has one element per record.
 */
export function entityBody(
  format: EntityFormat,
  names: EntityNames,
  entity: object | readonly object[],
): string {
  const { columns } = names.output ?? names.model
  if (format === 'json') return JSON.stringify(snakeCased(entity, columns))
  const inside = (record: object): string => recordMembers(record, columns)
  return document(
    names.resourcesName,
    Array.isArray(entity) ? element(names.resourceName, entity, inside) : content(entity, inside),
  )
}
