/** `ParamType.Byte`, `Short`, `Int`, `Long` and `BigInt`. */
import { outOfRangeError } from '../../base.ts'
import { parseBigInt, parseInteger } from '../parse-number.ts'
import type { FieldFacet, SqlFacet, TypeDefinition } from '../type-definition.ts'

interface IntegerOptions {
  readonly least: number
  readonly most: number
  readonly format?: string
  readonly rule: string
  /** The generated rules as code. */
  readonly rules: readonly string[]
  readonly sql: SqlFacet<number>
}

export const numberField = {
  inputmode: 'numeric',
  samples: ['7'],
  invalidSample: 'x',
  isLiteral: true,
  display: 'number',
} as const satisfies FieldFacet

const integer = (name: string, options: IntegerOptions): TypeDefinition<number> => {
  const { least, most, format, rule, rules, sql } = options
  const uniqueCode = name === 'Byte' ? {} : { uniqueCode: 'count' }
  return {
    name,
    expected: `an integer from ${least} to ${most}`,
    parse: (text) => parseInteger(text, least, most),
    number: 'integer',
    rule,
    jsonSchema: {
      type: 'integer',
      minimum: least,
      maximum: most,
      ...(format === undefined ? {} : { format }),
    },
    sql: { ...sql, isInteger: true },
    field: { ...numberField, rules: ['numeric', ...rules], ...uniqueCode },
  }
}

function decodeSafeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw outOfRangeError(text, 'safe integer')
  return value
}

export const byte = integer('Byte', {
  least: -128,
  most: 127,
  rule: 'intValue',
  rules: ['intMinMaxValue(-128, 127)'],
  sql: { type: 'smallint', names: [] },
})

export const short = integer('Short', {
  least: -32768,
  most: 32767,
  rule: 'intValue',
  rules: ['intMinMaxValue(-32768, 32767)'],
  sql: { type: 'smallint', names: ['int2'], oids: [[21, 1005]], decode: Number },
})

export const int = integer('Int', {
  least: -2147483648,
  most: 2147483647,
  format: 'int32',
  rule: 'intValue',
  rules: ['intValue'],
  sql: {
    type: 'integer',
    names: ['int4'],
    oids: [
      [23, 1007],
      [26, 1028],
    ],
    decode: Number,
  },
})

export const long = integer('Long', {
  least: Number.MIN_SAFE_INTEGER,
  most: Number.MAX_SAFE_INTEGER,
  format: 'int64',
  rule: 'longValue',
  rules: ['longValue'],
  sql: { type: 'bigint', names: ['int8'], oids: [[20, 1016]], decode: decodeSafeInteger },
})

export const bigInt: TypeDefinition<bigint> = {
  name: 'BigInt',
  expected: 'an integer',
  parse: parseBigInt,
  number: 'integer',
  rule: 'numeric',
  jsonSchema: { type: 'string', pattern: '^[+-]?\\d{1,1000}$' },
  // The driver would convert a `bigint` to a number.
  sql: { type: 'bigint', names: [], selectsText: true, decode: BigInt },
}
