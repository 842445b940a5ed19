/** `ParamType.Float`, `Double` and `BigDecimal`. */
import type { JsonSchema } from '../json-schema.ts'
import { type BigDecimal, parseBigDecimal, parseDouble, parseFloating } from '../parse-number.ts'
import type { FieldFacet, TypeDefinition } from '../type-definition.ts'
import { numberField } from './integers.ts'

/** JSON has neither infinity nor NaN: resources write their names, and `JSON.stringify` writes `null`. */
const responseNumber = (format: string): JsonSchema => ({
  anyOf: [
    { type: ['number', 'null'], format },
    { type: 'string', enum: ['NaN', 'Infinity', '-Infinity'] },
  ],
})

const decimalField = { ...numberField, inputmode: 'decimal' } as const satisfies FieldFacet

/** The largest 32-bit floating-point number. */
const largestFloat = 2 ** 128 - 2 ** 104

export const float: TypeDefinition<number> = {
  name: 'Float',
  expected: 'a number',
  parse: parseFloating,
  number: 'decimal',
  rule: 'floatValue',
  jsonSchema: { type: 'number', format: 'float', minimum: -largestFloat, maximum: largestFloat },
  responseSchema: responseNumber('float'),
  sql: { type: 'real', names: ['float4'], oids: [[700, 1021]], decode: Number },
  field: { ...decimalField, rules: ['floatValue'], uniqueCode: 'count' },
}

export const double: TypeDefinition<number> = {
  name: 'Double',
  expected: 'a number',
  parse: parseDouble,
  number: 'decimal',
  rule: 'doubleValue',
  jsonSchema: { type: 'number', format: 'double' },
  responseSchema: responseNumber('double'),
  sql: { type: 'double precision', names: ['float8'], oids: [[701, 1022]], decode: Number },
  field: { ...decimalField, rules: ['doubleValue'], uniqueCode: 'count' },
}

export const bigDecimal: TypeDefinition<BigDecimal> = {
  name: 'BigDecimal',
  expected: 'a decimal number',
  parse: parseBigDecimal,
  number: 'decimal',
  rule: 'numeric',
  jsonSchema: { type: 'string', pattern: '^[+-]?\\d+(?:\\.\\d+)?$' },
  sql: { type: 'numeric' },
  field: {
    ...decimalField,
    rules: ['numeric'],
    samples: ['7.50', '7', '0.5'],
    isLiteral: false,
    code: (_text, quoted) => `${quoted} as BigDecimal`,
    uniqueCode: 'String(count) as BigDecimal',
  },
}
