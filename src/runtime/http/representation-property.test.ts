import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fieldsFromJson } from './json.ts'
import { stringifyJson } from './json.ts'
import { bestEncoding, FormatTable } from './negotiation.ts'

const table = new FormatTable()
const types = {
  html: 'text/html',
  json: 'application/json',
  xml: 'application/xml',
  txt: 'text/plain',
}
const weight = fc.integer({ min: 0, max: 10 }).map((tenths) => tenths / 10)
const entry = (value: fc.Arbitrary<string>) => fc.tuple(value, weight)
const headerOf = (entries: readonly (readonly [string, number])[]) =>
  entries.map(([value, q]) => `${value};q=${q}`).join(', ')

test('property: best has the highest weight of the offered formats, and not weight 0', () => {
  const accepted = fc.uniqueArray(
    entry(fc.constantFrom(...Object.values(types), 'text/*', '*/*', 'a/b')),
    {
      selector: ([value]) => value,
      minLength: 1,
    },
  )
  const offers = fc.shuffledSubarray(Object.keys(types) as (keyof typeof types)[], { minLength: 1 })
  fc.assert(
    fc.property(accepted, offers, (entries, offered) => {
      const weigh = (format: keyof typeof types): number => {
        const of = (value: string) => entries.find(([one]) => one === value)?.[1]
        const major = types[format].split('/', 1)[0]!
        return of(types[format]) ?? of(`${major}/*`) ?? of('*/*') ?? 0
      }
      const chosen = table.best(headerOf(entries), offered)
      const most = Math.max(...offered.map(weigh))
      expect(chosen).toBe(most === 0 ? undefined : offered.find((one) => weigh(one) === most))
    }),
  )
})

test('property: bestEncoding has the highest weight of the offered encodings', () => {
  const accepted = fc.uniqueArray(entry(fc.constantFrom('gzip', 'br', 'zstd', 'deflate', '*')), {
    selector: ([value]) => value,
  })
  fc.assert(
    fc.property(accepted, (entries) => {
      const of = (value: string) => entries.find(([one]) => one === value)?.[1]
      const weigh = (coding: string) => of(coding) ?? of('*') ?? 0
      const offered = ['zstd', 'br', 'gzip']
      const most = Math.max(...offered.map(weigh))
      expect(bestEncoding(headerOf(entries), offered)).toBe(
        most === 0 ? undefined : offered.find((one) => weigh(one) === most),
      )
    }),
  )
})

test('property: no header throws or takes long', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 2000 }), (text) => {
      table.best(text, ['html', 'json'])
      bestEncoding(text, ['gzip'])
    }),
  )
})

test('property: each scalar member of an object is a field with its text', () => {
  const plain = fc.oneof(
    fc.string().filter((text) => !text.includes('\0')),
    fc.integer(),
    fc.boolean(),
  )
  const key = fc.stringMatching(/^[a-z]{1,8}$/)
  fc.assert(
    fc.property(fc.dictionary(key, plain), fc.dictionary(key, plain), (flat, nested) => {
      const fields = fieldsFromJson({ ...flat, Nested: nested })
      const expected = [
        ...Object.entries(flat).map(([name, value]) => [name, [String(value)]]),
        ...Object.entries(nested).map(([name, value]) => [`Nested.${name}`, [String(value)]]),
      ]
      expect([...fields]).toEqual(expected)
    }),
  )
})

test('a field has at most 10,000 values, including those of its dotted name', () => {
  const list = Array.from({ length: 9_999 }, () => 1)
  expect(fieldsFromJson({ 'a.b': [1], a: { b: list } }).get('a.b')).toHaveLength(10_000)
  const many = Array.from({ length: 200_000 }, () => 1)
  for (const body of [{ a: many }, { 'a.b': [1], a: { b: many } }, { a: list, b: [1, 2] }])
    expect(() => fieldsFromJson(body)).toThrow('more than 10000 values')
})

test('property: a JSON value is written like JSON.stringify', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(stringifyJson(value)).toBe(JSON.stringify(value))
      expect(JSON.parse(stringifyJson(value, { prettify: true }))).toEqual(
        JSON.parse(JSON.stringify(value)),
      )
    }),
  )
})

test.each([
  [new Map([['a', 1]]), '{"a":1}'],
  [[{ set: new Set([1]) }], '[{"set":[1]}]'],
  [{ map: new Map([['a', new Map([['b', 2n]])]]) }, '{"map":{"a":{"b":"2"}}}'],
])('maps and sets are written with their entries: %o', (value, text) => {
  expect(stringifyJson(value)).toBe(text)
})

test('the result of toJSON is searched for collections too', () => {
  class Team {
    toJSON() {
      return { names: new Set(['Ann']), at: new Date(0), ...this }
    }
  }
  expect(stringifyJson([new Team()])).toBe('[{"names":["Ann"],"at":"1970-01-01T00:00:00.000Z"}]')
  const waiting = { toJSON: () => ({ name: Promise.resolve('Ann') }) }
  expect(() => stringifyJson({ waiting })).toThrow('not awaited')
})

test('a circular value throws', () => {
  const loop: Record<string, unknown> = {}
  loop['self'] = loop
  expect(() => stringifyJson(loop)).toThrow(TypeError)
})
