/** Node internals: closes the idle connections of a server that drains, from the server's list of connections. */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

interface ConnectionList {
  idle(): readonly { readonly socket?: Socket | null }[]
}

const lookInterval = 250
/** After a pause of the whole machine, client and server need a poll each. */
const pollsPerLook = 3

interface IdleSince {
  /** Milliseconds of `performance.now()` at the first look without a request. */
  readonly time: number
  /** The bytes that the connection had received. */
  readonly received: number
}

/**
 * Closes the connections that have had no request for a time, like `keepalive_min_timeout` of nginx. Others end with their
 * next response. A look follows polls, so that bytes that have arrived count as a request.
 *
 * Reason: `closeIdleConnections` also closes connections whose last response was sent a moment ago, and whose client is
 * about to send the next request. Gain: no lost request, not speed. Plain path: `closeIdleConnections`, after the time in
 * which no connection received anything.
 */
export class IdleConnections {
  readonly #server: Server
  readonly #sockets: ReadonlySet<Socket>
  readonly #list: ConnectionList | undefined
  /** Milliseconds. */
  #idleTime = 0
  /** The idle connections of the previous look. */
  #idle = new Map<Socket, IdleSince>()
  /** For the plain path: all connections together. */
  #all: IdleSince | undefined
  #timer: NodeJS.Timeout | undefined
  #look: NodeJS.Immediate | undefined

  constructor(server: Server, sockets: ReadonlySet<Socket>, usesInternals: boolean) {
    this.#server = server
    this.#sockets = sockets
    this.#list = usesInternals ? findList(server) : undefined
  }

  /** Begins to look, or changes the time: milliseconds without a request. */
  closeAfter(idleTime: number): void {
    this.stop()
    this.#idleTime = idleTime
    this.#timer = setTimeout(() => this.#poll(pollsPerLook), Math.min(lookInterval, idleTime))
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
      this.closeAfter(this.#idleTime)
    })
  }

  #closeIdle(list: ConnectionList): void {
    const idle = new Map<Socket, IdleSince>()
    const time = performance.now()
    const withoutRequest = new Set(list.idle().map(({ socket }) => socket))
    for (const socket of this.#sockets) {
      // Browsers open connections in advance. Node counts a connection without a first request as busy.
      if (socket.bytesRead > 0 && (!withoutRequest.has(socket) || hasResponse(socket))) continue
      const since = idleSince(this.#idle.get(socket), socket.bytesRead, time)
      if (time - since.time >= this.#idleTime) socket.destroySoon()
      else idle.set(socket, since)
    }
    this.#idle = idle
  }

  #closeAll(): void {
    let received = 0
    for (const { bytesRead } of this.#sockets) received += bytesRead
    const time = performance.now()
    this.#all = idleSince(this.#all, received, time)
    if (time - this.#all.time < this.#idleTime) return
    this.#server.closeIdleConnections()
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy()
  }
}

function idleSince(previous: IdleSince | undefined, received: number, time: number): IdleSince {
  return previous?.received === received ? previous : { time, received }
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
