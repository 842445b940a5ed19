/** Deadlines, and the minimum rates of bodies and responses; the last over a real connection. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import * as fc from 'fast-check'
import {
  BodyRateMonitor,
  Deadlines,
  type HasDeadline,
  type MonitoredBody,
  WriteRateMonitor,
} from './time-limits.ts'
import { countSentBytes, countWrittenBytes } from './sent-bytes.ts'

interface Named extends HasDeadline {
  readonly name: string
}

const named = (name: string): Named => ({ name, listIndex: -1, beganAtCheck: 0 })

function watched(millis: number) {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const late: string[] = []
  return { late, deadlines: new Deadlines<Named>(millis, (one) => late.push(one.name)) }
}

test('deadlines: an item expires once, after its time', () => {
  const { late, deadlines } = watched(1600)
  deadlines.begin(named('a'))
  vi.advanceTimersByTime(800)
  deadlines.begin(named('b'))
  vi.advanceTimersByTime(800)
  expect(late).toEqual([])
  vi.advanceTimersByTime(101)
  expect(late).toEqual(['a'])
  vi.advanceTimersByTime(800)
  expect(late).toEqual(['a', 'b'])
  vi.advanceTimersByTime(10_000)
  expect(late).toEqual(['a', 'b'])
})

test('deadlines: an item expires outside the context of the request that started the timer', async () => {
  const request = new AsyncLocalStorage<string>()
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const deadlines = new Deadlines<Named>(16, () => resolve(request.getStore()))
  request.run('first', () => deadlines.begin(named('a')))
  expect(await promise).toBeUndefined()
})

test('property: exactly the items that did not end expire', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9)), (steps) => {
      vi.useFakeTimers()
      const late = new Set<string>()
      const deadlines = new Deadlines<Named>(1600, (one) => late.add(one.name))
      const items = Array.from({ length: 10 }, (_, index) => named(String(index)))
      const begun = new Set<string>()
      for (const step of steps) {
        const item = items[step]!
        if (begun.delete(item.name)) deadlines.end(item)
        else deadlines.begin(begun.add(item.name) && item)
      }
      vi.advanceTimersByTime(2000)
      expect(late).toEqual(begun)
      expect(vi.getTimerCount()).toBe(0)
      vi.useRealTimers()
    }),
  )
})

test('deadlines: an item that ends in time does not expire, and the timer stops without items', () => {
  const { late, deadlines } = watched(1600)
  const a = named('a')
  deadlines.begin(a)
  deadlines.end(a)
  vi.advanceTimersByTime(101)
  expect(vi.getTimerCount()).toBe(0)
  deadlines.begin(named('b'))
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(1701)
  expect(late).toEqual(['b'])
})

class Body implements MonitoredBody {
  readonly since = performance.now()
  listIndex = -1
  received: number
  refused = false

  constructor(received: number) {
    this.received = received
  }

  tooSlow(): void {
    this.refused = true
  }
}

test('body rate: a body below the minimum rate is rejected, five seconds after its start', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const rate = new BodyRateMonitor(100)
  const [slow, quick, ended] = [new Body(499), new Body(2000), new Body(0)]
  for (const body of [slow, quick, ended]) rate.begin(body)
  rate.end(ended)
  vi.advanceTimersByTime(4_900)
  expect(slow.refused).toBe(false)
  vi.advanceTimersByTime(1_100)
  expect([slow.refused, quick.refused, ended.refused]).toEqual([true, false, false])
  rate.end(slow)
  rate.end(quick)
  vi.advanceTimersByTime(1_000)
  expect(vi.getTimerCount()).toBe(0)
})

test('body rate: 0 is no limit', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  new BodyRateMonitor(0).begin(new Body(0))
  expect(vi.getTimerCount()).toBe(0)
})

const mib = 1024 * 1024
/** Several times the buffers of a connection, which take up to 10 MiB. */
const length = 64 * mib
const page = Buffer.alloc(length)

