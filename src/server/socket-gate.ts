/** Accepts connections and hands them on unread: to another process, or to a server without a port of its own. */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { addressOf, listenError, type ListenAddress } from './listen-address.ts'

/** Listens on one port while those who answer come and go. */
export class SocketGate {
  readonly #server: Server

  constructor(onSocket: (socket: Socket) => void) {
    this.#server = createServer({ pauseOnConnect: true, noDelay: true }, onSocket)
  }

  /** As `HttpServer.listen`. @throws FwError `server.listen-failed` */
  listen(port: number, host = '127.0.0.1'): Promise<ListenAddress> {
    return new Promise((resolve, reject) => {
      const onError = (cause: Error): void => reject(listenError(port, host, cause))
      this.#server.once('error', onError)
      this.#server.listen({ port, host }, () => {
        this.#server.off('error', onError)
        // Running out of descriptors shows here, and passes.
        this.#server.on('error', () => {})
        resolve(addressOf(this.#server.address() as AddressInfo))
      })
    })
  }

  /** Accepts no more; what was handed on is not this one's any longer. */
  close(): void {
    this.#server.close()
  }
}
