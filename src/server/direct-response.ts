/** Node's response with a shorter way for an answer that is there as a whole: head and body in one write. */
import { ServerResponse } from 'node:http'

function accessorOf(prototype: object, name: string): PropertyDescriptor {
  const own = Object.getOwnPropertyDescriptor(prototype, name)
  return own ?? accessorOf(Object.getPrototypeOf(prototype) as object, name)
}

/**
 * A server makes its responses of this class by the option `ServerResponse`. Node's own `writeHead` and `end` stay as
 * they are: for streams, for the last answer of a connection, and for whatever else does not go in one piece.
 */
export class DirectResponse extends ServerResponse {
  #sent = false
  #flushed = false

  /** Whether `sendWhole` may be called, when nothing is sent yet: it is this response's turn, and the connection stays. */
  get isDirect(): boolean {
    return this.shouldKeepAlive && this.socket !== null
  }

  /** `head` ends with an empty line and is Latin-1, as is a `body` that is text. */
  sendWhole(head: string, body: string | Uint8Array): void {
    const socket = this.socket!
    this.#sent = true
    if (typeof body === 'string') {
      socket.write(head + body, 'latin1', this.#whenFlushed)
      return
    }
    socket.cork()
    socket.write(head, 'latin1')
    socket.write(body, this.#whenFlushed)
    socket.uncork()
  }

  static {
    // Accessors in Node, properties in its types, which cannot be overridden by accessors.
    this.#override('headersSent', (response) => response.#sent)
    this.#override('writableEnded', (response) => response.#sent)
    this.#override('writableFinished', (response) => response.#flushed)
  }

  static #override(name: string, own: (response: DirectResponse) => boolean): void {
    const inherited = accessorOf(ServerResponse.prototype, name)
    Object.defineProperty(this.prototype, name, {
      get(this: DirectResponse) {
        return own(this) || inherited.get!.call(this)
      },
    })
  }

  // Node frees the connection for its next request by 'finish'; a connection that failed says 'close' alone.
  get #whenFlushed(): (error?: Error | null) => void {
    return (error) => {
      if (error != null) return
      this.#flushed = true
      this.emit('finish')
    }
  }
}
