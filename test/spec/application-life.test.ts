/** The life of an application: several mounts and ports, failed starts, errors while closing, other frameworks. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { registrationsOf } from '../../src/runtime/action.ts'
import {
  createApp,
  FwLifeCycle,
  FwServer,
  FwSessionInitializer,
  type ServletContext,
} from '../../src/runtime/app.ts'
import { HttpError, silentLogger } from '../../src/runtime/base.ts'
import { Configuration } from '../../src/runtime/config.ts'
import { Fw, FwController, routes } from '../../src/runtime/controller.ts'
import { MemoryStore } from '../../src/runtime/session.ts'
import { emptyUnit } from '../support/empty-unit.ts'
import { serve, temporaryFolder } from '../support/serve.ts'

class Places extends FwController {
  here(): string {
    return this.url(places.here)
  }
}
const places = routes(Places, (r) => ({ here: r.get('/here', 'here') }))
const others = routes(Places, (r) => ({ there: r.get('/there', 'here') }))

describe('a controller mounted twice', () => {
  it('links to the mount path of the request, and from other controllers to the first', async () => {
    const client = await serve([[places, '/one'], [places, '/two'], others])
    const body = async (path: string): Promise<string> => (await client.get(path)).body
    expect(await body('/one/here')).toBe('/one/here')
    expect(await body('/two/here')).toBe('/two/here')
    expect(await body('/there')).toBe('/one/here')
  })
})

class Watched extends MemoryStore {
  closed = 0
  async close(): Promise<void> {
    this.closed += 1
  }
}

/** The options of a start. */
const options = (configuration = {}) => ({
  root: temporaryFolder({ 'package.json': '{ "type": "module" }' }),
  logger: silentLogger,
  configuration: Configuration.from(configuration),
})

function lifeOf(store: Watched, ended: () => void) {
  return new (class extends FwLifeCycle {
    override initFwApp(ctx: ServletContext): void {
      new FwSessionInitializer(() => store).mount(ctx)
      places.mount(ctx)
    }
    override destroyFwApp(): void {
      ended()
    }
  })()
}

const lifetime = { idleSeconds: 60, absoluteSeconds: 60 }

describe('the resources of a start', () => {
  it('are closed when the start fails later', async () => {
    const store = new Watched(lifetime)
    let ended = 0
    const life = lifeOf(store, () => (ended += 1))
    const wrong = options({ csrf: { trustedOrigins: ['no origin'] } })
    await expect(createApp(life, wrong)).rejects.toMatchObject({ code: 'session.origin-invalid' })
    expect([store.closed, ended]).toEqual([1, 1])
  })

  it('are closed once, even if destroyFwApp throws', async () => {
    const store = new Watched(lifetime)
    const life = lifeOf(store, () => {
      throw new Error('the end failed')
    })
    const app = await createApp(life, options())
    await expect(app.close()).rejects.toThrow('the end failed')
    await expect(app.close()).rejects.toThrow('the end failed')
    expect(store.closed).toBe(1)
  })
})

describe('a server', () => {
  it('that listens twice serves on both ports, and closes both', async () => {
    const server = new FwServer(options()).mount(places)
    const both = [await server.listen(0), await server.listen(0)]
    for (const { url } of both) expect((await fetch(`${url}/here`)).status).toBe(200)
    await server.close(0)
    for (const { url } of both) await expect(fetch(`${url}/here`)).rejects.toThrow()
  })

  it('that is started twice at once is one application', async () => {
    const server = new FwServer(options()).mount(places)
    onTestFinished(() => server.close(0))
    const [first, second] = await Promise.all([server.start(), server.start()])
    expect(first).toBe(second)
    expect(first.handler).toBe(first.handler)
  })

  it('that failed to start closes without an error', async () => {
    const server = new FwServer(options({ contextPath: 'no-slash' })).mount(places)
    await expect(server.start()).rejects.toMatchObject({ code: 'routing.pattern-invalid' })
    await expect(server.close()).resolves.toBeUndefined()
  })
})

describe('inside another framework, with mount path, context path and mount prefix', () => {
  class Inside extends FwController {
    paths(): string[] {
      const { requestPath, requestPathWithQueryString } = new Fw(this.ctx)
      return [this.url(inside.paths), this.url('/x'), requestPath, requestPathWithQueryString]
    }
    relative(): void {
      this.redirect('paths')
    }
    absolute(): void {
      this.redirect(this.url(inside.paths))
    }
  }
  const inside = routes(Inside, (r) => ({
    paths: r.get('/paths', 'paths'),
    relative: r.get('/relative', 'relative'),
    absolute: r.get('/absolute', 'absolute'),
  }))

  it('every link contains each of them once', async () => {
    const server = new FwServer(options({ contextPath: '/shop' })).mount(inside, '/members')
    const { handler } = await server.start()
    const outer = createServer((request, response) => {
      // Express does the same for app.use('/outer', …).
      Object.assign(request, { baseUrl: '/outer', url: request.url!.slice('/outer'.length) })
      handler(request, response)
    })
    await new Promise<void>((listening) => outer.listen(0, '127.0.0.1', listening))
    onTestFinished(async () => {
      outer.close()
      await server.close(0)
    })
    const base = `http://127.0.0.1:${(outer.address() as AddressInfo).port}/outer/shop/members`
    expect(await (await fetch(`${base}/paths?a=1`)).json()).toEqual([
      '/outer/shop/members/paths',
      '/outer/shop/x',
      '/outer/shop/members/paths',
      '/outer/shop/members/paths?a=1',
    ])
    for (const path of ['relative', 'absolute']) {
      const { headers } = await fetch(`${base}/${path}`, { redirect: 'manual' })
      expect(headers.get('location')).toBe('/outer/shop/members/paths')
    }
  })
})

