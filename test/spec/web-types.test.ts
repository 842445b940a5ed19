/** `this.request.toWeb()`, `this.request.headers` and actions that return a `Response`; tRPC through them. */
import { createServer } from 'node:http'
import { once } from 'node:events'
import { gzipSync } from 'node:zlib'
import { createTRPCClient, httpBatchStreamLink, httpLink, TRPCClientError } from '@trpc/client'
import { initTRPC, TRPCError } from '@trpc/server'
import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { describe, expect, onTestFinished, test } from 'vitest'
import { FwApiController, FwController, mix, routes } from '../../src/runtime/controller.ts'
import { JsonParamsFeature } from '../../src/runtime/feature.ts'
import { MethodOverride } from '../../src/runtime/app.ts'
import { serve } from '../support/serve.ts'

const t = initTRPC.context<{ readonly user: string }>().create()
const router = t.router({
  hello: t.procedure.query(({ ctx }) => `hello ${ctx.user}`),
  add: t.procedure
    .input((value) => value as { readonly a: number; readonly b: number })
    .mutation(({ input }) => input.a + input.b),
  count: t.procedure.query(async function* () {
    for (let n = 1; n <= 3; n++) yield n
  }),
  fail: t.procedure.query(() => {
    throw new TRPCError({ code: 'FORBIDDEN', message: 'not you' })
  }),
})

class Trpc extends FwApiController {
  handle() {
    const req = this.request.toWeb()
    const createContext = () => ({ user: this.request.header('x-user') ?? 'nobody' })
    return fetchRequestHandler({ endpoint: '/trpc', req, router, createContext })
  }
}
const trpc = routes(Trpc, (r) => ({
  get: r.get('/trpc/*', 'handle'),
  post: r.post('/trpc/*', 'handle'),
}))

async function listen(controllers: Parameters<typeof serve>[0], options = {}) {
  const { app } = await serve(controllers, options)
  const { port } = await app.listen(0)
  return `http://127.0.0.1:${port}`
}

describe('tRPC', () => {
  async function connect() {
    const url = `${await listen([trpc])}/trpc`
    const link = { url, headers: { 'x-user': 'ann' } }
    return {
      plain: createTRPCClient<typeof router>({ links: [httpLink(link)] }),
      streamed: createTRPCClient<typeof router>({ links: [httpBatchStreamLink(link)] }),
    }
  }

  test('answers queries, mutations and errors', async () => {
    const { plain } = await connect()
    expect(await plain.hello.query()).toBe('hello ann')
    expect(await plain.add.mutate({ a: 1, b: 2 })).toBe(3)
    const error: unknown = await plain.fail.query().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(TRPCClientError)
    expect(error).toMatchObject({ message: 'not you', data: { httpStatus: 403 } })
  })

  test('streams a batch', async () => {
    const { streamed } = await connect()
    const [hello, sum, numbers] = await Promise.all([
      streamed.hello.query(),
      streamed.add.mutate({ a: 20, b: 22 }),
      streamed.count.query().then((all) => Array.fromAsync(all)),
    ])
    expect([hello, sum, numbers]).toEqual(['hello ann', 42, [1, 2, 3]])
  })
})

let cancelled: Promise<void> | undefined
let begun = 0

class Web extends mix(FwController, JsonParamsFeature) {
  async echo() {
    const request = this.request.toWeb()
    const again = this.request.toWeb() === request
    const body = await request.text()
    const { url, method } = request
    return { url, method, body, again, headers: [...new Headers(this.request.headers)] }
  }
  several() {
    this.cookies.set('own', '1')
    const headers = new Headers({ 'content-type': 'text/plain', 'x-a': 'b' })
    headers.append('set-cookie', 'first=1; Path=/')
    headers.append('set-cookie', 'second=2; Path=/')
    return new Response('created', { status: 201, headers })
  }
  endless() {
    let cancel = (): void => {}
    cancelled = new Promise((resolve) => (cancel = resolve))
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('x'.repeat(1000))),
      cancel,
    })
    return new Response(body)
  }
  async waits() {
    const { signal } = this.request.toWeb()
    cancelled = new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
    begun++
    await cancelled
    return 'nobody reads this'
  }
  async used() {
    const response = new Response('read')
    await response.text()
    return response
  }
  error() {
    return Response.error()
  }
  redirected() {
    return Response.redirect('http://localhost/elsewhere', 303)
  }
  proxied() {
    return fetch(this.params.get('from')!)
  }
}
const web = routes(Web, (r) => ({
  echo: r.post('/echo', 'echo'),
  echoed: r.get('/echo', 'echo'),
  put: r.put('/echo', 'echo'),
  several: r.get('/cookies', 'several'),
  endless: r.get('/endless', 'endless'),
  waits: r.get('/waits', 'waits'),
  used: r.get('/used', 'used'),
  error: r.get('/error', 'error'),
  redirected: r.get('/redirected', 'redirected'),
  proxied: r.get('/proxied', 'proxied'),
}))

