/** Node internals: closes the idle connections of a server that drains, from the server's list of connections. */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

interface ConnectionList {
  idle(): readonly { readonly socket?: Socket | null }[]
}

const lookInterval = 250
/** After a pause of the whole machine, client and server need a poll each. */
const pollsPerLook = 3

/**
 * Looks at the connections at an interval, and closes those without a request in two looks. A look follows polls, so that
 * bytes that have arrived count as a request.
 *
 * Reason: `closeIdleConnections` also closes connections whose last response was sent a moment ago, and whose client is
 * about to send the next request. Gain: no lost request, not speed. Plain path: `closeIdleConnections`, after an interval in
 * which no connection received anything.
 */
export class IdleConnections {
  readonly #server: Server
  readonly #sockets: ReadonlySet<Socket>
  readonly #list: ConnectionList | undefined
  /** The idle connections of the previous look, with the bytes that each had received. */
  #idle = new Map<Socket, number>()
  #received = -1
  #timer: NodeJS.Timeout | undefined
  #look: NodeJS.Immediate | undefined

  constructor(server: Server, sockets: ReadonlySet<Socket>, usesInternals: boolean) {
    this.#server = server
    this.#sockets = sockets
    this.#list = usesInternals ? findList(server) : undefined
  }

  /** Begins to look. */
  close(): void {
    this.#timer = setTimeout(() => this.#poll(pollsPerLook), lookInterval)
  }

  stop(): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#look)
  }

  #poll(polls: number): void {
    this.#look = setImmediate(() => {
      if (polls > 1) return this.#poll(polls - 1)
      if (this.#list === undefined) this.#closeAll()
      else this.#closeIdle(this.#list)
      this.close()
    })
  }

  #closeIdle(list: ConnectionList): void {
    const idle = new Map<Socket, number>()
    for (const { socket } of list.idle()) {
      if (socket == null || socket.bytesRead === 0 || hasResponse(socket)) continue
      if (this.#idle.get(socket) === socket.bytesRead) socket.destroySoon()
      else idle.set(socket, socket.bytesRead)
    }
    this.#idle = idle
  }

  #closeAll(): void {
    let received = 0
    for (const { bytesRead } of this.#sockets) received += bytesRead
    if (received === this.#received) this.#server.closeIdleConnections()
    this.#received = received
  }
}

const hasResponse = (socket: Socket): boolean =>
  (socket as { _httpMessage?: object | null })._httpMessage != null

function findList(server: Server): ConnectionList | undefined {
  const key = Object.getOwnPropertySymbols(server).find(
    ({ description }) => description === 'http.server.connections',
  )
  const list = key && (Reflect.get(server, key) as Partial<ConnectionList> | undefined)
  return typeof list?.idle === 'function' ? (list as ConnectionList) : undefined
}
