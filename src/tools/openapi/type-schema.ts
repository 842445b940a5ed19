/** Converts TypeScript types to JSON Schemas: those of their values after `stringifyJson`. */
import type { TypeFlags } from 'typescript/unstable/sync'
import { typeDefinitions } from '../../runtime/params.ts'
import type { JsonSchema, JsonType } from '../../runtime/validation.ts'
import { schemaName, type SchemaSet } from './schema-set.ts'
import type { SymbolOf, TypeOf, TypeProject } from './type-project.ts'

const text: JsonSchema = { type: 'string' }
const anything: JsonSchema = {}

/** The formats of classes whose `toJSON` returns a text, by class name. */
const textFormats: ReadonlyMap<string, string> = new Map([
  ['Date', 'date-time'],
  ...typeDefinitions.flatMap(({ className, jsonSchema }) =>
    className === undefined || jsonSchema?.format === undefined
      ? []
      : [[className, jsonSchema.format] as const],
  ),
])

/** The maximum depth of nested types. Without this limit, a recursive generic type would expand without end. */
const maxDepth = 16

/** A type whose schema is not complete yet, with the reference that it has inside itself. */
interface OpenType {
  ref?: JsonSchema
}

export class TypeSchemas {
  readonly #project: TypeProject
  readonly #schemas: SchemaSet
  readonly #open = new Map<number, OpenType>()
  readonly #refs = new Map<number, JsonSchema>()
  #depth = 0

  constructor(project: TypeProject, schemas: SchemaSet) {
    this.#project = project
    this.#schemas = schemas
  }

  /** Returns the schema of a type; `undefined` if JSON omits the type's values. */
  convert(type: TypeOf): JsonSchema | undefined {
    return this.convertUnion(
      type.isUnionType() && !this.is(type, 'Boolean') ? type.getTypes() : [type],
    )
  }

