/** Sends the head and the body of a response in one write, without `writeHead` and `end`. Uses Node internals. */
import type { Socket } from 'node:net'
import { ServerResponse } from './node-http.ts'

/**
 * Pass this class to `createServer` as the option `ServerResponse`. It overrides accessors of Node's class and emits the
 * event `finish` itself; `writeHead` and `end` work as in Node.
 *
 * Gain: less CPU time for each request (bench http, micro): 17 % for plain text, 16 % for JSON, 14 % with a parameter, 12 %
 * for a JSON body, 5 % for a form. Plain path: Node's `ServerResponse`, for streams, for the last response of a connection,
 * inside other frameworks, and on Bun.
 */
export class DirectResponse extends ServerResponse {
  #sent = false
  #flushed = false

  /** True if `sendWhole` may be called: the response has a socket, and the connection stays open after it. */
  get isDirect(): boolean {
    return this.shouldKeepAlive && this.socket !== null
  }

  /**
   * Sends the response. `head` must be Latin-1 and end with an empty line. A string `body` is sent as UTF-8; `bodyLength` is the
   * number of its bytes.
   */
  sendWhole(head: string, body: string | Uint8Array, bodyLength: number): void {
    const socket = this.socket!
    this.#sent = true
    if (typeof body === 'string') sendText(socket, head, body, bodyLength)
    else {
      socket.cork()
      socket.write(head, 'latin1')
      socket.write(body)
      socket.uncork()
    }
    // The operating system nearly always takes all bytes at once, so that most responses need no callback.
    if (socket.writableLength > 0)
      socket.write('', (error) => {
        if (error == null) this.#finish()
      })
    else if (!socket.destroyed && socket.errored === null) this.#finish()
  }

  // On the event `finish`, Node releases the connection for its next request. A failed connection emits only `close`.
  #finish(): void {
    this.#flushed = true
    this.emit('finish')
  }

  static {
    // Node implements these members as accessors, but its types declare properties, which TypeScript does not let an
    // accessor override.
    this.#override('headersSent', (response) => response.#sent)
    this.#override('writableEnded', (response) => response.#sent)
    this.#override('writableFinished', (response) => response.#flushed)
  }

  static #override(name: string, own: (response: DirectResponse) => boolean): void {
    const inherited = findAccessor(ServerResponse.prototype, name)
    Object.defineProperty(this.prototype, name, {
      get(this: DirectResponse) {
        return own(this) || inherited.get!.call(this)
      },
    })
  }
}

/** Sends head and body as one string if one encoding is right for both, because Node then needs no Buffer. */
function sendText(socket: Socket, head: string, body: string, bodyLength: number): void {
  const isAscii = bodyLength === body.length
  if (isAscii) socket.write(head + body, 'latin1')
  else if (Buffer.byteLength(head) === head.length) socket.write(head + body, 'utf8')
  else {
    socket.cork()
    socket.write(head, 'latin1')
    socket.write(body, 'utf8')
    socket.uncork()
  }
}

function findAccessor(prototype: object, name: string): PropertyDescriptor {
  const own = Object.getOwnPropertyDescriptor(prototype, name)
  return own ?? findAccessor(Object.getPrototypeOf(prototype) as object, name)
}
