/** A client that takes a response in small bites, over a real connection. */
import { createServer, type ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WriteRate } from './write-rate.ts'

/** More than a system keeps for a connection. */
const length = 16 * 1024 * 1024
const page = Buffer.alloc(length)

interface Taken {
  readonly bytes: number
  readonly error: string | undefined
}

/** Takes a piece of some 64 KiB each 10 ms of what `answer` sends. */
async function takeSlowly(answer: (outgoing: ServerResponse) => void): Promise<Taken> {
  const server = createServer((_incoming, outgoing) => answer(outgoing))
  onTestFinished(() => void server.close())
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  let bytes = 0
  client.on('data', (piece) => {
    bytes += piece.length
    client.pause()
    setTimeout(() => client.resume(), 10)
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
  'who takes enough of a page sent %s gets it, however long it takes; who takes less is reset',
  async (_how, send) => {
    const watched = (rate: WriteRate) => (outgoing: ServerResponse) => {
      send(outgoing)
      rate.watch(outgoing)
    }
    const fair = await takeSlowly(watched(new WriteRate(1000, 240)))
    expect(fair.error).toBeUndefined()
    expect(fair.bytes).toBeGreaterThan(length)

    const slow = await takeSlowly(watched(new WriteRate(1000, 1024 ** 3)))
    // The client of Node 22 takes a reset for an end.
    if (!process.version.startsWith('v22.')) expect(slow.error).toBe('ECONNRESET')
    expect(slow.bytes).toBeLessThan(length)
  },
)

test('without a limit nobody is looked at', async () => {
  const { bytes } = await takeSlowly((outgoing) => {
    outgoing.end(page)
    new WriteRate(0, 1024 ** 3).watch(outgoing)
  })
  expect(bytes).toBeGreaterThan(length)
})
