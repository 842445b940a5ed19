/** The client writes the same paths as `url` on the server. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createClient } from '../../src/client.ts'
import { Route, urlFor } from '../../src/runtime/routing.ts'

type Values = Readonly<Record<string, unknown>>
type Get = (pattern: string, request: { readonly path: Values }) => Promise<unknown>

/** The address that the client requests; it sends nothing. */
async function clientPath(pattern: string, path: Values): Promise<string> {
  let address = ''
  const client = createClient({
    fetch: async (url) => {
      address = url
      return new Response()
    },
  })
  await (client.get as unknown as Get)(pattern, { path })
  return address
}

/** Values that `.` and `..` checks refuse are in other tests. */
const text = fc
  .string({ unit: 'grapheme', minLength: 1 })
  .filter((value) => value.isWellFormed() && !/^\.+$|[/\\]/.test(value))
const value = fc.oneof(text, fc.integer({ min: 0 }))
const splat = fc.array(text, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'))

const shapes: readonly (readonly [pattern: string, fc.Arbitrary<Values>])[] = [
  ['/members', fc.constant({})],
  ['/members/:id', fc.record({ id: value })],
  ['/members/:id.json', fc.record({ id: value })],
  ['/:a/x/:b/y/:c', fc.record({ a: value, b: value, c: value })],
  ['/:a-:b.:c', fc.record({ a: value, b: value, c: value })],
  ['/m/:id(.:format)?', fc.record({ id: value, format: value }, { requiredKeys: ['id'] })],
  ['(/:l)?/p/:y(-:m)?', fc.record({ l: value, y: value, m: value }, { requiredKeys: ['y'] })],
  [
    '/posts(/:year(-:month)?)?',
    fc.record({ year: value, month: value }, { requiredKeys: ['year'] }),
  ],
  ['/a(/:x?-:y?)?', fc.record({ x: value, y: value }, { requiredKeys: [] })],
  ['/a(/b)?', fc.constant({})],
  ['/o/?:foo?/?:bar?', fc.record({ foo: value, bar: value }, { requiredKeys: [] })],
  ['/files/*', fc.record({ splat: fc.tuple(splat) })],
  ['/files(/*)?', fc.record({ splat: fc.tuple(splat) }, { requiredKeys: [] })],
  ['/dl/*.*', fc.record({ splat: fc.tuple(splat, splat) })],
  ['/föö bar/100%/:id', fc.record({ id: value })],
]

test.each(shapes)('%s', async (pattern, params) => {
  await fc.assert(
    fc.asyncProperty(params, async (values) => {
      const route = new Route('GET', pattern)
      expect(await clientPath(pattern, values)).toBe(urlFor(route, values))
    }),
    { numRuns: 100 },
  )
})

test.each<[string, Values]>([
  ['/members/:id', {}],
  ['/members/:id', { id: '' }],
  ['/members/:id/edit', { id: '..' }],
  ['/files/*', {}],
  ['/files/*', { splat: ['a/../b'] }],
])('both refuse %s with %j', async (pattern, values) => {
  expect(() => urlFor(new Route('GET', pattern), values)).toThrow()
  await expect(clientPath(pattern, values)).rejects.toThrow(/must not be/)
})