it('a session is saved with its transaction, even if the client disconnects', async () => {
  const gone = new AbortController()
  class Visits extends FwController {
    static {
      registrationsOf(this).beginUnit = (ctx) => ({
        ...emptyUnit,
        async commit() {
          if (ctx.params.has('last')) gone.abort()
        },
      })
    }
    visit(): string {
      const before = this.session.get('visited')
      this.session.set('visited', this.params.get('at'))
      return String(before)
    }
  }
  const client = await serve([routes(Visits, (r) => ({ visit: r.get('/visit', 'visit') }))])
  const cookie = (await client.get('/visit?at=1')).headers.getSetCookie()[0]!.split(';')[0]!
  const headers = { cookie }
  await client.app.fetch(
    new Request('http://localhost/visit?at=2&last', { headers, signal: gone.signal }),
  )
  expect((await client.get('/visit?at=3', { headers })).body).toBe('2')
})

const refusal = new HttpError(409, 'model.key-taken', 'Another record has this key.')
const fault = new Error('The store does not answer.')

it.each([
  { at: 'save', thrown: refusal, status: 409, cookies: [], ends: ['rollback'] },
  { at: 'commit', thrown: refusal, status: 409, cookies: [], ends: ['commit', 'rollback'] },
  { at: 'keep', thrown: refusal, status: 409, cookies: ['seen=1'], ends: ['commit'] },
  { at: 'save', thrown: fault, status: 500, cookies: [], ends: ['rollback'] },
  { at: 'commit', thrown: fault, status: 500, cookies: [], ends: ['commit', 'rollback'] },
  { at: 'keep', thrown: fault, status: 500, cookies: ['seen=1'], ends: ['commit', 'rollback'] },
] as const)(
  'an error with the status $status at $at ends the unit of work by $ends, and its response has the cookies $cookies',
  async ({ at, thrown, ...expected }) => {
    const ends: string[] = []
    class Failing extends FwController {
      static {
        const own = registrationsOf(this)
        own.beginUnit = () => ({
          ...emptyUnit,
          async commit() {
            ends.push('commit')
            if (at === 'commit') throw thrown
          },
          async rollback() {
            ends.push('rollback')
          },
        })
        if (at !== 'commit')
          own.add(at, () => {
            throw thrown
          })
      }
      act(): string {
        this.cookies.set('seen', '1')
        return 'stored'
      }
    }
    const client = await serve([routes(Failing, (r) => ({ act: r.get('/act', 'act') }))])
    const { status, headers } = await client.get('/act')
    const cookies = headers.getSetCookie().map((cookie) => cookie.split(';')[0])
    expect({ status, cookies, ends }).toEqual(expected)
  },
)

describe('risky settings', () => {
  const random = 'DZb2p0xw3RkT9uVnQmYc7sLhEa1JgXo5'
  const warnings = async (configuration: Record<string, unknown>) => {
    const { lines } = await serve([], { configuration })
    return lines.filter(({ level }) => level === 'warn').map(({ message }) => message)
  }

  it.each([
    ['a repeated character', { secretKeyBase: 'x'.repeat(32) }, /secretKeyBase is guessable/],
    ['a well-known word', { secretKeyBase: `ChangeMe-${random}` }, /secretKeyBase is guessable/],
    ['an old secret', { secretKeyBase: [random, 'ab'.repeat(16)] }, /secretKeyBase is guessable/],
    ['a large body', { limits: { body: '2GiB' } }, /limits\.body is above 1GiB/],
    ['large fields', { upload: { maxMemory: '2GiB' } }, /upload\.maxMemory is above 1GiB/],
    ['every proxy', { server: { trustedProxies: '0.0.0.0/0' } }, /trustedProxies contains every/],
    ['every proxy of IPv6', { server: { trustedProxies: ['::1', '::/0'] } }, /contains every/],
  ])('are logged at the start: %s', async (_name, configuration, message) => {
    expect(await warnings(configuration)).toEqual([expect.stringMatching(message)])
  })

  it('are not random secrets, 1GiB, or the proxies of a network', async () => {
    const hexadecimal = '9f2c41d07ab3e8651bc07e94d2f8a36c'
    const configuration = {
      secretKeyBase: [random, hexadecimal],
      limits: { body: '1GiB' },
      server: { trustedProxies: ['10.0.0.0/8'] },
    }
    expect(await warnings(configuration)).toEqual([])
  })
})
