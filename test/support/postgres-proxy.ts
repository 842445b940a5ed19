/** Stands between an application and its PostgreSQL server: sees every message, and cuts or holds where a test says. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** What becomes of a message of the client: passed on, or the connection cut before or after it. */
export type Verdict = 'pass' | 'cut before' | 'cut after'

/** Bytes to whole messages: a type and a length each; the client's first one has no type. */
class Splitter {
  #rest: Buffer = Buffer.alloc(0)
  #untyped: boolean

  constructor(untyped: boolean) {
    this.#untyped = untyped
  }

  push(chunk: Buffer): Buffer[] {
    this.#rest = Buffer.concat([this.#rest, chunk])
    const messages: Buffer[] = []
    for (;;) {
      const head = this.#untyped ? 0 : 1
      if (this.#rest.length < head + 4) return messages
      const end = head + this.#rest.readUInt32BE(head)
      if (this.#rest.length < end) return messages
      messages.push(this.#rest.subarray(0, end))
      this.#rest = this.#rest.subarray(end)
      this.#untyped = false
    }
  }
}

/** The message's text without type, length and closing zero. */
const textOf = (message: Buffer): string => message.subarray(5, -1).toString()

export class PostgresProxy {
  readonly #target: URL
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** Asked about each message of the application; `text` is the SQL of a `Q`. */
  onClient: (type: string, text: string) => Verdict = () => 'pass'
  /** Told of each message of the server; a promise holds it, and what follows, back. */
  onServer: (type: string, text: string) => void | Promise<void> = () => {}

  constructor(target: string) {
    this.#target = new URL(target)
    this.#server = createServer((client) => this.#join(client))
  }

  /** The address that leads through it. */
  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    const url = new URL(this.#target)
    url.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    return url.href
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #join(client: Socket): void {
    const server = connect(Number(this.#target.port || 5432), this.#target.hostname)
    for (const socket of [client, server]) {
      socket.setNoDelay(true)
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => this.#sockets.delete(socket))
    }
    this.#upwards(client, server)
    this.#downwards(server, client)
    client.on('close', () => server.end())
    server.on('close', () => client.end())
  }

  #upwards(client: Socket, server: Socket): void {
    const splitter = new Splitter(true)
    let first = true
    let cut = false
    client.on('data', (chunk) => {
      for (const message of splitter.push(chunk)) {
        if (cut) return
        const type = first ? 'startup' : String.fromCharCode(message[0]!)
        const verdict = first ? 'pass' : this.onClient(type, textOf(message))
        first = false
        if (verdict !== 'cut before') server.write(message)
        if (verdict === 'pass') continue
        cut = true
        client.destroy()
        server.end()
      }
    })
  }

  #downwards(server: Socket, client: Socket): void {
    const splitter = new Splitter(false)
    let passed = Promise.resolve()
    server.on('data', (chunk) => {
      for (const message of splitter.push(chunk)) {
        passed = passed
          .then(() => this.onServer(String.fromCharCode(message[0]!), textOf(message)))
          .then(() => void client.write(message))
      }
    })
  }
}
