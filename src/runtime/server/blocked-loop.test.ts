/** Requests that arrive while the event loop is blocked for longer than a time limit. */
import { connect, createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { stopThread } from '../base/stop-thread.fixture.ts'
import { HttpResponse } from '../http.ts'
import { get, modes } from './raw-client.fixture.ts'
import { BodyRateMonitor, WriteRateMonitor } from './time-limits.ts'

describe.each(modes)('%s', (_, serve) => {
  test('a request on a connection that was idle for longer than keepAliveTimeout is served', async () => {
    await using server = await serve(() => new HttpResponse(200, 'served'), { keepAliveTimeout: 1 })
    const client = await server.open()
    client.write(get('/first'))
    await client.until('served')
    client.received = ''
    client.write(get('/second'))
    // Node closes an idle connection one second after `keepAliveTimeout`.
    stopThread(1_500)
    expect(await client.until('served')).toMatch(/^HTTP\/1.1 200/)
    await client.closed()
  })
})

/** Longer than the interval of both monitors. */
const pause = 1_200

/** Blocks the event loop after another socket has sent bytes, and calls `onData` when they are read. */
async function blockWhileBytesArrive(onData: () => void, begin: () => void): Promise<void> {
  const server = createServer((socket) => void socket.on('data', onData))
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const accepted = once(server, 'connection')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => void client.destroy())
  await accepted
  begin()
  client.write('arrived')
  stopThread(pause)
}

test('a body whose bytes have arrived is not rejected as too slow', async () => {
  const checked = Promise.withResolvers<void>()
  const since = performance.now() - 6_000
  const rejected: string[] = []
  const body = { since, listIndex: -1, received: 0, tooSlow: () => void rejected.push('arrived') }
  const slow = { since, listIndex: -1, received: 0, tooSlow: checked.resolve }
  const rate = new BodyRateMonitor(100)
  onTestFinished(() => rate.end(body))
  await blockWhileBytesArrive(
    () => (body.received += 10_000),
    () => {
      rate.begin(body)
      rate.begin(slow)
    },
  )
  await checked.promise
  rate.end(slow)
  expect(rejected).toEqual([])
})

test('a response that the client has read is not cut off as too slow', async () => {
  const checked = Promise.withResolvers<void>()
  const cut: string[] = []
  const sent = new Map<unknown, number>()
  const unsent = (destroy: () => void) =>
    ({ writableLength: 1, destroyed: false, socket: { destroy } }) as unknown as ServerResponse
  const read = unsent(() => void cut.push('read'))
  const slow = unsent(checked.resolve)
  const rate = new WriteRateMonitor(
    1_000,
    240,
    () => {},
    (socket) => sent.get(socket) ?? 0,
  )
  await blockWhileBytesArrive(
    () => sent.set(read.socket, 10_000),
    () => {
      rate.watch(read)
      rate.watch(slow)
    },
  )
  await checked.promise
  Object.assign(read, { destroyed: true })
  expect(cut).toEqual([])
})
