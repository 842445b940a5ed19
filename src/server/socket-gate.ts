/** Accepts connections and hands them on unread: to another process, or to a server without a port of its own. */
import { createServer, type Server, type Socket } from 'node:net'
import type { Logger } from '../base.ts'
import { listenOn, type ListenAddress } from './listen-address.ts'
import { stderrLogger } from './server-settings.ts'

/** Listens on one port while those who answer come and go. */
export class SocketGate {
  readonly #server: Server
  readonly #logger: Logger

  /** `logger` writes JSON to standard error unless given. */
  constructor(onSocket: (socket: Socket) => void, logger: Logger = stderrLogger()) {
    this.#logger = logger
    this.#server = createServer({ pauseOnConnect: true, noDelay: true }, onSocket)
  }

  /** As `HttpServer.listen`. @throws FwError `server.listen-failed` */
  listen(port: number, host = '127.0.0.1'): Promise<ListenAddress> {
    return listenOn(this.#server, { port, host }, this.#logger)
  }

  /** Accepts no more; what was handed on is not this one's any longer. */
  close(): void {
    this.#server.close()
  }
}
