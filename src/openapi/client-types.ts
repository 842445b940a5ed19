/** JSON Schema as TypeScript. */
import type { JsonSchema, JsonType } from '../validation.ts'
import { referredName } from './schema-set.ts'

/** Types that the client's own code declares or writes: a schema of such a name would stand in the place of the platform's. */
const taken: ReadonlySet<string> = new Set([
  'Answer',
  'ClientOptions',
  'Client',
  'HttpStatus',
  'Answered',
  'Asked',
  'Failure',
  'MaybePromise',
  'Operation',
  'Page',
  'Parts',
  'Success',
  'createClient',
  'AbortSignal',
  'BodyInit',
  'Exclude',
  'FormData',
  'Headers',
  'Promise',
  'Readonly',
  'Record',
  'RequestCredentials',
  'RequestInit',
  'Response',
  'ReturnType',
  'URLSearchParams',
])

/** The name of a schema's type. */
export const typeName = (name: string): string => (taken.has(name) ? `${name}Schema` : name)

const identifier = /^[A-Za-z_$][\w$]*$/

/** A key of an object, quoted where it has to be. */
export const keyText = (key: string): string => (identifier.test(key) ? key : JSON.stringify(key))

const names: Readonly<Record<JsonType, string>> = {
  array: 'readonly unknown[]',
  boolean: 'boolean',
  integer: 'number',
  null: 'null',
  number: 'number',
  object: 'Readonly<Record<string, unknown>>',
  string: 'string',
}

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ') || 'never'
const inList = (type: string): string => (/[|&]/.test(type) ? `(${type})` : type)

function members({ properties = {}, required = [] }: JsonSchema, indent: string): string {
  const lines = Object.entries(properties).map(([key, schema]) => {
    const isRequired = required.includes(key)
    const type = typeText(schema, `${indent}  `)
    const optional = isRequired ? `: ${type}` : `?: ${type} | undefined`
    return `${docText(schema.description, `${indent}  `)}${indent}  ${keyText(key)}${optional}\n`
  })
  return `{\n${lines.join('')}${indent}}`
}

function objectText(schema: JsonSchema, indent: string): string {
  const { properties, additionalProperties } = schema
  if (properties !== undefined && Object.keys(properties).length > 0) return members(schema, indent)
  if (typeof additionalProperties === 'object')
    return `Readonly<Record<string, ${typeText(additionalProperties, indent)} | undefined>>`
  return names.object
}

function ofType(type: JsonType, schema: JsonSchema, indent: string): string {
  if (type === 'object') return objectText(schema, indent)
  if (type !== 'array') return names[type]
  const { items, prefixItems } = schema
  if (prefixItems !== undefined)
    return `readonly [${prefixItems.map((item) => typeText(item, indent)).join(', ')}]`
  return items === undefined ? names.array : `readonly ${inList(typeText(items, indent))}[]`
}

/** The type of what fits a schema; what has no words in TypeScript is left out. */
export function typeText(schema: JsonSchema, indent = ''): string {
  const { $ref, type, enum: values, anyOf, oneOf, allOf } = schema
  if ($ref !== undefined) return typeName(referredName($ref))
  if (Object.hasOwn(schema, 'const')) return JSON.stringify(schema.const)
  if (values !== undefined) return union(values.map((value) => JSON.stringify(value)))
  const choices = anyOf ?? oneOf
  if (choices !== undefined) return union(choices.map((one) => typeText(one, indent)))
  if (type !== undefined) return union([type].flat().map((one) => ofType(one, schema, indent)))
  if (schema.properties !== undefined) return objectText(schema, indent)
  const all = (allOf ?? []).map((one) => typeText(one, indent)).filter((one) => one !== 'unknown')
  return all.length > 0 ? all.map(inList).join(' & ') : 'unknown'
}

/** A docstring of one line for each line; empty for no text. */
export function docText(text: string | undefined, indent = ''): string {
  if (text === undefined || text.trim() === '') return ''
  const lines = text.trim().replaceAll('*/', '*\\/').split('\n')
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
}

/** What is told of a schema before its members. */
const typeWords: readonly string[] = ['$ref', 'const', 'enum', 'anyOf', 'oneOf', 'allOf']

/** The declaration of a named schema. */
export function declarationText(name: string, schema: JsonSchema): string {
  const text = typeText(schema)
  const { type = 'object', properties = {} } = schema
  const head = `${docText(schema.description)}export `
  const isPlain = type === 'object' && Object.keys(properties).length > 0
  return isPlain && !typeWords.some((word) => Object.hasOwn(schema, word))
    ? `${head}interface ${typeName(name)} ${text}\n`
    : `${head}type ${typeName(name)} = ${text}\n`
}
