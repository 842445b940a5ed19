/** ParamTypes as JSON Schema: what clients send, and what is answered. */
import { readPermitted, takesList, type ParamType } from '../params.ts'
import type { JsonSchema } from '../validation.ts'

type AnyType = ParamType<unknown>

const integer = (minimum: number, maximum: number): JsonSchema => ({
  type: 'integer',
  minimum,
  maximum,
})
const clock = '\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?'

/** By the name of the type; both ways alike. */
const schemas: ReadonlyMap<string, JsonSchema> = new Map<string, JsonSchema>([
  ['String', { type: 'string' }],
  ['NullableString', { type: 'string' }],
  ['Boolean', { type: 'boolean' }],
  ['Byte', integer(-128, 127)],
  ['Short', integer(-32768, 32767)],
  ['Int', { type: 'integer', format: 'int32', minimum: -2147483648, maximum: 2147483647 }],
  [
    'Long',
    {
      type: 'integer',
      format: 'int64',
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
    },
  ],
  ['Float', { type: 'number', format: 'float' }],
  ['Double', { type: 'number', format: 'double' }],
  ['BigInt', { type: 'string', pattern: '^[+-]?\\d{1,1000}$' }],
  ['BigDecimal', { type: 'string', pattern: '^[+-]?\\d+(\\.\\d+)?$' }],
  ['ByteArray', { type: 'string' }],
  ['Base64', { type: 'string', contentEncoding: 'base64' }],
  ['Uuid', { type: 'string', format: 'uuid' }],
  ['LocalDate', { type: 'string', format: 'date' }],
  ['LocalTime', { type: 'string', format: 'time-local', pattern: `^${clock}$` }],
  [
    'LocalDateTime',
    { type: 'string', format: 'date-time-local', pattern: `^\\d{4}-\\d{2}-\\d{2}T${clock}$` },
  ],
  ['DateTime', { type: 'string', format: 'date-time' }],
])

/** Whether a key of this type may be absent. */
export const isOptional = (type: AnyType): boolean =>
  !Array.isArray(readPermitted(new Map(), { key: type }))

/** Whether a row has the key in any case: a column that may be NULL is left out, a checkbox and a list are there. */
export function isAlwaysThere(type: AnyType): boolean {
  const read = readPermitted(new Map(), { key: type })
  return Array.isArray(read) || Object.hasOwn(read, 'key')
}

/** Whether an empty text clears the field: `null` in JSON. */
function isClearable(type: AnyType): boolean {
  const read = readPermitted(new Map([['key', ['']]]), { key: type })
  return !Array.isArray(read) && Object.hasOwn(read, 'key') && read.key === undefined
}

const orNull = (schema: JsonSchema): JsonSchema =>
  typeof schema.type === 'string' ? { ...schema, type: [schema.type, 'null'] } : schema

/** The schema of one value, and what it is when the type is nothing of Fw's own. */
function plain(name: string, otherwise: JsonSchema): JsonSchema {
  if (!name.endsWith('[]')) return schemas.get(name) ?? otherwise
  return { type: 'array', items: plain(name.slice(0, -2), otherwise) }
}

/** What a client sends. A type of an application's own is a text, and says what it expects. */
export function sentSchema(type: AnyType): JsonSchema {
  const { name, expected } = type
  if (name.endsWith('[]') && !takesList(type)) return { type: 'string', description: expected }
  if (name === 'Json') return { type: 'string', contentMediaType: 'application/json' }
  const schema = plain(name, { type: 'string', title: name, description: expected })
  return isClearable(type) ? orNull(schema) : schema
}

/** JSON has no bytes, and no number that is none. */
const answered: ReadonlyMap<string, JsonSchema> = new Map<string, JsonSchema>([
  ['Float', { type: ['number', 'null'], format: 'float' }],
  ['Double', { type: ['number', 'null'], format: 'double' }],
  ['ByteArray', {}],
  ['Json', {}],
])

/** What JSON holds of a value. A type of an application's own may be anything. */
export const answeredSchema = ({ name }: AnyType): JsonSchema =>
  answered.get(name) ?? plain(name, { title: name })

/** Of a field that may be cleared: what it may be one of says nothing of that. */
export const enumOrNull = (schema: JsonSchema): JsonSchema =>
  schema.enum !== undefined && [schema.type].flat().includes('null')
    ? { ...schema, enum: [...new Set([...schema.enum, null])] }
    : schema

/** Of a field that is never cleared: in a query, a header, or by a rule. */
export const withoutNull = (schema: JsonSchema): JsonSchema =>
  Array.isArray(schema.type)
    ? { ...schema, type: schema.type.filter((type) => type !== 'null')[0] }
    : schema
