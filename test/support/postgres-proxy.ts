/**
 * A proxy between an application and PostgreSQL. It observes messages, delays them, or cuts the connection at a
 * message.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/**
 * What the proxy does with a message of the application: forward it, or cut the connection before or after forwarding
 * it.
 */
export type ProxyAction = 'pass' | 'cut before' | 'cut after'

/**
 * Splits bytes into messages of the PostgreSQL protocol: type, length and content. A client's first message has no
 * type.
 */
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

/** Returns the content of a message as text, without the final zero byte. */
const textOf = (message: Buffer): string => message.subarray(5, -1).toString()

export class PostgresProxy {
  readonly #target: URL
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** Runs for each message of the application. For type `Q`, `text` is the SQL. */
  onClient: (type: string, text: string) => ProxyAction = () => 'pass'
  /** Runs for each message of the server. If it returns a promise, this message and all later ones wait for it. */
  onServer: (type: string, text: string) => void | Promise<void> = () => {}

  constructor(target: string) {
    this.#target = new URL(target)
    this.#server = createServer((client) => this.#connect(client))
  }

  /** Starts the proxy and returns its URL. */
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

  #connect(client: Socket): void {
    const server = connect(Number(this.#target.port || 5432), this.#target.hostname)
    for (const socket of [client, server]) {
      socket.setNoDelay(true)
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => this.#sockets.delete(socket))
    }
    this.#forwardToServer(client, server)
    this.#forwardToClient(server, client)
    client.on('close', () => server.end())
    server.on('close', () => client.end())
  }

  #forwardToServer(client: Socket, server: Socket): void {
    const splitter = new Splitter(true)
    let first = true
    let cut = false
    client.on('data', (chunk) => {
      for (const message of splitter.push(chunk)) {
        if (cut) return
        const type = first ? 'startup' : String.fromCharCode(message[0]!)
        const action = first ? 'pass' : this.onClient(type, textOf(message))
        first = false
        if (action !== 'cut before') server.write(message)
        if (action === 'pass') continue
        cut = true
        client.destroy()
        server.end()
      }
    })
  }

  #forwardToClient(server: Socket, client: Socket): void {
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