  /** Returns one schema for the union of several types; `undefined` if JSON omits the values of all of them. */
  convertUnion(types: readonly TypeOf[]): JsonSchema | undefined {
    const schemas = types.flatMap((type) => this.#convertOne(type) ?? [])
    if (schemas.length === 0) return undefined
    if (schemas.some((schema) => Object.keys(schema).length === 0)) return anything
    const literals = schemas.filter((schema) => Object.hasOwn(schema, 'const'))
    const others = schemas.filter((schema) => !Object.hasOwn(schema, 'const'))
    return joinSchemas([...joinLiterals(literals.map((schema) => schema.const)), ...others])
  }

  /** Returns whether the type has at least one of the flags. */
  is(type: TypeOf, ...flags: readonly (keyof typeof TypeFlags)[]): boolean {
    return flags.some((flag) => (type.flags & this.#project.compiler.TypeFlags[flag]) !== 0)
  }

  /** Returns the type that a promise resolves to; any other type unchanged. */
  unwrapPromise(type: TypeOf): TypeOf {
    const isPromise = type.isObjectType() && type.getSymbol()?.name === 'Promise'
    return isPromise && type.isTypeReference()
      ? (this.#project.checker.getTypeArguments(type)[0] ?? type)
      : type
  }

  #convertOne(type: TypeOf): JsonSchema | undefined {
    if (this.is(type, 'Any', 'Unknown')) return anything
    if (this.is(type, 'Undefined', 'Void', 'ESSymbol', 'UniqueESSymbol', 'Never')) return undefined
    if (this.is(type, 'Null')) return { type: 'null' }
    if (this.is(type, 'Boolean')) return { type: 'boolean' }
    if (this.is(type, 'BigIntLike')) return text
    if (type.isLiteralType()) return { const: type.value }
    if (this.is(type, 'StringLike')) return text
    if (this.is(type, 'NumberLike')) return { type: 'number' }
    if (type.isUnionType()) return this.convert(type)
    if (type.isIntersectionType()) {
      const primitive = type.getTypes().find((part) => this.is(part, 'Primitive'))
      return primitive === undefined ? this.#convertObject(type) : this.#convertOne(primitive)
    }
    if (this.is(type, 'Object')) return this.#convertObject(type)
    const constraint = this.#project.checker.getBaseConstraintOfType(type)
    return constraint === undefined || constraint === type ? anything : this.convert(constraint)
  }

  #convertObject(type: TypeOf): JsonSchema | undefined {
    const { checker } = this.#project
    const known = this.#refs.get(type.id)
    if (known !== undefined) return known
    const toJson = checker.getPropertyOfType(type, 'toJSON')
    if (toJson !== undefined) return this.#convertToJson(type, toJson)
    if (this.#project.returnType(type) !== undefined) return undefined
    return this.#convertCollection(type) ?? this.#convertNamed(type)
  }

  #convertToJson(type: TypeOf, toJson: SymbolOf): JsonSchema | undefined {
    const json = this.#project.returnType(this.#project.checker.getTypeOfSymbol(toJson))
    const format = textFormats.get(type.getSymbol()?.name ?? '')
    if (json === undefined) return anything
    const schema = this.convert(json)
    return format !== undefined && schema?.type === 'string' ? { ...text, format } : schema
  }

  #convertCollection(type: TypeOf): JsonSchema | undefined {
    const { checker } = this.#project
    if (!type.isTypeReference()) return undefined
    const [first, second] = checker.getTypeArguments(type)
    const list = (item: TypeOf | undefined): JsonSchema => {
      const items = item && this.#nested(item)
      return { type: 'array', ...(items === undefined ? {} : { items }) }
    }
    if (checker.isArrayType(type)) return list(first)
    if (checker.isTupleType(type)) {
      const types = checker.getTypeArguments(type)
      const prefixItems = types.map((item) => this.#nested(item) ?? { type: 'null' as const })
      return { type: 'array', prefixItems, minItems: types.length, maxItems: types.length }
    }
    const name = type.getSymbol()?.name ?? ''
    if (/^(Readonly)?Set$/.test(name)) return list(first)
    if (!/^(Readonly)?Map$/.test(name)) return undefined
    return { type: 'object', additionalProperties: (second && this.#nested(second)) ?? true }
  }

  #nested(type: TypeOf): JsonSchema | undefined {
    if (this.#depth >= maxDepth) return anything
    this.#depth += 1
    try {
      return this.convert(type)
    } finally {
      this.#depth -= 1
    }
  }

  /**
   * Converts an object type. The schema of an interface, class or alias without type parameters becomes a named schema of the
   * document. A type without a name, such as a generic type, becomes `{}` inside itself, because `$ref` needs a name.
   */
  #convertNamed(type: TypeOf): JsonSchema {
    const name = this.#nameOf(type)
    const open = this.#open.get(type.id)
    if (open !== undefined) {
      if (name === '') return anything
      open.ref ??= this.#schemas.reserve(name)
      return open.ref
    }
    const entry: OpenType = {}
    this.#open.set(type.id, entry)
    const schema = this.#convertMembers(type)
    this.#open.delete(type.id)
    if (name === '') return schema
    const ref = entry.ref ?? this.#schemas.add(name, schema)
    if (entry.ref !== undefined) this.#schemas.set(entry.ref, schema)
    this.#refs.set(type.id, ref)
    return ref
  }

  #nameOf(type: TypeOf): string {
    const alias = type.getAliasSymbol()
    if (alias !== undefined)
      return type.getAliasTypeArguments().length > 0 ? '' : schemaName(alias.name)
    const isGeneric =
      type.isTypeReference() && this.#project.checker.getTypeArguments(type).length > 0
    const isNamed = type.isObjectType() && type.getSymbol() !== undefined && !isGeneric
    const name = isNamed ? type.getSymbol()!.name : ''
    return /^\w+$/.test(name) && !name.startsWith('__') ? schemaName(name) : ''
  }

  #convertMembers(type: TypeOf): JsonSchema {
    const { checker } = this.#project
    const properties: Record<string, JsonSchema> = {}
    const required: string[] = []
    const isClass = this.#isClass(type)
    for (const symbol of checker.getPropertiesOfType(type)) {
      if (!this.#isWritten(symbol, isClass)) continue
      const value = checker.getTypeOfSymbol(symbol)
      const schema = value && this.#nested(value)
      if (value === undefined || schema === undefined) continue
      const description = checker.getDocumentationCommentOfSymbol(symbol)
      properties[symbol.name] =
        description === '' || '$ref' in schema ? schema : { ...schema, description }
      if (!this.#isOptional(symbol, value)) required.push(symbol.name)
    }
    const [index] = checker.getIndexInfosOfType(type)
    const values = index && this.#nested(index.valueType)
    return {
      type: 'object',
      ...(Object.keys(properties).length > 0 ? { properties } : {}),
      ...(required.length > 0 ? { required } : {}),
      ...(values === undefined ? {} : { additionalProperties: values }),
    }
  }

  #isClass(type: TypeOf): boolean {
    const { SymbolFlags } = this.#project.compiler
    return ((type.getSymbol()?.flags ?? 0) & SymbolFlags.Class) !== 0
  }

  /** Returns whether JSON contains the member. It omits symbols, private names, methods, and the accessors of a class. */
  #isWritten({ name, flags }: SymbolOf, isOfClass: boolean): boolean {
    const { SymbolFlags } = this.#project.compiler
    const omitted = isOfClass ? SymbolFlags.Accessor | SymbolFlags.Method : SymbolFlags.Method
    return !/^(__|#)/.test(name) && (flags & omitted) === 0
  }

  #isOptional({ flags }: SymbolOf, value: TypeOf): boolean {
    const { SymbolFlags } = this.#project.compiler
    const types = value.isUnionType() ? value.getTypes() : [value]
    return (
      (flags & SymbolFlags.Optional) !== 0 ||
      types.some((type) => this.is(type, 'Undefined', 'Void'))
    )
  }
}

/** Joins literal values to one `enum`. `true` and `false` together become the type `boolean`. */
function joinLiterals(values: readonly unknown[]): readonly JsonSchema[] {
  const booleans = values.filter((value) => typeof value === 'boolean')
  const others = values.filter((value) => typeof value !== 'boolean')
  const type = [...new Set(others.map((value) => typeof value as JsonType))]
  return [
    ...(booleans.length === 2
      ? [{ type: 'boolean' as const }]
      : booleans.map((value) => ({ const: value }))),
    ...(others.length === 0 ? [] : [{ type: type.length === 1 ? type[0]! : type, enum: others }]),
  ]
}

/** Joins schemas with `anyOf`. A simple type and `null` become one schema with two types, `[type, 'null']`. */
function joinSchemas(schemas: readonly JsonSchema[]): JsonSchema {
  const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()]
  const [first, second] = distinct.toSorted(
    (a, b) => Number(a.type === 'null') - Number(b.type === 'null'),
  )
  if (distinct.length === 1) return first!
  if (distinct.length > 2 || second?.type !== 'null' || typeof first?.type !== 'string')
    return { anyOf: distinct }
  return {
    ...first,
    type: [first.type, 'null'],
    ...(first.enum === undefined ? {} : { enum: [...first.enum, null] }),
  }
}
