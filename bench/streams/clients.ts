/** Opens event streams on request, and reports when each of them has received the next event. */
import { connect, type Socket } from 'node:net'

/** Opens streams until there are `count`, or waits for the next event of all. */
export type Order =
  | { readonly port: number; readonly path: string; readonly count: number }
  | 'next'

/** Times of `Date.now()`, of the first and of the last stream. */
export interface Received {
  readonly first: number
  readonly last: number
}

/** Connections that are opened at once. */
const parallel = 100
const sockets: Socket[] = []
/** The number of events that each stream has received, and of streams that have received the current one. */
const received: number[] = []
let reached = 0
let event = 0
let first = 0
let whenReached: (times: Received) => void = () => {}

const eventMark = Buffer.from('data: ')

/** An event arrives in one chunk, because it is much shorter than a packet. */
function countEvents(chunk: Buffer): number {
  let count = 0
  for (let at = chunk.indexOf(eventMark); at >= 0; at = chunk.indexOf(eventMark, at + 1)) count++
  return count
}

function open(port: number, path: string): Promise<void> {
  const index = sockets.length
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  received.push(0)
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.on('close', () => reject(new Error('a stream ended')))
    socket.on('data', (chunk) => {
      const count = countEvents(chunk)
      if (count === 0) return
      const total = (received[index]! += count)
      resolve()
      // Each stream has one event at its start.
      if (total - count <= event && total > event && event > 0) reach()
    })
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n`)
  })
}

function reach(): void {
  const now = Date.now()
  if (reached === 0) first = now
  reached += 1
  if (reached === sockets.length) whenReached({ first, last: now })
}

async function openAll({ port, path, count }: Exclude<Order, 'next'>): Promise<void> {
  const next = async (): Promise<void> => {
    while (sockets.length < count) await open(port, path)
  }
  await Promise.all(Array.from({ length: parallel }, next))
}

process.on('message', (order: Order) => {
  if (order === 'next') {
    received.fill(1)
    event = 1
    reached = 0
    whenReached = (times) => void process.send!(times)
    process.send!('ready')
  } else {
    event = 0
    void openAll(order).then(() => process.send!('open'))
  }
})
process.on('disconnect', () => process.exit())
