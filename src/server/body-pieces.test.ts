/** BodyPieces, and the bodies that are gathered in it. */
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BodyPieces } from './body-pieces.ts'
import { BodyRate } from './body-rate.ts'
import { FetchRequest } from './fetch-request.ts'
import { NodeBody } from './node-body.ts'
import { ProxyTrust } from './proxy-trust.ts'

test('the whole is the pieces in order; one alone is not copied', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 3000 }), { maxLength: 8 }), (lengths) => {
      const given = lengths.map((length, at) => Buffer.alloc(length, at + 1))
      const pieces = new BodyPieces()
      for (const piece of given) pieces.add(piece)
      expect(Buffer.concat(given).equals(pieces.whole())).toBe(true)
      if (given.length === 1) expect(pieces.whole()).toBe(given[0])
    }),
  )
})

// What is kept of each costs five hundred times a byte: here every piece but the first is the same block.
const count = 300
const same = Buffer.alloc(1)
function* bytes(): Generator<Buffer> {
  for (let at = 0; at < count; at++) {
    same[0] = at
    yield at === 0 ? Buffer.from(same) : same
  }
}
const expected = Buffer.from(Array.from({ length: count }, (_, at) => at))

test('of small pieces nothing is kept but their bytes: in Node', async () => {
  const incoming = new IncomingMessage(new Socket())
  incoming.headers['transfer-encoding'] = 'chunked'
  const whole = new NodeBody(incoming, new BodyRate(0), undefined).bytes(1000)
  for (const piece of bytes()) incoming.emit('data', piece)
  incoming.emit('end')
  expect(expected.equals(await whole)).toBe(true)
})

test('of small pieces nothing is kept but their bytes: in Fetch', async () => {
  const pieces = bytes()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // The one before has been taken.
        await setImmediate()
        const { value } = pieces.next()
        if (value === undefined) controller.close()
        else controller.enqueue(value)
      },
    },
    { highWaterMark: 0 },
  )
  const init = { method: 'POST', body, duplex: 'half' }
  const request = new FetchRequest(new Request('http://localhost/', init), '', new ProxyTrust(0))
  expect(expected.equals(await request.body.bytes(1000))).toBe(true)
})
