import { type } from 'arktype'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { mergeSchemas, toJsonSchema } from './schema.ts'
import { checkAll, rule } from './rule.ts'
import {
  dateFormat,
  email,
  intMinMaxValue,
  longMinValue,
  maxLength,
  minLength,
  minMaxLength,
  numeric,
  required,
} from './rules.ts'

test.each([
  [required, { minLength: 1, pattern: '\\S' }],
  [required({ trim: false }), { minLength: 1 }],
  [maxLength(5), { maxLength: 5 }],
  [minMaxLength(2, 5), { minLength: 2, maxLength: 5 }],
  [intMinMaxValue(1, 9), { minimum: 1, maximum: 9 }],
  [longMinValue(2n ** 40n), { minimum: 2 ** 40 }],
  [dateFormat, { format: 'date' }],
  [rule('own', () => true), {}],
  [rule('own', () => true).withSchema({ pattern: '^a' }), { pattern: '^a' }],
  [maxLength(5).withMessage('too long'), { maxLength: 5 }],
  [checkAll(minLength(2), z.string().max(7)), { minLength: 2, type: 'string', maxLength: 7 }],
])('a rule has a JSON Schema', (one, schema) => {
  expect(one.jsonSchema).toEqual(schema)
})

test('merged rules have the narrower bound and every pattern', () => {
  expect(required.and(minLength(3)).and(maxLength(9)).and(maxLength(5)).jsonSchema).toEqual({
    minLength: 3,
    maxLength: 5,
    pattern: '\\S',
  })
  expect(required.and(numeric).and(email).jsonSchema).toEqual({
    minLength: 1,
    maxLength: 254,
    // It matches no blank text, so that the pattern of `required` is not necessary.
    pattern: numeric.jsonSchema.pattern,
    format: 'email',
    allOf: [{ pattern: email.jsonSchema.pattern }],
  })
  expect(mergeSchemas({ minimum: 1, maximum: 9 }, { minimum: 3, maximum: 20 })).toEqual({
    minimum: 3,
    maximum: 9,
  })
})

test('withSchema does not change the evaluation', () => {
  const zip = rule<string | undefined>('zip', (text) => text === '89073').withSchema({})
  expect([zip.isValid('89073'), zip.isValid('x'), zip.evaluate('x')[0]?.name]).toEqual([
    true,
    false,
    'zip',
  ])
})

test('validators with a JSON Schema return it, others return undefined', () => {
  const shape = { type: 'object', required: ['a'], properties: { a: { type: 'number' } } }
  expect(toJsonSchema(z.object({ a: z.number() }))).toMatchObject(shape)
  expect(toJsonSchema(type({ a: 'number' }))).toEqual(shape)
  expect(toJsonSchema(required)).toBeUndefined()
  expect(toJsonSchema(z.object({ a: z.bigint() }))).toBeUndefined()
})
