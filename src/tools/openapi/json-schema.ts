/** Converts parameter types, form rules and described body shapes to JSON Schema. */
import type { BodyShape, DescribedModel, DescribedView } from '../../runtime/controller.ts'
import {
  isListType,
  readPermitted,
  type ParamSource,
  type ParamType,
  type ParamTypes,
} from '../../runtime/params.ts'
import {
  mergeSchemas,
  Rule,
  toJsonSchema,
  type JsonSchema,
  type KeyRules,
  type StandardSchema,
} from '../../runtime/validation.ts'

type AnyParamType = ParamType<unknown>

/** Returns whether a request may omit a field of this type. */
export const isOptional = (type: AnyParamType): boolean =>
  !Array.isArray(readPermitted(new Map(), { key: type }))

/** Returns whether `permit` sets the field even if the request omits it, as for a checkbox or a list. */
function isAlwaysPresent(type: AnyParamType): boolean {
  const result = readPermitted(new Map(), { key: type })
  return Array.isArray(result) || Object.hasOwn(result, 'key')
}

const nullSource: ParamSource = { get: () => undefined, keys: () => ['key'], json: () => null }

/** Returns whether `null` in a JSON request clears the field. */
function isClearable(type: AnyParamType): boolean {
  const result = readPermitted(nullSource, { key: type })
  return !Array.isArray(result) && result.key === undefined
}

function addNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values, const: constant, allOf } = schema
  if (Object.keys(schema).every((key) => key === 'title')) return schema
  if ([type].flat().includes('null')) return schema
  if (typeof type !== 'string' || constant !== undefined || allOf !== undefined)
    return { anyOf: [schema, { type: 'null' }] }
  const choices = values === undefined ? {} : { enum: [...values, null] }
  return { ...schema, type: [type, 'null'], ...choices }
}

/** Returns the schema of a JSON column. A schema with `$ref` becomes `{}`: its references would not resolve in the document. */
function jsonColumnSchema({ schema }: AnyParamType, side: 'input' | 'output'): JsonSchema {
  const own = (schema && toJsonSchema(schema.standard, side)) ?? {}
  return JSON.stringify(own).includes('"$ref":') ? {} : own
}

/** Returns the schema of a parameter that is not null. A type of the application becomes a string with the type's description. */
export function requestSchema(type: AnyParamType): JsonSchema {
  const { name, expected, definition, element } = type
  if (element !== undefined)
    return isListType(type)
      ? { type: 'array', items: requestSchema(element) }
      : { type: 'string', description: expected }
  if (definition?.isJson === true) return jsonColumnSchema(type, 'input')
  return definition?.jsonSchema ?? { type: 'string', title: name, description: expected }
}

/** Returns the JSON Schema of a member of a response. A type that the application defines may be any JSON value. */
export function responseSchema(type: AnyParamType): JsonSchema {
  const { name, definition, element } = type
  if (element !== undefined) return { type: 'array', items: responseSchema(element) }
  if (definition?.isJson === true) return jsonColumnSchema(type, 'output')
  return definition?.responseSchema ?? definition?.jsonSchema ?? { title: name }
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp
  } catch {
    return false
  }
}

/** Returns an enum with only the values that its other keywords allow, without these keywords: some generators reject them. */
function reduceEnum(schema: JsonSchema): JsonSchema {
  const { enum: values, minLength = 0, maxLength = Infinity, pattern, ...rest } = schema
  if (values === undefined) return schema
  // An application may describe a rule by a pattern that is not valid here.
  if (pattern !== undefined && !isPattern(pattern)) return schema
  const expression = new RegExp(pattern ?? '', 'u')
  const isAllowed = (value: unknown): boolean => {
    if (typeof value !== 'string') return true
    const { length } = [...value]
    return length >= minLength && length <= maxLength && expression.test(value)
  }
  return { ...rest, enum: values.filter(isAllowed) }
}

const isList = (shape: BodyShape): shape is readonly [BodyShape] => Array.isArray(shape)
const isStandard = (shape: BodyShape): shape is StandardSchema => '~standard' in shape
/** A member that only parameter types have, so it identifies them. */
const paramTypeMember = 'permit' satisfies keyof AnyParamType
export const isParamType = (value: unknown): value is AnyParamType =>
  typeof value === 'object' && value !== null && paramTypeMember in value
export const areParamTypes = (shape: object): shape is ParamTypes =>
  Object.keys(shape).length > 0 && Object.values(shape).every(isParamType)
const isModel = (shape: object): shape is DescribedModel =>
  'columns' in shape && 'idType' in shape && areParamTypes(shape.columns as object)

const isView = (shape: object): shape is DescribedView => 'columns' in shape && 'related' in shape

const objectSchema = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
): JsonSchema => ({ type: 'object', properties, ...(required.length > 0 ? { required } : {}) })

