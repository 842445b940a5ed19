/** WebSockets: the handshake is a request with filters, session and a check of its origin; then a library gets the connection. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request as sendRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FwController, FwServer, routes } from '../../src/index.ts'
import { silentLogger } from '../../src/runtime/base.ts'
import { temporaryFolder } from '../support/serve.ts'

/** Node before 22.21 cannot choose which protocols it accepts. */
const acceptsWebSockets = 'shouldUpgradeCallback' in createServer()

/** Sends the handshake of a server and the text of the frame `hello`, in place of a library. */
function accept(incoming: IncomingMessage, socket: Duplex): void {
  const key = incoming.headers['sec-websocket-key']!
  const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
  const digest = createHash('sha1')
    .update(key + guid)
    .digest('base64')
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${digest}\r\n\r\n`,
  )
  socket.write(Buffer.concat([Buffer.from([0x81, 5]), Buffer.from('hello')]))
}

/** The action `wait` has begun, and may go on. */
let waiting = Promise.withResolvers<void>()
let gate = Promise.withResolvers<void>()

class EventsController extends FwController {
  static {
    this.before((controller) => {
      if (controller.cookies.get('user') === undefined) controller.haltWithBody(401)
    })
  }
  open() {
    return this.response.upgrade(accept)
  }
  refuse() {
    return this.response.upgrade(() => {
      throw new Error('the library refuses')
    })
  }
  refuseLater() {
    return this.response.upgrade(() => Promise.reject(new Error('the library refuses')))
  }
  async wait() {
    waiting.resolve()
    await gate.promise
    this.response.upgrade(accept)
  }
  fail() {
    this.response.upgrade(accept)
    throw new Error('after the decision')
  }
  echo() {
    return this.params.get('word')
  }
}
const events = routes(EventsController, (r) => ({
  openUrl: r.get('/events', 'open'),
  refuseUrl: r.get('/refuses', 'refuse'),
  refuseLaterUrl: r.get('/refuses-later', 'refuseLater'),
  waitUrl: r.get('/waits', 'wait'),
  failUrl: r.get('/fails', 'fail'),
  echoUrl: r.post('/echo', 'echo'),
}))

const handshake = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  Cookie: 'user=7',
}

let server: FwServer
let port: number
beforeAll(async () => {
  server = new FwServer({ logger: silentLogger }).mount(events)
  port = (await server.listen(0)).port
})
afterAll(() => server.close(0))

/** Sends a request, and returns the status and the body, or 101 with the socket. */
async function send(path: string, headers: Readonly<Record<string, string>>, body = '') {
  const method = body === '' ? 'GET' : 'POST'
  const sent = sendRequest({ host: '127.0.0.1', port, path, method, headers })
  sent.end(body)
  const [response, socket] = (await Promise.race([
    once(sent, 'upgrade'),
    once(sent, 'response'),
  ])) as [IncomingMessage, Duplex | undefined]
  if (socket !== undefined) return { status: response.statusCode, socket }
  return { status: response.statusCode, body: await text(response), headers: response.headers }
}

test.skipIf(!acceptsWebSockets)('after the filters, the library gets the connection', async () => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/events`, {
    headers: { cookie: 'user=7' },
  } as never)
  const [{ data }] = (await once(socket as never, 'message')) as [{ data: unknown }]
  expect(data).toBe('hello')
  socket.close()
})

test.skipIf(!acceptsWebSockets)(
  'a filter, a missing route and an error respond as to every request, and close the connection',
  async () => {
    const visitor = { ...handshake, Cookie: 'other=7' }
    expect(await send('/events', visitor)).toMatchObject({ status: 401 })
    expect(await send('/none', handshake)).toMatchObject({ status: 404 })
    const failed = await send('/fails', handshake)
    expect(failed).toMatchObject({ status: 500, headers: { connection: 'close' } })
  },
)

