/** The process of the load generator: receives a message with a load, sends its requests, and replies with `Counts`. */
import { connect, type Socket } from 'node:net'

/** A measurement. */
export interface Load {
  readonly port: number
  readonly path: string
  readonly seconds: number
  /**
   * Open loop: requests a second, sent without waiting for responses. Absent: closed loop, in which each connection sends its next
   * request after the response.
   */
  readonly rate?: number
  readonly connections: number
}

/** The responses of a measurement. */
export interface Counts {
  good: number
  refused: number
  /** Refusals without `Retry-After`, other statuses, and broken connections. */
  failed: number
  /** Requests without a free connection. */
  unsent: number
  /** Milliseconds of good responses; in the open loop from the time at which the request was due. */
  millis: number[]
  /** Milliseconds of refusals. */
  refusalMillis: number[]
}

const newCounts = (): Counts => ({
  good: 0,
  refused: 0,
  failed: 0,
  unsent: 0,
  millis: [],
  refusalMillis: [],
})

const sleep = (millis: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, millis))

/** A kept connection with at most one request. */
class Client {
  counts = newCounts()
  onFree: () => void = () => {}
  readonly #socket: Socket
  readonly #request: string
  #received = ''
  #dueAt = 0
  #isClosing = false

  constructor({ port, path }: Load, onOpen: () => void) {
    this.#request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true }, onOpen)
    this.#socket.setEncoding('latin1').on('data', (text: string) => this.#receive(text))
    this.#socket.on('error', () => {})
    this.#socket.on('close', () => {
      if (!this.#isClosing) this.counts.failed++
    })
  }

  send(dueAt = performance.now()): void {
    this.#dueAt = dueAt
    this.#socket.write(this.#request)
  }

  close(): void {
    this.#isClosing = true
    this.#socket.destroy()
  }

  #receive(text: string): void {
    this.#received += text
    const end = this.#received.indexOf('\r\n\r\n')
    if (end === -1) return
    const head = this.#received.slice(0, end)
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
    if (this.#received.length < end + 4 + length) return
    this.#received = ''
    this.#count(head)
    this.onFree()
  }

  #count(head: string): void {
    const { counts } = this
    const millis = performance.now() - this.#dueAt
    if (head.startsWith('HTTP/1.1 200')) {
      counts.good++
      counts.millis.push(millis)
    } else if (head.startsWith('HTTP/1.1 503') && /retry-after: 1/i.test(head)) {
      counts.refused++
      counts.refusalMillis.push(millis)
    } else counts.failed++
  }
}

/** Opens connections one after another: the server accepts one in each turn of its event loop. */
async function openClients(load: Load): Promise<Client[]> {
  const clients: Client[] = []
  for (let at = 0; at < load.connections; at++)
    await new Promise<void>((resolve) => clients.push(new Client(load, resolve)))
  return clients
}

function runClosedLoop(clients: readonly Client[], end: number): void {
  for (const client of clients) {
    client.onFree = () => {
      if (performance.now() < end) client.send()
    }
    client.send()
  }
}

/** Sends requests at a fixed rate on free connections, like a proxy that keeps connections. */
async function runOpenLoop(
  clients: readonly Client[],
  end: number,
  rate: number,
  counts: Counts,
): Promise<void> {
  const free = [...clients]
  for (const client of clients) client.onFree = () => void free.push(client)
  const start = performance.now()
  let sent = 0
  while (performance.now() < end) {
    const due = ((performance.now() - start) / 1000) * rate
    for (; sent < due; sent++) {
      const client = free.pop()
      if (client === undefined) counts.unsent++
      else client.send(start + (sent / rate) * 1000)
    }
    await sleep(1)
  }
}

async function measure(load: Load): Promise<Counts> {
  const clients = await openClients(load)
  const counts = newCounts()
  for (const client of clients) client.counts = counts
  const end = performance.now() + load.seconds * 1000
  if (load.rate === undefined) {
    runClosedLoop(clients, end)
    await sleep(load.seconds * 1000)
  } else await runOpenLoop(clients, end, load.rate, counts)
  const { millis, refusalMillis, ...numbers } = counts
  for (const client of clients) client.close()
  return { ...numbers, millis: [...millis], refusalMillis: [...refusalMillis] }
}

process.on('message', (load: Load) => void measure(load).then((counts) => process.send!(counts)))
process.on('disconnect', () => process.exit())
