/** The access log of production: its fields, what it leaves out, and the ids of a request in all log lines. */
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { Configuration, FwEnv } from '../../src/runtime/config.ts'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { HttpError, jsonLogger } from '../../src/runtime/base.ts'
import { FwServer } from '../../src/runtime/app.ts'
import { temporaryFolder } from '../support/serve.ts'

class Pages extends FwController {
  show() {
    return `member ${this.params.get('id')}`
  }
  broken() {
    throw new Error('the database burns')
  }
  missing() {
    throw new HttpError(404, 'feature.file-not-found', 'There is no such member.')
  }
  tells() {
    this.logger.info({ step: 1 }, 'working')
    return this.ctx.requestId
  }
  async *stream() {
    yield 'äh'
    yield new Uint8Array(5)
  }
  reset() {
    return 'reset'
  }
}
const pages = routes(Pages, (r) => ({
  show: r.get('/members/:id', 'show'),
  broken: r.get('/broken', 'broken'),
  missing: r.get('/missing', 'missing'),
  tells: r.get('/tells', 'tells'),
  stream: r.get('/stream', 'stream'),
  reset: r.get('/resets/:token', 'reset'),
  waiting: r.get('/waiting', async ({ ctx }) => {
    waiting++
    if (!ctx.signal.aborted) await once(ctx.signal, 'abort')
    return 'x'
  }),
  // Like a statement or a `fetch` of an action, which ends because the client has left.
  failing: r.get('/failing', async ({ ctx }) => {
    waiting++
    if (!ctx.signal.aborted) await once(ctx.signal, 'abort')
    throw new Error('the statement was cancelled', { cause: ctx.signal.reason })
  }),
}))
let waiting = 0

type Line = Readonly<Record<string, unknown>>

/** Serves in production over HTTP; `lines` are the parsed lines of its JSON log. */
async function start(settings: Readonly<Record<string, unknown>> = {}, environment = 'production') {
  const written: string[] = []
  const production = {
    secretKeyBase: 'k7'.repeat(24) + 'aZ9_bQ3-xW1',
    server: { hosts: ['127.0.0.1'], trustedProxies: ['127.0.0.1'] },
  }
  const server = new FwServer({
    root: temporaryFolder({ 'package.json': '{ "type": "module" }' }),
    logger: jsonLogger((line) => void written.push(line), 'debug'),
    configuration: Configuration.from({ ...production, ...settings }, new FwEnv(environment)),
  })
  const { url } = await server.mount(pages, '/app').listen(0)
  onTestFinished(() => server.close(0))
  const get = async (
    path: string,
    headers: Readonly<Record<string, string>> = {},
    signal: AbortSignal | null = null,
  ) => {
    const response = await fetch(url + path, { headers, signal })
    return { status: response.status, headers: response.headers, body: await response.text() }
  }
  const lines = (): Line[] => written.map((line) => JSON.parse(line) as Line)
  return { get, lines, requests: () => lines().filter(({ msg }) => msg === 'request') }
}

test('a request is one JSON line with its route, status, time, bytes, id and client', async () => {
  const app = await start()
  const { headers, body } = await app.get('/app/members/7?page=2', {
    'x-forwarded-for': '203.0.113.9',
  })
  expect(app.requests()).toEqual([
    {
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      msg: 'request',
      requestId: expect.stringMatching(/^[\w-]{16}$/),
      method: 'GET',
      route: '/app/members/:id',
      target: '/app/members/7?page=2',
      status: 200,
      millis: expect.any(Number),
      bytes: body.length,
      client: '203.0.113.9',
    },
  ])
  expect(headers.get('x-request-id')).toBe(app.requests()[0]!['requestId'])
})

test('a streamed response is logged at its end, with the bytes of all chunks', async () => {
  const app = await start()
  await app.get('/app/stream')
  await expect.poll(() => app.requests()).toMatchObject([{ route: '/app/stream', bytes: 8 }])
})

test('the line of a client that has left contains its address', async () => {
  const app = await start({ server: { hosts: ['127.0.0.1'] } })
  const leaving = new AbortController()
  const gone = app.get('/app/waiting', {}, leaving.signal).catch(() => 'gone')
  await expect.poll(() => waiting).toBeGreaterThan(0)
  leaving.abort()
  await gone
  await expect
    .poll(() => app.requests())
    .toMatchObject([{ route: '/app/waiting', aborted: true, client: '127.0.0.1' }])
})

test('a request that fails because its client has left has the status 499, and is no error', async () => {
  const app = await start()
  const before = waiting
  const leaving = new AbortController()
  const gone = app.get('/app/failing', {}, leaving.signal).catch(() => 'gone')
  await expect.poll(() => waiting).toBeGreaterThan(before)
  leaving.abort()
  await gone
  await expect
    .poll(() => app.requests())
    .toMatchObject([{ route: '/app/failing', aborted: true, status: 499 }])
  expect(app.lines().filter(({ level }) => level === 'error')).toEqual([])
})

