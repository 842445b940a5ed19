/** Serializes records and error maps as JSON and XML. */
import { elementName, escapeXml, isStoredJson } from '../http.ts'
import { textMembers } from '../model.ts'
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
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null || isStoredJson(value)) return value
  if (Array.isArray(value)) return value.map((item) => snakeCased(item, columns))
  if (value instanceof Uint8Array) return base64(value)
  const members = textMembers(value)
  return hasToJson(members) ? members : snakeCasedMembers(members, columns)
}

function snakeCasedMembers(value: object, columns: ParamTypes | undefined): object {
  const cased: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key]
    // `JSON.stringify` omits `undefined`, so convert it to `null`: a client could not tell NULL from a missing field.
    const type = columns?.[key]
    const content = (type && isJson(type.element ?? type) ? member : snakeCased(member)) ?? null
    const name = toSnakeCase(key)
    if (name !== '__proto__') cased[name] = content
    else Object.defineProperty(cased, name, { value: content, enumerable: true })
  }
  return cased
}

const hasToJson = (value: object): boolean =>
  typeof (value as { toJSON?: unknown }).toJSON === 'function'

/** Converts a value to the content of an XML element. */
type Content = (value: unknown) => string

/** Writes one XML element for a value, and one for each item of a list. */
function elements(key: string, value: unknown, content: Content): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value) && !isStoredJson(value))
    return value.map((item) => elements(key, item, content)).join('')
  return element(key, content(value))
}

function element(key: string, content: string): string {
  const name = elementName(key)
  return `<${name}>${content}</${name}>`
}

/** JSON is one text, because XML has neither its types nor all its keys. */
const jsonContent: Content = (value) => escapeXml(JSON.stringify(value ?? null))

function valueContent(value: unknown, columns?: ParamTypes): string {
  if (typeof value !== 'object' || value === null) return escapeXml(String(value))
  if (value instanceof Uint8Array) return base64(value)
  if (isStoredJson(value)) return jsonContent(value)
  const members = textMembers(value)
  return hasToJson(members) ? escapeXml(String(members)) : recordMembers(members, columns)
}

const relatedContent: Content = (value) => valueContent(value)

const recordMembers = (value: object, columns?: ParamTypes): string =>
  Object.entries(value as Record<string, unknown>)
    .map(([key, member]) => {
      const name = toSnakeCase(key)
      const type = columns?.[key]
      if (type !== undefined && isJson(type)) {
        const isNull = (member ?? null) === null && isOptionalType(type)
        return isNull ? '' : element(name, jsonContent(member))
      }
      if (type?.element !== undefined && isJson(type.element) && Array.isArray(member))
        return member.map((item) => element(name, jsonContent(item))).join('')
      return elements(name, member, relatedContent)
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
 * bytes in base64; the keys of stored JSON are not converted. In XML, the members of a record are the children of the root,
 * stored JSON is a JSON text, and a list has one element per record.
 */
export function entityBody(
  format: EntityFormat,
  names: EntityNames,
  entity: object | readonly object[],
): string {
  const { columns } = names.output ?? names.model
  if (format === 'json') return JSON.stringify(snakeCased(entity, columns))
  const content: Content = (record) => valueContent(record, columns)
  return document(
    names.resourcesName,
    Array.isArray(entity) ? elements(names.resourceName, entity, content) : content(entity),
  )
}
