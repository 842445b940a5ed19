/** The shapes of descriptions as JSON Schema. */
import type { BodyShape, DescribedModel } from '../controller.ts'
import type { ParamType, ParamTypes } from '../params.ts'
import {
  bothSchemas,
  jsonSchemaOf,
  Rule,
  type JsonSchema,
  type KeyRules,
  type StandardSchema,
} from '../validation.ts'
import {
  answeredSchema,
  enumOrNull,
  isAlwaysThere,
  isOptional,
  sentSchema,
  withoutNull,
} from './param-schema.ts'

const isList = (shape: BodyShape): shape is readonly [BodyShape] => Array.isArray(shape)
const isStandard = (shape: BodyShape): shape is StandardSchema => '~standard' in shape
/** Told from JSON Schema by what only a type has. */
export const isParamType = (value: unknown): value is ParamType<unknown> =>
  typeof value === 'object' && value !== null && 'admit' in value
/** Whether every member is a type. */
export const areParamTypes = (shape: object): shape is ParamTypes =>
  Object.keys(shape).length > 0 && Object.values(shape).every(isParamType)
const isModel = (shape: object): shape is DescribedModel =>
  'columns' in shape && 'idType' in shape && areParamTypes(shape.columns as object)

function objectSchema(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
): JsonSchema {
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) }
}

const mapped = (types: ParamTypes, schemaOf: (type: ParamType<unknown>) => JsonSchema) =>
  Object.fromEntries(Object.entries(types).map(([key, type]) => [key, schemaOf(type)]))

/** A row as JSON holds it: a NULL is left out, or what `permit` may leave out. */
export const rowSchema = (columns: ParamTypes): JsonSchema =>
  objectSchema(
    mapped(columns, answeredSchema),
    Object.keys(columns).filter((key) => isAlwaysThere(columns[key]!)),
  )

/** What of a rule's schema adds to the schema of a type: that of a number says nothing of the length of its text. */
function fitting(rule: JsonSchema, type: JsonSchema): JsonSchema {
  const types = [type.type].flat()
  const isText = types.includes('string')
  const isNumber = types.includes('integer') || types.includes('number')
  const isTold = type.format !== undefined || type.pattern !== undefined
  const { minLength, maxLength, pattern, format, minimum, maximum, allOf, ...rest } = rule
  const text = { minLength, maxLength, pattern, format, allOf }
  const all = {
    ...rest,
    ...(isText && !isTold ? text : {}),
    ...(isNumber ? { minimum, maximum } : {}),
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

/** Fields as clients send them: types and rules together. */
export interface SentFields {
  readonly types: ParamTypes
  readonly rules: readonly KeyRules[]
  /** True where only what was sent is judged. */
  readonly partial?: boolean
}

const anyText: JsonSchema = { type: 'string' }

/** The object that a form's fields make. */
export function sentFieldsSchema({ types, rules, partial = false }: SentFields): JsonSchema {
  const judged = rules.filter(({ given }) => given === undefined)
  const keys = [...new Set([...Object.keys(types), ...judged.map(({ key }) => key)])]
  const required: string[] = []
  const properties: Record<string, JsonSchema> = {}
  for (const key of keys) {
    const type = Object.hasOwn(types, key) ? types[key] : undefined
    const own = judged.filter((one) => one.key === key)
    const base = type === undefined ? anyText : sentSchema(type)
    const schema = own.reduce((all, one) => bothSchemas(all, fitting(one.jsonSchema, base)), base)
    properties[key] = own.some((one) => fails(one, '')) ? withoutNull(schema) : enumOrNull(schema)
    if (own.some((one) => fails(one, undefined)) || (type !== undefined && !isOptional(type)))
      required.push(key)
  }
  return objectSchema(properties, partial ? [] : required)
}

const fails = (rules: KeyRules, value: string | undefined): boolean => {
  try {
    return rules.errorsOf(value).length > 0
  } catch {
    // A rule of the application's own that asks more of a value than a text can give.
    return false
  }
}

/** What a shape is when it is sent. */
export function sentShapeSchema(shape: BodyShape): JsonSchema {
  if (isList(shape)) return { type: 'array', items: sentShapeSchema(shape[0]) }
  if (shape instanceof Rule) return shape.jsonSchema
  if (isStandard(shape)) return jsonSchemaOf(shape) ?? {}
  if (isModel(shape)) return rowSchema(shape.columns)
  return areParamTypes(shape) ? sentFieldsSchema({ types: shape, rules: [] }) : shape
}

/** What a shape is when it is answered; `nameOf` may put a row under a name. */
export function answeredShapeSchema(
  shape: BodyShape,
  named: (model: DescribedModel, schema: JsonSchema) => JsonSchema,
): JsonSchema {
  if (isList(shape)) return { type: 'array', items: answeredShapeSchema(shape[0], named) }
  if (isStandard(shape)) return jsonSchemaOf(shape) ?? {}
  if (isModel(shape)) return named(shape, rowSchema(shape.columns))
  return areParamTypes(shape) ? rowSchema(shape) : shape
}
