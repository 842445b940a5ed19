/**
 * Goodput under ten times the load: `node --conditions=fwjs-source bench/overload/main.ts [--seconds 5] [--factor 10]`. First
 * measures the capacity with few connections that repeat requests, then sends requests at a fixed rate, whatever the server
 * answers.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    factor: { type: 'string', default: '10' },
    connections: { type: 'string', default: '64' },
    maxQueueTime: { type: 'string', default: '250' },
  },
})
const seconds = Number(values.seconds)
const request = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'
const openConnections = 1000

interface Counts {
  good: number
  refused: number
  failed: number
  /** Requests without a free connection. */
  unsent: number
  millis: number[]
}

const newCounts = (): Counts => ({ good: 0, refused: 0, failed: 0, unsent: 0, millis: [] })

/** A kept connection with at most one request. */
class Client {
  isBusy = true
  isOpen = false
  readonly #socket: Socket
  readonly #counts: Counts
  readonly #onFree: () => void
  #received = ''
  #sentAt = 0

  constructor(port: number, counts: Counts, onFree: (client: Client) => void) {
    this.#counts = counts
    this.#onFree = () => {
      this.isBusy = false
      onFree(this)
    }
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => {
      this.isOpen = true
      this.#onFree()
    })
    this.#socket.setEncoding('latin1').on('data', (text: string) => this.#receive(text))
    this.#socket.on('error', () => {})
    this.#socket.on('close', () => {
      if (this.isBusy) counts.failed++
      this.isOpen = false
    })
  }

  send(): void {
    this.isBusy = true
    this.#sentAt = performance.now()
    this.#socket.write(request)
  }

  close(): void {
    this.isBusy = false
    this.#socket.destroy()
  }

  #receive(text: string): void {
    this.#received += text
    const end = this.#received.indexOf('\r\n\r\n')
    if (end === -1) return
    const length = Number(/content-length: (\d+)/i.exec(this.#received)?.[1] ?? 0)
    if (this.#received.length < end + 4 + length) return
    const isGood = this.#received.startsWith('HTTP/1.1 200')
    this.#received = ''
    if (isGood) {
      this.#counts.good++
      this.#counts.millis.push(performance.now() - this.#sentAt)
    } else this.#counts.refused++
    this.#onFree()
  }
}

/** Each connection sends its next request after a response. */
async function measureCapacity(port: number): Promise<Counts> {
  const counts = newCounts()
  const isOver = deadline()
  const clients = Array.from(
    { length: Number(values.connections) },
    () => new Client(port, counts, (client) => !isOver() && client.send()),
  )
  await sleep(seconds * 1000)
  for (const client of clients) client.close()
  return counts
}

/** Opens connections one after another: the server accepts one in each turn of its event loop. */
async function openClients(port: number, counts: Counts, free: Client[]): Promise<Client[]> {
  const clients: Client[] = []
  for (let at = 0; at < openConnections; at++) {
    const opened = Promise.withResolvers<void>()
    let onFree = (client: Client): void => client.send()
    const client = new Client(port, counts, (one) => onFree(one))
    onFree = (one) => {
      onFree = () => {
        onFree = (again) => void free.push(again)
        free.push(one)
        opened.resolve()
      }
      one.send()
    }
    clients.push(client)
    await opened.promise
  }
  return clients
}

/** Sends `rate` requests a second on free connections, like a proxy that keeps connections. */
async function measureOverload(port: number, rate: number): Promise<Counts> {
  const counts = newCounts()
  const free: Client[] = []
  const clients = await openClients(port, counts, free)
  Object.assign(counts, newCounts())
  const start = performance.now()
  const isOver = deadline()
  let sent = 0
  while (!isOver()) {
    const due = ((performance.now() - start) / 1000) * rate
    for (; sent < due; sent++) {
      const client = free.pop()
      if (client === undefined) counts.unsent++
      else client.send()
    }
    await sleep(1)
  }
  for (const client of clients) client.close()
  return counts
}

function deadline(): () => boolean {
  const end = performance.now() + seconds * 1000
  return () => performance.now() >= end
}

const sleep = (millis: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, millis))

function percentile({ millis }: Counts, share: number): number {
  const sorted = millis.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN
}

function print(name: string, counts: Counts): void {
  const { good, refused, failed, unsent } = counts
  const p99 = percentile(counts, 0.99).toFixed(0)
  console.log(
    `${name}: ${(good / seconds).toFixed(0)} good/s, p99 ${p99} ms, ${(refused / seconds).toFixed(0)} refused/s, ${failed} failed, ${unsent} unsent`,
  )
}

const server = spawn(
  process.execPath,
  ['--conditions=fwjs-source', join(import.meta.dirname, 'server.ts'), values.maxQueueTime],
  { stdio: ['ignore', 'pipe', 'pipe'] },
)
let logBytes = 0
server.stderr.on('data', (text: Buffer) => (logBytes += text.length))
const [line] = (await once(server.stdout, 'data')) as [Buffer]
const port = Number(String(line).trim())
await measureCapacity(port)
const capacity = await measureCapacity(port)
print('capacity', capacity)
const overload = await measureOverload(port, (capacity.good / seconds) * Number(values.factor))
print(`${values.factor} times the load`, overload)
const goodput = ((100 * overload.good) / capacity.good).toFixed(0)
const delay = (percentile(overload, 0.99) / percentile(capacity, 0.99)).toFixed(1)
console.log(`goodput ${goodput} %, p99 ${delay} times, ${logBytes} bytes of log`)
server.kill()