/** Returns the schema of a row in JSON. Columns that may be NULL are optional members. */
const rowSchema = (columns: ParamTypes): JsonSchema =>
  objectSchema(
    Object.fromEntries(Object.entries(columns).map(([key, type]) => [key, responseSchema(type)])),
    Object.keys(columns).filter((key) => isAlwaysPresent(columns[key]!)),
  )

export const visibleColumns = ({
  columns,
  hiddenFields,
}: Pick<DescribedModel, 'columns' | 'hiddenFields'>): ParamTypes =>
  Object.fromEntries(Object.entries(columns).filter(([key]) => hiddenFields?.has(key) !== true))

/** Returns the schema of a view's JSON. Every member is required; a member may be `null` if its column may be NULL. */
export function viewSchema({ columns, related }: DescribedView): JsonSchema {
  const fields = Object.entries(columns).map(([key, type]) => {
    const schema = responseSchema(type)
    return [key, isAlwaysPresent(type) ? schema : addNull(schema)] as const
  })
  const relations = Object.entries(related).map(([name, { view, isList: isMany }]) => {
    const schema = viewSchema(view)
    const value: JsonSchema = isMany ? { type: 'array', items: schema } : addNull(schema)
    return [name, value] as const
  })
  const properties = Object.fromEntries([...fields, ...relations])
  return objectSchema(properties, Object.keys(properties))
}

/** Returns the keywords of a rule's schema that apply to the type: a maximum length does not apply to a number. */
function applicableRule(rule: JsonSchema, type: JsonSchema): JsonSchema {
  const types = [type.type].flat()
  const isNumber = types.includes('integer') || types.includes('number')
  const isText = types.includes('string') && type.format === undefined
  const isPlainText = isText && type.pattern === undefined
  const { minLength, maxLength, pattern, format, minimum, maximum, allOf, ...rest } = rule
  const applicable = {
    ...rest,
    ...(isPlainText ? { minLength, maxLength, format } : {}),
    ...(isText ? { pattern, allOf } : {}),
    ...(isNumber ? { minimum, maximum } : {}),
  }
  return Object.fromEntries(Object.entries(applicable).filter(([, value]) => value !== undefined))
}

interface RequestFields {
  readonly types: ParamTypes
  readonly rules: readonly KeyRules[]
  /** True for `PATCH`, whose request may omit every field. */
  readonly partial?: boolean
}

/** Returns the schema of the object that a client sends. A field without a type is a string. */
export function requestFieldsSchema({ types, rules, partial = false }: RequestFields): JsonSchema {
  const unconditional = rules.filter(({ fixedValue }) => fixedValue === undefined)
  const keys = [...new Set([...Object.keys(types), ...unconditional.map(({ key }) => key)])]
  const required: string[] = []
  const properties: Record<string, JsonSchema> = {}
  for (const key of keys) {
    const type = Object.hasOwn(types, key) ? types[key] : undefined
    const keyRules = unconditional.filter((rule) => rule.key === key)
    const base: JsonSchema = type === undefined ? { type: 'string' } : requestSchema(type)
    const schema = keyRules.reduce(
      (all, rule) => mergeSchemas(all, applicableRule(rule.jsonSchema, base)),
      base,
    )
    const isRequired = keyRules.some((rule) => rejects(rule))
    const isNullable = !isRequired && type !== undefined && isClearable(type)
    properties[key] = isNullable ? addNull(reduceEnum(schema)) : reduceEnum(schema)
    if (isRequired || (type !== undefined && !isOptional(type))) required.push(key)
  }
  return objectSchema(properties, partial ? [] : required)
}

/** Returns whether the rules refuse a field that is absent or null. */
function rejects(rules: KeyRules): boolean {
  try {
    return rules.evaluate(undefined).length > 0
  } catch {
    // Ignore the error: a rule of the application may throw for a value that is not a string.
    return false
  }
}

export function requestShapeSchema(shape: BodyShape): JsonSchema {
  if (isList(shape)) return { type: 'array', items: requestShapeSchema(shape[0]) }
  if (shape instanceof Rule) return shape.jsonSchema
  if (isStandard(shape)) return toJsonSchema(shape) ?? {}
  if (isModel(shape)) return rowSchema(visibleColumns(shape))
  if (isView(shape)) return viewSchema(shape)
  return areParamTypes(shape) ? requestFieldsSchema({ types: shape, rules: [] }) : shape
}

/** Returns the schema of a described response body. `addRow` may replace the schema of a model's row by a reference. */
export function responseShapeSchema(
  shape: BodyShape,
  addRow: (model: DescribedModel, schema: JsonSchema) => JsonSchema,
): JsonSchema {
  if (isList(shape)) return { type: 'array', items: responseShapeSchema(shape[0], addRow) }
  if (isStandard(shape)) return toJsonSchema(shape) ?? {}
  if (isModel(shape)) return addRow(shape, rowSchema(visibleColumns(shape)))
  if (isView(shape)) return viewSchema(shape)
  return areParamTypes(shape) ? rowSchema(shape) : shape
}
