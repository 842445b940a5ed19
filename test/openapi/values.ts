/** Generates valid and invalid values for schemas. */
import fc from 'fast-check'
import type { JsonSchema } from '../../src/runtime/validation.ts'

type Make = (schema: JsonSchema) => fc.Arbitrary<unknown>

const pad = (value: number): string => String(value).padStart(2, '0')
const moment = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString())

const byFormat: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  uuid: fc.uuid(),
  date: moment.map((text) => text.slice(0, 10)),
  'date-time': moment,
  'date-time-local': moment.map((text) => text.slice(0, 19)),
  email: fc.constantFrom('ann@Example.com', 'a+b@mail.example.co.jp', 'x@xn--e1afmkfd.xn--p1ai'),
  inet: fc.constantFrom('192.0.2.1', '10.0.0.0/8', '2001:DB8::1', '::ffff:192.0.2.1', '::'),
  'time-local': fc.tuple(fc.nat(23), fc.nat(59)).map(([h, m]) => `${pad(h)}:${pad(m)}`),
}

const duration = fc.constantFrom('PT0S', 'P1DT2H30M', '-PT5M', 'P1Y2M3W', 'PT0.000001S')
const letter = fc.constantFrom(...'aZ ä漢<&"\'\n')

function validText(schema: JsonSchema): fc.Arbitrary<unknown> {
  const { format, pattern, contentEncoding, minLength = 0, maxLength = 20 } = schema
  if (contentEncoding === 'base64')
    return fc
      .uint8Array({ minLength: 1, maxLength: 20 })
      .map((bytes) => Buffer.from(bytes).toString('base64'))
  if (format !== undefined && byFormat[format] !== undefined) return byFormat[format]
  if (pattern?.startsWith('^[+-]?P') === true) return duration
  if (pattern?.startsWith('^[+-]?\\d') === true) return fc.integer().map(String)
  return fc
    .string({ unit: letter, minLength, maxLength: Math.min(maxLength, 20) })
    .map((text) => (pattern === '\\S' && text.trim() === '' ? 'x' : text))
}

const largest = 2 ** 31 - 1

/** A valid value of a field. */
export const valid: Make = (schema) => {
  const { type, minimum = -largest, maximum = largest } = schema
  const types = [type].flat()
  const whole = { min: Math.max(minimum, -largest), max: Math.min(maximum, largest) }
  const makers: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    boolean: fc.boolean(),
    integer: fc.integer(whole),
    number: fc.float({ noNaN: true, noDefaultInfinity: true }),
    string: validText(schema),
  }
  const one = makers[types[0] ?? 'string']!
  return types.includes('null') ? fc.option(one) : one
}

const trouble =
  '|null|true|0|-1|1e400|NaN|Infinity|2013-02-29|0000-01-01|12:60|9007199254740993|\u0000|\ud800'

export const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(...trouble.split('|')),
)

/** Any JSON value. */
export const anything = fc.oneof(
  text,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(text, { maxLength: 2 }),
)

/** An object with the fields of a schema. */
export function record(
  { properties = {}, required = [] }: JsonSchema,
  make: Make,
): fc.Arbitrary<Record<string, unknown>> {
  const members = Object.entries(properties).map(([key, schema]) => [key, make(schema)] as const)
  return fc.record(Object.fromEntries(members), { requiredKeys: [...required] })
}
