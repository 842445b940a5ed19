/**
 * Tests routes with random patterns in a whole application: the URL of a route matches that route, with the same
 * parameters.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Route } from '../../src/runtime/routing.ts'
import { microFilter } from '../../src/runtime/controller.ts'
import { serve } from '../support/serve.ts'

const runs = Math.min(Number(process.env['FW_FUZZ_RUNS'] ?? 200), 3000)

// Fw rejects dot segments in any encoding, so a parameter's value must not be one.
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
const value = fc
  .oneof(
    text,
    fc.array(fc.oneof(text, fc.constant('')), { minLength: 2 }).map((parts) => parts.join('.')),
  )
  .filter((given) => given.isWellFormed() && !/[\u0000-\u001f\u007f\\]/.test(given))
  .filter((given) => given.split('/').every((part) => part !== '.' && part !== '..'))
const literal = fc.stringMatching(/^[a-z]{1,6}$/)
const segments = fc.array(
  fc.oneof(
    literal.map((text) => ({ kind: 'text' as const, text })),
    value.map((given) => ({ kind: 'name' as const, given })),
    fc.tuple(literal, value).map(([text, given]) => ({ kind: 'mixed' as const, text, given })),
  ),
  { minLength: 1, maxLength: 5 },
)
type Part = { readonly kind: 'text' } | { readonly kind: 'name' | 'mixed'; readonly given: string }

/**
 * Returns the parameters that a route with `(.:format)?` captures: the last dot in the preceding value begins the
 * format.
 */
function withFormat(params: Record<string, string>, parts: readonly Part[]) {
  const last = parts.at(-1)!
  const dot = last.kind === 'text' ? -1 : last.given.lastIndexOf('.', last.given.length - 2)
  if (last.kind === 'text' || dot < 1) return params
  const format = last.given.slice(dot + 1)
  return { ...params, [`p${parts.length - 1}`]: last.given.slice(0, dot), format }
}

const tails = fc.constantFrom('', '/?', '(.:format)?', '/?:last?')

describe('a random pattern', () => {
  it('matches the URL of its route', async () => {
    const object = microFilter(() => ({}))
    const app = await serve([[object, '/mount']], { configuration: { contextPath: '/context' } })
    await fc.assert(
      fc.asyncProperty(segments, tails, fc.option(value), async (parts, tail, query) => {
        const params: Record<string, string> = {}
        const pattern = parts
          .map((part, i) => {
            if (part.kind === 'text') return `/${part.text}`
            params[`p${i}`] = part.given
            return part.kind === 'name' ? `/:p${i}` : `/${part.text}-:p${i}`
          })
          .join('')
        const search = query === null ? {} : { q: query }
        const route = object.addRoute((r) =>
          r.get(pattern + tail, (_c, { params: given }) => [...given.toMap()]),
        ) as Route<string>
        const link = object.addRoute((r) => r.post('/link', (c) => c.url(route, params, search)))
        try {
          const made = (await app.post('/context/mount/link')).body
          const page = await app.get(made)
          expect([made, page.status]).toEqual([made, 200])
          const got = Object.fromEntries(page.json() as [string, string][])
          const read = tail === '(.:format)?' ? withFormat(params, parts) : params
          expect(got).toEqual({ ...read, ...search })
        } finally {
          object.removeRoute(link)
          object.removeRoute(route)
        }
      }),
      { numRuns: runs },
    )
  })
})
