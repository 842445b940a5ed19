/** Starts servers and opens raw sockets for tests. A raw socket sends exactly the given bytes. */
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { silentLogger } from '../base.ts'
import type { Handler } from '../http.ts'
import { HttpServer } from './http-server.ts'
import type { ServerSettings } from './server-settings.ts'

export interface TestServer extends AsyncDisposable {
  readonly server: HttpServer
  readonly port: number
  readonly url: string
  /** Sends `text` on a new connection. Resolves with all text that the server sends until it closes the connection. */
  exchange(text: string | Uint8Array): Promise<string>
  open(): Promise<RawClient>
}

type Serve = (handler: Handler, settings?: ServerSettings) => Promise<TestServer>

/** The two modes of `HttpServer`: with Node's internals, and with Node's public interface only. */
export const modes: readonly (readonly [mode: string, serve: Serve, usesInternals: boolean])[] = [
  ['with internals', (handler, settings) => serve(handler, settings, true), true],
  ['public interface only', (handler, settings) => serve(handler, settings, false), false],
]

export async function serve(
  handler: Handler,
  settings: ServerSettings = {},
  usesInternals = true,
): Promise<TestServer> {
  const server = new HttpServer(handler, { logger: silentLogger, ...settings }, usesInternals)
  const { port, url } = await server.listen(0)
  const open = (): Promise<RawClient> => RawClient.open(port)
  return {
    server,
    port,
    url,
    open,
    async exchange(text) {
      const client = await open()
      client.write(text)
      return client.closed()
    },
    async [Symbol.asyncDispose]() {
      server.destroy()
      await server.close(0)
    },
  }
}

export class RawClient {
  readonly socket: Socket
  received = ''
  #expected: { test: (text: string) => boolean; done: () => void }[] = []
  readonly #ended: Promise<void>

  constructor(socket: Socket) {
    this.socket = socket
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => {
      this.received += text
      this.#expected = this.#expected.filter(
        ({ test, done }) => !(test(this.received) && (done(), true)),
      )
    })
    socket.on('error', () => {})
    this.#ended = new Promise((resolve) => socket.once('close', () => resolve()))
  }

  static open(port: number): Promise<RawClient> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new RawClient(socket)))
      socket.once('error', reject)
    })
  }

  write(text: string | Uint8Array): void {
    this.socket.write(text)
  }

  /** Resolves with the received text as soon as it contains `text`. Rejects if the connection closes first. */
  async until(text: string): Promise<string> {
    if (!this.received.includes(text)) {
      const seen = new Promise<void>((done) => {
        this.#expected.push({ test: (received) => received.includes(text), done })
      })
      const ended = this.#ended.then(() => {
        throw new Error(`closed before ${JSON.stringify(text)}: ${JSON.stringify(this.received)}`)
      })
      ended.catch(() => {})
      await Promise.race([seen, ended])
    }
    return this.received
  }

  async closed(): Promise<string> {
    await this.#ended
    return this.received
  }
}

/** Returns a well-formed GET request to localhost. */
export function get(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`
}

export function post(path: string, body: string, headers = ''): string {
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`
}

export const close = 'Connection: close\r\n'
