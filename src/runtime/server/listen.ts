/** Listens on a port: returns the address, and throws readable errors. */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { FwError, type Logger } from '../base.ts'
import { logError } from './error-response.ts'
import { stderrLogger } from './server-settings.ts'

/** The address of a listening server. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
  /** The URL `http://host:port`, for a browser. */
  readonly url: string
}

/** A port of this machine, or the file descriptor of a TCP socket that a parent process, such as systemd, has opened. */
export type ListenTarget =
  | { readonly port: number; readonly host: string }
  | { readonly fd: number }

/**
 * Listens on `target`; port 0 selects a free port. Logs errors of the server that happen after the start.
 * @throws FwError `server.listen-failed`
 */
export function listenOn(
  server: Server,
  target: ListenTarget,
  logger: Logger,
): Promise<ListenAddress> {
  return new Promise((resolve, reject) => {
    const onError = (cause: Error): void => reject(listenError(target, cause))
    server.once('error', onError)
    server.listen(target, () => {
      server.off('error', onError)
      const bound: AddressInfo | string | null | undefined = server.address()
      // A Unix domain socket has no address.
      if (typeof bound !== 'object' || bound?.address === undefined) {
        server.close()
        return onError(new Error('it is not a TCP socket'))
      }
      // Only log: after an error such as EMFILE (no free file descriptors) the server recovers by itself.
      server.on('error', (error) => logError(logger, error, 'server error'))
      const { address: host, port, family } = bound
      resolve({ host, port, url: `http://${family === 'IPv6' ? `[${host}]` : host}:${port}` })
    })
  })
}

const listenProblems: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'another process listens there. Stop it, or choose another port with --port, FW_PORT or PORT',
  EACCES: 'ports below 1024 need a privilege. Choose a higher one with --port, FW_PORT or PORT',
  EADDRNOTAVAIL: 'this machine has no such address',
}

function listenError(target: ListenTarget, cause: Error): FwError {
  const problem = listenProblems[(cause as NodeJS.ErrnoException).code ?? ''] ?? cause.message
  const place = 'fd' in target ? `file descriptor ${target.fd}` : `${target.host}:${target.port}`
  return new FwError('server.listen-failed', `Cannot listen on ${place}: ${problem}.`, { cause })
}

/** Accepts connections and passes the unread sockets on, to another process or to `HttpServer.handleSocket`. */
export class SocketListener {
  readonly #server: Server
  readonly #logger: Logger

  /** The default `logger` writes JSON to standard error. */
  constructor(onSocket: (socket: Socket) => void, logger: Logger = stderrLogger()) {
    this.#logger = logger
    this.#server = createServer({ pauseOnConnect: true, noDelay: true }, onSocket)
  }

  /** Listens on a port of `host`; port 0 selects a free port. @throws FwError `server.listen-failed` */
  listen(port: number, host = '127.0.0.1'): Promise<ListenAddress> {
    return listenOn(this.#server, { port, host }, this.#logger)
  }

  /** Stops accepting connections. Connections that were already passed on stay open. */
  close(): void {
    this.#server.close()
  }
}
