/** The process of the load generator: receives a message with a load, sends its requests, and replies with a `Result`. */
import { connect, type Socket } from 'node:net'

export interface Load {
  readonly port: number
  readonly path: string
  /** Before the measurement, under the same load. */
  readonly firstSeconds: number
  readonly seconds: number
  /**
   * Open loop: requests a second, sent without waiting for responses. Absent: closed loop, in which each connection sends its next
   * request after the response; in 0 seconds, one request.
   */
  readonly rate?: number
  readonly connections: number
}

/** The responses to the requests of one phase. */
export interface Counts {
  good: number
  refused: number
  /** Refusals without `Retry-After`, other statuses, broken connections, and requests without a response. */
  failed: number
  /** Requests without a free connection. */
  unsent: number
  /** Milliseconds of good responses; in the open loop from the time at which the request was due. */
  millis: number[]
  /** Milliseconds of refusals. */
  refusalMillis: number[]
}

export interface Result {
  readonly first: Counts
  readonly measured: Counts
}

const newCounts = (): Counts => ({
  good: 0,
  refused: 0,
  failed: 0,
  unsent: 0,
  millis: [],
  refusalMillis: [],
})

/** Milliseconds. The server closes a connection that is idle for five seconds, and announces so in `Keep-Alive`. */
const longestIdle = 4_000
/** Milliseconds in which the last responses arrive. */
const patience = 20_000

const sleep = (millis: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, millis))

/** A kept connection with at most one request. */
class Client {
  onFree: () => void = () => {}
  #freeSince = performance.now()
  #isClosed = false
  /** Of the phase in which the request was due; undefined without a request. */
  #counts: Counts | undefined
  readonly #socket: Socket
  readonly #request: string
  #received = ''
  #dueAt = 0

  constructor({ port, path }: Load, onOpen: () => void) {
    this.#request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true }, onOpen)
    this.#socket.setEncoding('latin1').on('data', (text: string) => this.#receive(text))
    this.#socket.on('error', () => {})
    this.#socket.on('close', () => {
      this.#isClosed = true
      this.#fail()
    })
  }

  /** Whether the connection is open and has not been idle for so long that the server may close it. */
  isOpen(now: number): boolean {
    return !this.#isClosed && now - this.#freeSince < longestIdle
  }

  get isWaiting(): boolean {
    return this.#counts !== undefined
  }

  send(counts: Counts, dueAt = performance.now()): void {
    this.#counts = counts
    this.#dueAt = dueAt
    this.#socket.write(this.#request)
  }

  close(): void {
    this.#fail()
    this.#socket.destroy()
  }

  #fail(): void {
    if (this.#counts !== undefined) this.#counts.failed++
    this.#counts = undefined
  }

  #receive(text: string): void {
    // The server announces with a 408 that it closes a connection that has sent no request.
    if (this.#counts === undefined) return
    this.#received += text
    const end = this.#received.indexOf('\r\n\r\n')
    if (end === -1) return
    const head = this.#received.slice(0, end)
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
    if (this.#received.length < end + 4 + length) return
    this.#received = ''
    this.#count(head, this.#counts)
    this.#counts = undefined
    this.#freeSince = performance.now()
    this.onFree()
  }

  #count(head: string, counts: Counts): void {
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

async function runClosedLoop(
  clients: readonly Client[],
  end: number,
  countsAt: (due: number) => Counts,
): Promise<void> {
  for (const client of clients) {
    client.onFree = () => {
      const now = performance.now()
      if (now < end) client.send(countsAt(now))
    }
    client.send(countsAt(performance.now()))
  }
  await sleep(end - performance.now())
}

/** Sends requests at a fixed rate on free connections, like a proxy that keeps connections. */
async function runOpenLoop(
  clients: readonly Client[],
  end: number,
  rate: number,
  countsAt: (due: number) => Counts,
): Promise<void> {
  const free = [...clients]
  for (const client of clients) client.onFree = () => void free.push(client)
  const interval = 1000 / rate
  for (let due = performance.now(); due < end; await sleep(1)) {
    const now = Math.min(performance.now(), end)
    for (; due < now; due += interval) {
      let client = free.pop()
      while (client !== undefined && !client.isOpen(now)) client = free.pop()
      if (client === undefined) countsAt(due).unsent++
      else client.send(countsAt(due), due)
    }
  }
}

async function measure(load: Load): Promise<Result> {
  const clients = await openClients(load)
  const [first, measured] = [newCounts(), newCounts()]
  const begin = performance.now() + load.firstSeconds * 1000
  const end = begin + load.seconds * 1000
  const countsAt = (due: number): Counts => (due < begin ? first : measured)
  if (load.rate === undefined) await runClosedLoop(clients, end, countsAt)
  else await runOpenLoop(clients, end, load.rate, countsAt)
  const lastEnd = performance.now() + patience
  while (clients.some(({ isWaiting }) => isWaiting) && performance.now() < lastEnd) await sleep(10)
  for (const client of clients) client.close()
  return { first, measured }
}

process.on('message', (load: Load) => void measure(load).then((result) => process.send!(result)))
process.on('disconnect', () => process.exit())