interface Received {
  readonly bytes: number
  readonly error: string | undefined
}

/** A client for which half a second passes with every 12 MiB, however busy the machine is. */
async function readSlowly(answer: (outgoing: ServerResponse) => unknown): Promise<Received> {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const server = createServer((_incoming, outgoing) => answer(outgoing))
  onTestFinished(() => void server.close())
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  let bytes = 0
  let nextTick = 12 * mib
  client.on('data', (piece) => {
    bytes += piece.length
    if (bytes < nextTick) return
    nextTick += 12 * mib
    vi.advanceTimersByTime(500)
  })
  return new Promise((done) => {
    let error: string | undefined
    client.on('error', (reason: NodeJS.ErrnoException) => (error = reason.code))
    client.on('close', () => done({ bytes, error }))
  })
}

test.each([
  ['at once', (outgoing: ServerResponse) => void outgoing.end(page)],
  [
    'in parts',
    (outgoing: ServerResponse) => {
      outgoing.write(page.subarray(1))
      outgoing.end(page.subarray(0, 1))
    },
  ],
])(
  'write rate: a client that reads fast enough gets a page sent %s, a slower one is reset',
  async (_how, send) => {
    const watched = (rate: WriteRateMonitor) => (outgoing: ServerResponse) => {
      send(outgoing)
      rate.watch(outgoing)
    }
    const fair = await readSlowly(watched(new WriteRateMonitor(1000, 240)))
    expect(fair.error).toBeUndefined()
    expect(fair.bytes).toBeGreaterThan(length)

    const slow = await readSlowly(watched(new WriteRateMonitor(1000, 1024 ** 3)))
    // The client of Node 22 reports a reset as an end.
    if (!process.version.startsWith('v22.')) expect(slow.error).toBe('ECONNRESET')
    expect(slow.bytes).toBeLessThan(length)
  },
)

test('write rate: 0 milliseconds is no limit', async () => {
  const { bytes } = await readSlowly((outgoing) => {
    outgoing.end(page)
    new WriteRateMonitor(0, 1024 ** 3).watch(outgoing)
  })
  expect(bytes).toBeGreaterThan(length)
})

test('write rate: without socket internals, the same for a page in small writes', async () => {
  const send = (rate: WriteRateMonitor) => async (outgoing: ServerResponse) => {
    outgoing.setMaxListeners(0)
    const size = 16 * 1024
    for (let at = 0; at < length && !outgoing.destroyed; at += size)
      if (!outgoing.write(page.subarray(at, at + size))) {
        rate.watch(outgoing)
        await Promise.race([once(outgoing, 'drain'), once(outgoing, 'close')])
      }
    outgoing.end()
    rate.watch(outgoing)
  }
  const fair = await readSlowly(send(new WriteRateMonitor(1000, 240, () => {}, countWrittenBytes)))
  expect(fair.error).toBeUndefined()
  expect(fair.bytes).toBeGreaterThan(length)
  const slow = await readSlowly(
    send(new WriteRateMonitor(1000, 1024 ** 3, () => {}, countWrittenBytes)),
  )
  expect(slow.bytes).toBeLessThan(length)
})

test('sent bytes: progress within one write, which the public counters do not show', async () => {
  const sent = new Set<number>()
  const written = new Set<number>()
  await readSlowly((outgoing) => {
    const socket = outgoing.socket!
    outgoing.end(page)
    const timer = setInterval(() => {
      sent.add(countSentBytes(socket))
      written.add(countWrittenBytes(socket))
    }, 20)
    socket.on('close', () => clearInterval(timer))
  })
  expect(written.size).toBeLessThanOrEqual(3)
  expect(sent.size).toBeGreaterThan(written.size)
})

test('sent bytes: falls back to the public counters', () => {
  const socket = { bytesWritten: 5, writableLength: 2 } as Socket
  expect(countSentBytes(socket)).toBe(3)
})
