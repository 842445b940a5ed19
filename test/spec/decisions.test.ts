/** Decisions about routing, controllers and answers that no other page of this folder shows in full. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import {
  AsyncFwController,
  FwController,
  microFilter,
  mix,
  routes,
  type ControllerObject,
} from '../../src/runtime/controller.ts'
import { MainThreadLocalEverywhere } from '../../src/runtime/feature.ts'
import { Ok } from '../../src/runtime/http.ts'
import type { Route } from '../../src/runtime/routing.ts'
import { serve } from '../support/serve.ts'

describe('decision 2: one table for the whole application', () => {
  it('the last of a thousand controllers is found like the first', async () => {
    const controllers = Array.from({ length: 1000 }, (_, n) =>
      microFilter((r) => ({
        one: r.get(`/c${n}`, () => `static ${n}`),
        two: r.get(`/c${n}/:id`, (c) => `${n} ${c.params.get('id')}`),
      })),
    )
    const app = await serve(controllers)
    const bodies = [(await app.get('/c0')).body, (await app.get('/c999/7')).body]
    expect(bodies).toEqual(['static 0', '999 7'])
    expect((await app.get('/c1000')).status).toBe(404)
  })
})

describe('decision 6: halt is allowed everywhere', () => {
  for (const place of ['before', 'beforeAction', 'afterAction', 'after'] as const) {
    it(`in ${place}, with status, headers and body`, async () => {
      const ran: string[] = []
      class Halting extends FwController {
        static {
          this[place](async (c) => {
            await Promise.resolve()
            c.halt({ status: 409, headers: { 'X-Halt': place }, body: 'halted' })
          })
          this.after(() => ran.push('last'))
        }
        index() {
          ran.push('action')
          return 'action'
        }
      }
      const app = await serve([routes(Halting, (r) => ({ index: r.get('/', 'index') }))])
      const page = await app.get('/')
      expect([page.status, page.headers.get('x-halt'), page.body]).toEqual([409, place, 'halted'])
      expect(ran).toEqual(place.startsWith('before') ? ['last'] : ['action', 'last'])
    })
  }
})

describe('decision 7: result values', () => {
  const results: Readonly<Record<string, () => unknown>> = {
    nothing: () => undefined,
    null: () => null,
    status: () => 202,
    text: () => 'text',
    object: () => ({ a: [1] }),
    'node stream': () => Readable.from([Buffer.from('node')]),
    iterable: async function* () {
      yield 'it'
      yield 'er'
    },
    'number in a result': () => Ok(7),
    promise: async () => 'later',
    true: () => true,
  }
  const expected: Readonly<Record<string, readonly [number, string]>> = {
    nothing: [200, ''],
    null: [200, ''],
    status: [202, ''],
    text: [200, 'text'],
    object: [200, '{"a":[1]}'],
    'node stream': [200, 'node'],
    iterable: [200, 'iter'],
    'number in a result': [200, '7'],
    promise: [200, 'later'],
    true: [200, 'true'],
  }
  for (const [name, result] of Object.entries(results)) {
    it(`${name} (decision 7)`, async () => {
      const app = await serve([microFilter((r) => ({ x: r.get('/', result) }))])
      const page = await app.get('/')
      expect([page.status, page.body]).toEqual(expected[name])
    })
  }
})

describe('decision 8: redirects', () => {
  it('307 and 308 keep the method; url() is sent as it is', async () => {
    class Leads extends FwController {
      temporary() {
        return this.redirect307('/x')
      }
      permanent() {
        return this.redirect308(this.url(leads.permanent))
      }
    }
    const leads: ControllerObject<Leads, { temporary: Route<'/t'>; permanent: Route<'/p'> }> =
      routes(Leads, (r) => ({
        temporary: r.post('/t', 'temporary'),
        permanent: r.post('/p', 'permanent'),
      }))
    const app = await serve([leads], { configuration: { contextPath: '/shop' } })
    const pages = [await app.post('/shop/t'), await app.post('/shop/p')]
    expect(pages.map(({ status, location }) => [status, location])).toEqual([
      [307, '/shop/x'],
      [308, '/shop/p'],
    ])
  })
})

describe('decision 10: the order around an action', () => {
  it('a request of another site is refused before its body is read, and before any filter', async () => {
    const ran: string[] = []
    class Guarded extends FwController {
      static {
        this.before(() => ran.push('before'))
      }
      create() {
        return 'made'
      }
    }
    const app = await serve([routes(Guarded, (r) => ({ create: r.post('/', 'create') }))])
    const headers = { 'sec-fetch-site': 'cross-site' }
    expect((await app.post('/', { form: { a: '%' }, headers })).status).toBe(403)
    expect(ran).toEqual([])
  })
})

describe('decision 11: parameters', () => {
  it('path before query before form; k falls back to k[]; absent is undefined', async () => {
    const app = await serve([
      microFilter((r) => ({
        x: r.post('/:a', (c) => [
          c.params.get('a'),
          c.params.get('b'),
          c.params.get('c'),
          c.multiParams.get('list'),
          c.params.get('none') === undefined,
          c.multiParams.get('splat'),
          c.multiParams.get('captures'),
          c.formParams.has('a'),
        ]),
      })),
    ])
    const page = await app.post('/path?a=query&b=query&list[]=1&list[]=2', {
      form: { b: 'form', c: '1+1;2' },
    })
    expect(page.json()).toEqual(['path', 'query', '1+1;2', ['1', '2'], true, [], [], false])
  })
})

describe('Filters 3 and 5: asynchronous filters, ambient context in them', () => {
  const bases: Readonly<Record<string, typeof FwController>> = {
    'mixed in first': mix(mix(AsyncFwController, MainThreadLocalEverywhere)),
    'mixed in last': mix(mix(AsyncFwController), MainThreadLocalEverywhere),
  }
  for (const [name, Base] of Object.entries(bases)) {
    it(`an asynchronous filter is awaited before the action begins (${name})`, async () => {
      const seen: string[] = []
      class Late extends Base {
        static {
          this.before(async (_c, ctx) => {
            await new Promise(setImmediate)
            seen.push(ctx.request.path.text)
          })
          this.after(async (c) => {
            await new Promise(setImmediate)
            c.response.headers.set('X-Seen', seen.join())
          })
        }
        index() {
          seen.push('action')
          return 'x'
        }
      }
      const app = await serve([routes(Late, (r) => ({ index: r.get('/late', 'index') }))])
      expect((await app.get('/late')).headers.get('x-seen')).toBe('/late,action')
    })
  }
})

it('each decision about routing, controllers and answers is named in a title', () => {
  const folder = import.meta.dirname
  const all = readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), 'utf8').replace(/^\/\*\*.*$/gm, ''))
    .join('\n')
  const named = new Set<number>()
  for (const [, list] of all.matchAll(/[dD]ecisions? ([\d, toand]+)/g)) {
    const numbers = [...list!.matchAll(/\d+/g)].map(Number)
    const [from = 0, to = 0] = numbers
    if (list!.includes('to')) for (let n = from; n <= to; n++) named.add(n)
    for (const n of numbers) named.add(n)
  }
  const wanted = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 25, 26, 31, 32]
  expect(wanted.filter((n) => !named.has(n))).toEqual([])
})