/** Returns whether a server still accepts connections. */
async function accepts(on: number): Promise<boolean> {
  const socket = connect(on, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** The text of a handshake. */
function handshakeText(path: string, further = ''): string {
  const lines = Object.entries(handshake).map(([name, value]) => `${name}: ${value}\r\n`)
  return `GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\n${lines.join('')}${further}\r\n`
}

test.skipIf(!acceptsWebSockets).each(['/refuses', '/refuses-later'])(
  'an error of the library ends the connection: %s',
  async (path) => {
    const socket = connect(port, '127.0.0.1')
    socket.write(handshakeText(path))
    expect(await text(socket)).toBe('')
  },
)

test.skipIf(!acceptsWebSockets)(
  'a handshake behind a request without a response closes the connection',
  async () => {
    waiting = Promise.withResolvers()
    gate = Promise.withResolvers()
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET /waits HTTP/1.1\r\nHost: localhost:${port}\r\nCookie: user=7\r\n\r\n`)
    await waiting.promise
    socket.write(handshakeText('/events'))
    expect(await text(socket)).toBe('')
    gate.resolve()
    const pipelined = connect(port, '127.0.0.1')
    pipelined.write(
      `GET /none HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n${handshakeText('/events')}`,
    )
    expect(await text(pipelined)).not.toContain('101')
    expect(await send('/none', {})).toMatchObject({ status: 404 })
  },
)

test('a handshake with a body is a plain request', async () => {
  const socket = connect(port, '127.0.0.1')
  socket.write(handshakeText('/events', 'Content-Length: 5\r\n'))
  const [response] = (await once(socket, 'data')) as [Buffer]
  expect(String(response)).toMatch(/^HTTP\/1\.1 426 /)
  socket.destroy()
})

test.skipIf(!acceptsWebSockets)(
  'a handshake that is accepted after the stop has begun gets a 503',
  async () => {
    waiting = Promise.withResolvers()
    gate = Promise.withResolvers()
    const other = new FwServer({ logger: silentLogger, root: temporaryFolder() }).mount(events)
    const address = await other.listen(0)
    const socket = connect(address.port, '127.0.0.1')
    socket.write(handshakeText('/waits').replace(`:${port}`, `:${address.port}`))
    await waiting.promise
    const closed = other.close(600_000)
    while (await accepts(address.port));
    gate.resolve()
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 503 /)
    await closed
  },
)

test('a handshake from another origin is refused', async () => {
  const foreign = { ...handshake, Origin: 'https://other.example' }
  expect(await send('/events', foreign)).toMatchObject({ status: 403 })
  const crossSite = { ...handshake, 'Sec-Fetch-Site': 'cross-site' }
  expect(await send('/events', crossSite)).toMatchObject({ status: 403 })
})

test.skipIf(!acceptsWebSockets)('a handshake from the own origin is accepted', async () => {
  const own = { ...handshake, Origin: `http://127.0.0.1:${port}`, 'Sec-Fetch-Site': 'same-origin' }
  const { status, socket } = (await send('/events', own)) as { status: number; socket: Duplex }
  expect(status).toBe(101)
  socket.destroy()
})

test('a request that is no handshake gets a 426, and one of a server without WebSockets a 501', async () => {
  expect(await send('/events', { Cookie: 'user=7' })).toMatchObject({
    status: 426,
    headers: { upgrade: 'websocket', connection: 'keep-alive, Upgrade' },
  })
  expect(await send('/events', { Cookie: 'user=7', Connection: 'close' })).toMatchObject({
    status: 426,
    headers: { connection: 'close, Upgrade' },
  })
  const app = await new FwServer({ logger: silentLogger, root: temporaryFolder() })
    .mount(events)
    .start()
  const fetched = async (headers: Readonly<Record<string, string>>) =>
    (await app.fetch(new Request('http://localhost/events', { headers }))).status
  expect(await fetched({ cookie: 'user=7' })).toBe(426)
  expect(await fetched({ cookie: 'user=7', upgrade: 'websocket' })).toBe(501)
  await app.close()
})

test('another protocol is ignored: the request keeps its body and its connection', async () => {
  const socket = connect(port, '127.0.0.1')
  const form = 'word=tide'
  const head = `POST /echo HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\nCookie: user=7\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n`
  socket.write(head + form)
  const [first] = (await once(socket, 'data')) as [Buffer]
  expect(String(first)).toMatch(/^HTTP\/1\.1 200 [^]*tide$/)
  socket.write(head + form)
  const [second] = (await once(socket, 'data')) as [Buffer]
  expect(String(second)).toMatch(/^HTTP\/1\.1 200 [^]*tide$/)
  socket.destroy()
})

test.skipIf(!acceptsWebSockets)('the server ends open WebSockets when it stops', async () => {
  const other = new FwServer({ logger: silentLogger, root: temporaryFolder() }).mount(events)
  const address = await other.listen(0)
  const socket = new WebSocket(`ws://127.0.0.1:${address.port}/events`, {
    headers: { cookie: 'user=7' },
  } as never)
  await once(socket as never, 'message')
  const closed = once(socket as never, 'close')
  await other.close(600_000)
  expect(await closed).toHaveLength(1)
})
