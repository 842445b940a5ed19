import { expect, test } from 'vitest'
import { silentLogger } from '../base.ts'
import { HttpResponse, RequestBody, ResponseHeaders } from '../http.ts'
import type { Handler } from '../http.ts'
import { fetchHandler } from './fetch-handler.ts'

const run = (handler: Handler) => fetchHandler(handler, { logger: silentLogger })
const at = (path: string, init?: RequestInit) => new Request(`http://localhost${path}`, init)

test('a request and its response', async () => {
  const answer = await run(async (request) => {
    const { method, target, host, scheme, remoteAddress } = request
    const form = await new RequestBody(request).form()
    const headers = new ResponseHeaders([
      'Set-Cookie',
      'a=1',
      'Set-Cookie',
      'b=2',
      'Connection',
      'close',
    ])
    return new HttpResponse(
      201,
      JSON.stringify({ method, target, host, scheme, remoteAddress, form: [...form] }),
      headers,
    )
  })(at('/a%20b?c=d#e', { method: 'POST', body: new URLSearchParams({ x: 'é y' }) }), {
    remoteAddress: '1.2.3.4',
  })
  expect(answer.status).toBe(201)
  expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  expect(answer.headers.get('connection')).toBeNull()
  expect(await answer.json()).toEqual({
    method: 'POST',
    target: '/a%20b?c=d',
    host: 'localhost',
    scheme: 'http',
    remoteAddress: '1.2.3.4',
    form: [['x', ['é y']]],
  })
})

test('bodies: none, bytes, streams; HEAD and 204 have none', async () => {
  const bodies: Record<string, () => HttpResponse> = {
    '/none': () => new HttpResponse(204, 'x'),
    '/bytes': () => new HttpResponse(200, Uint8Array.of(104, 105)),
    '/stream': () =>
      new HttpResponse(
        200,
        (async function* () {
          yield 'h'
          yield Buffer.from('i')
        })(),
      ),
    '/web': () => new HttpResponse(200, new Blob(['hi']).stream()),
  }
  const app = run((request) => bodies[request.target]!())
  expect(await (await app(at('/none'))).text()).toBe('')
  for (const path of ['/bytes', '/stream', '/web'])
    expect(await (await app(at(path))).text()).toBe('hi')
  const head = await app(at('/bytes', { method: 'HEAD' }))
  expect([await head.text(), head.headers.get('content-length')]).toEqual(['', '2'])
})

test('rejects host, length and headers like HttpServer', async () => {
  const app = run(() => new HttpResponse(200))
  expect((await app(new Request('http://evil.com/'))).status).toBe(400)
  expect((await app(at('/' + 'a'.repeat(9000)))).status).toBe(414)
  expect((await app(at('/', { headers: { a: 'x'.repeat(17_000) } }))).status).toBe(431)
  expect((await app(at('/', { method: 'PROPFIND' }))).status).toBe(501)
})

test('errors are answered, and a body over the limit is a 413', async () => {
  expect(
    (
      await run(() => {
        throw undefined
      })(at('/'))
    ).status,
  ).toBe(500)
  expect((await run(() => new HttpResponse(99))(at('/'))).status).toBe(500)
  const limited = run(async (request) => new HttpResponse(200, await request.body.bytes(3)))
  expect((await limited(at('/', { method: 'POST', body: 'abcd' }))).status).toBe(413)
  expect(await (await limited(at('/', { method: 'POST', body: 'abc' }))).text()).toBe('abc')
})

test('the signal is that of the Request', async () => {
  const controller = new AbortController()
  let aborted: boolean[] = []
  await run((request) => {
    aborted = [request.aborted]
    controller.abort()
    aborted.push(request.aborted, request.signal.aborted)
    return new HttpResponse()
  })(at('/', { signal: controller.signal }))
  expect(aborted).toEqual([false, true, true])
})