test('secrets of path and query are redacted, as in development', async () => {
  const app = await start()
  await app.get('/app/resets/hush?api_key=hush&q=4')
  await app.get('/app/%ZZ?api_key=hush')
  expect(JSON.stringify(app.lines())).not.toContain('hush')
  expect(app.requests()).toMatchObject([
    { target: '/app/resets/[redacted]?api_key=[redacted]&q=4', status: 200 },
    { target: '[redacted]', status: 400 },
  ])
})

test('a path without a route is logged without one', async () => {
  const app = await start()
  await app.get('/none')
  expect(app.requests()).toMatchObject([
    { target: '/none', status: 404, bytes: expect.any(Number) },
  ])
  expect(app.requests()[0]).not.toHaveProperty('route')
})

test('the request id is in the response, on the error page, and in every line of the request', async () => {
  const app = await start()
  const failed = await app.get('/app/broken', { accept: 'text/html' })
  const id = failed.headers.get('x-request-id')
  expect(failed.status).toBe(500)
  expect(failed.body).toContain(id)
  expect(app.lines()).toMatchObject([
    { msg: 'request failed', requestId: id, level: 'error' },
    { msg: 'request', requestId: id, status: 500 },
  ])
})

test('the ids of a trusted proxy are adopted', async () => {
  const app = await start()
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const { body, headers } = await app.get('/app/tells', {
    'x-request-id': 'edge-7/42',
    traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
  })
  expect(body).toBe('edge-7/42')
  expect(headers.get('x-request-id')).toBe('edge-7/42')
  expect(app.lines()).toMatchObject([
    { msg: 'working', requestId: 'edge-7/42', traceId, step: 1 },
    { msg: 'request', requestId: 'edge-7/42', traceId },
  ])
})

test.each([
  ['x-request-id', '<script>'],
  ['x-request-id', 'x'.repeat(129)],
  ['traceparent', '00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01'],
  ['traceparent', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
  ['traceparent', `ff-${'a'.repeat(32)}-00f067aa0ba902b7-01`],
])('a malformed %s is ignored: %s', async (name, value) => {
  const app = await start()
  const { body } = await app.get('/app/tells', { [name]: value })
  expect(body).toMatch(/^[\w-]{16}$/)
  expect(app.requests()[0]).not.toHaveProperty('traceId')
})

test('the ids of another client are ignored', async () => {
  const app = await start({ server: { hosts: ['127.0.0.1'] } })
  const traceparent = `00-${'a'.repeat(32)}-00f067aa0ba902b7-01`
  const { body } = await app.get('/app/tells', { 'x-request-id': 'forged', traceparent })
  expect(body).not.toBe('forged')
  expect(app.requests()[0]).not.toHaveProperty('traceId')
})

test('without the access log, the id of a trusted proxy is still in the response', async () => {
  const app = await start({ accessLog: { enabled: false } })
  const { headers } = await app.get('/app/members/7', { 'x-request-id': 'edge-8' })
  expect(headers.get('x-request-id')).toBe('edge-8')
  expect(app.lines()).toEqual([])
  expect((await app.get('/app/members/7')).headers.get('x-request-id')).toBeNull()
})

test('`notable` logs failed and slow requests only', async () => {
  const failed = await start({ accessLog: { only: 'notable', slow: '1h' } })
  for (const path of ['/app/members/7', '/app/missing', '/app/broken']) await failed.get(path)
  expect(failed.requests()).toMatchObject([{ route: '/app/broken', status: 500 }])
  const slow = await start({ accessLog: { only: 'notable', slow: '0ms' } })
  await slow.get('/app/members/7')
  expect(slow.requests()).toMatchObject([{ route: '/app/members/:id' }])
})

test('a sample contains a share of the requests, and every failed one', async () => {
  const app = await start({ accessLog: { sample: 0, slow: '1h' } })
  await app.get('/app/members/7')
  await app.get('/app/broken')
  expect(app.requests()).toMatchObject([{ status: 500 }])
})

test('development and tests have no access log, unless a setting enables it', async () => {
  const silent = await start({}, 'test')
  await silent.get('/app/members/7')
  expect(silent.requests()).toEqual([])
  const enabled = await start({ accessLog: { enabled: true } }, 'test')
  await enabled.get('/app/members/7')
  expect(enabled.requests()).toHaveLength(1)
})

test('an application logs its own requests only', async () => {
  const one = await start()
  const other = await start()
  await one.get('/app/members/7')
  expect(one.requests()).toHaveLength(1)
  expect(other.requests()).toEqual([])
})
