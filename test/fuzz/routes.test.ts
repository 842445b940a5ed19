/** Random patterns through the whole application: a URL made of a route leads back to it, with the same parameters. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Route } from '../../src/routing.ts'
import { microFilter } from '../../src/controller.ts'
import { serve } from '../support/serve.ts'

const runs = Math.min(Number(process.env['FW_FUZZ_RUNS'] ?? 200), 3000)

// Dot segments are refused in any encoding, so no parameter can be one.
const value = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((text) => text.isWellFormed() && !/[\u0000-\u001f\u007f\\]/.test(text))
  .filter((text) => text.split('/').every((part) => part !== '.' && part !== '..'))
const literal = fc.stringMatching(/^[a-z]{1,6}$/)
const segments = fc.array(
  fc.oneof(
    literal.map((text) => ({ kind: 'text' as const, text })),
    value.map((given) => ({ kind: 'name' as const, given })),
    fc.tuple(literal, value).map(([text, given]) => ({ kind: 'mixed' as const, text, given })),
  ),
  { minLength: 1, maxLength: 5 },
)
const tails = fc.constantFrom('', '/?', '(.:format)?', '/?:last?')

describe('a random pattern', () => {
  it('is reached by the URL made of it', async () => {
    const object = microFilter(() => ({}))
    const app = await serve([[object, '/mount']], { configuration: { contextPath: '/context' } })
    await fc.assert(
      fc.asyncProperty(segments, tails, fc.option(value), async (parts, tail, query) => {
        // `(…)?` takes part whenever it can: a dot in the value before it begins the format.
        const before = parts.at(-1)!
        fc.pre(tail !== '(.:format)?' || before.kind === 'text' || !before.given.includes('.'))
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
          expect(got).toEqual({ ...params, ...search })
        } finally {
          object.removeRoute(link)
          object.removeRoute(route)
        }
      }),
      { numRuns: runs },
    )
  })
})
