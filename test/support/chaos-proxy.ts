/** A proxy between a client and an application. It delays, splits or cuts the bytes of a request or response. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/**
 * How the proxy ends a connection. `close` sends FIN to both sides, `reset` sends RST. `half-close` sends FIN to the
 * receiver; the other direction stays open. `black hole` keeps both sides open and drops all further bytes.
 */
export type Ending = 'close' | 'reset' | 'half-close' | 'black hole'

/** What the proxy does with the bytes of one direction: requests or responses. */
export interface Chaos {
  /** The delay in milliseconds before the proxy forwards each chunk. */
  readonly delay?: number
  /** Whether the proxy sends each byte in a separate packet. */
  readonly bytewise?: boolean
  /** The number of bytes that the proxy forwards before it ends the connection as `ending` says. */
  readonly after?: number
  readonly ending?: Ending
}

/** The sockets of one connection: to the client and to the server. */
interface Pair {
  readonly sockets: readonly [Socket, Socket]
  isBlackHole: boolean
}

export class ChaosProxy {
  readonly #target: number
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** What the proxy does with requests. A change applies to connections that are opened later. */
  request: Chaos = {}
  response: Chaos = {}
  /** Runs when the proxy has ended a connection as `ending` says. */
  onEnding: () => void = () => {}
  /** Runs when the application has closed a connection. */
  onServerEnd: () => void = () => {}

  constructor(target: number) {
    this.#target = target
    // A client that has sent FIN still reads the response.
    this.#server = createServer({ allowHalfOpen: true }, (client) => this.#connect(client))
  }

  /** Starts the proxy and returns its port. */
  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return (this.#server.address() as AddressInfo).port
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #connect(client: Socket): void {
    const server = connect({ port: this.#target, host: '127.0.0.1', allowHalfOpen: true })
    const pair: Pair = { sockets: [client, server], isBlackHole: false }
    for (const socket of pair.sockets) {
      socket.setNoDelay(true)
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => this.#sockets.delete(socket))
    }
    server.once('end', () => this.onServerEnd())
    void this.#forward(client, server, this.request, pair)
    void this.#forward(server, client, this.response, pair)
  }

  async #forward(from: Socket, to: Socket, chaos: Chaos, pair: Pair): Promise<void> {
    const { delay = 0, bytewise = false, after = Infinity, ending } = chaos
    let left = after
    try {
      for await (const bytes of from.iterator({ destroyOnReturn: false })) {
        if (pair.isBlackHole) continue
        if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay))
        const part = (bytes as Buffer).subarray(0, left)
        left -= part.length
        await write(to, part, bytewise)
        if (left > 0 || ending === undefined) continue
        this.#end(ending, to, pair)
        if (ending !== 'black hole') return
      }
      if (!pair.isBlackHole) to.end()
    } catch {
      for (const socket of pair.sockets) socket.destroy()
    }
  }

  #end(ending: Ending, to: Socket, pair: Pair): void {
    if (ending === 'half-close') to.end()
    if (ending === 'reset') for (const socket of pair.sockets) socket.resetAndDestroy()
    if (ending === 'close') for (const socket of pair.sockets) socket.destroy()
    if (ending === 'black hole') pair.isBlackHole = true
    this.onEnding()
  }
}

async function write(to: Socket, bytes: Buffer, bytewise: boolean): Promise<void> {
  const size = bytewise ? 1 : bytes.length
  for (let at = 0; at < bytes.length; at += size)
    await new Promise<void>((resolve, reject) => {
      to.write(bytes.subarray(at, at + size), (error) => (error ? reject(error) : resolve()))
    })
}