interface Echo {
  readonly url: string
  readonly method: string
  readonly body: string
  readonly again: boolean
  readonly headers: [string, string][]
}

describe('toWeb', () => {
  test('has the URL, the method, the headers and the body', async () => {
    const url = await listen([web])
    const init = {
      method: 'POST',
      body: 'a=1&b=2',
      headers: { 'x-own': 'grüß', cookie: 'a=1; b=2' },
    }
    const answer = await fetch(`${url}/echo?q=%20x`, {
      ...init,
      headers: { ...init.headers, 'content-type': 'application/x-www-form-urlencoded' },
    })
    const echo = (await answer.json()) as Echo
    expect(echo).toMatchObject({ method: 'POST', body: 'a=1&b=2', again: true })
    expect(echo.url).toBe(`${url}/echo?q=%20x`)
    expect(echo.headers).toContainEqual(['x-own', 'grüß'])
    expect(echo.headers).toContainEqual(['cookie', 'a=1; b=2'])
  })

  test.each([
    ['JSON that a feature has read', 'application/json', '{"a": [1]}'],
    ['text', 'text/plain', 'plain'],
  ])('has the body of %s', async (_title, type, body) => {
    const url = await listen([type === 'text/plain' ? plainEcho : web])
    const init = { method: 'POST', body, headers: { 'content-type': type } }
    const echo = (await (await fetch(`${url}/echo`, init)).json()) as Echo
    expect(echo.body).toBe(body)
  })

  test('has no body for GET, and the method of an override', async () => {
    const app = await serve([new MethodOverride(), web])
    expect((await app.get('/echo')).json()).toMatchObject({ method: 'GET', body: '' })
    const put = await app.post('/echo', { query: { _method: 'put' }, form: {} })
    expect(put.json()).toMatchObject({ method: 'PUT' })
  })

  test('fails to read a body past the limit', async () => {
    const app = await serve([plainEcho], { configuration: { limits: { body: 1024 } } })
    const page = await app.post('/echo', {
      body: 'x'.repeat(1025),
      headers: { 'content-type': 'text/plain' },
    })
    expect(page.status).toBe(413)
  })

  test('aborts its signal when the client goes away', async () => {
    const url = await listen([web])
    begun = 0
    const controller = new AbortController()
    const request = fetch(`${url}/waits`, { signal: controller.signal }).catch(() => 'aborted')
    await expect.poll(() => begun).toBe(1)
    controller.abort()
    expect(await request).toBe('aborted')
    await cancelled
  })
})

class PlainEcho extends FwController {
  async echo() {
    return { body: await this.request.toWeb().text() }
  }
}
const plainEcho = routes(PlainEcho, (r) => ({ echo: r.post('/echo', 'echo') }))

describe('a Response', () => {
  test('has its status, its headers and all cookies', async () => {
    const page = await (await serve([web])).get('/cookies')
    expect([page.status, page.body]).toEqual([201, 'created'])
    expect(page.headers.get('content-type')).toBe('text/plain')
    expect(page.headers.get('x-a')).toBe('b')
    expect(page.headers.getSetCookie()).toEqual([
      'first=1; Path=/',
      'second=2; Path=/',
      'own=1; Path=/; HttpOnly; SameSite=Lax',
    ])
  })

  test('cancels its stream when the client goes away', async () => {
    const url = await listen([web])
    const controller = new AbortController()
    const answer = await fetch(`${url}/endless`, { signal: controller.signal })
    const reader = answer.body!.getReader()
    expect((await reader.read()).done).toBe(false)
    controller.abort()
    await cancelled
    expect(await reader.read().catch(() => 'aborted')).toBe('aborted')
  })

  test('redirects', async () => {
    const page = await (await serve([web])).get('/redirected')
    expect([page.status, page.location]).toEqual([303, 'http://localhost/elsewhere'])
  })

  test.each(['/used', '/error'])('that cannot be sent is a fault: %s', async (path) => {
    expect((await (await serve([web])).get(path)).status).toBe(500)
  })

  test('of another server is sent without the headers of its transfer', async () => {
    const other = createServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'x-other': '1', connection: 'close' })
      response.end(gzipSync('compressed elsewhere'))
    }).listen(0, '127.0.0.1')
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    const { port } = other.address() as { port: number }
    const page = await (
      await serve([web])
    ).get('/proxied', {
      query: { from: `http://127.0.0.1:${port}/` },
    })
    expect([page.status, page.body]).toEqual([200, 'compressed elsewhere'])
    expect(page.headers.get('content-encoding')).toBeNull()
    expect(page.headers.get('x-other')).toBe('1')
  })
})
