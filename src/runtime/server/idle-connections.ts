/** Closes the idle connections of a server that drains. Uses Node internals: the server's list of connections. */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

interface ConnectionList {
  idle(): readonly { readonly socket?: Socket | null }[]
}

const lookInterval = 250
/** The number of polls before each look: after a pause of the whole machine, client and server need one poll each. */
const pollsPerLook = 3

interface IdleSince {
  /** The time (`performance.now()`) of the first look at which the connection had no request. */
  readonly time: number
  /** The number of bytes that the connection had received at that time. */
  readonly received: number
}

/**
 * Closes the connections that have had no request for a given time, like `keepalive_min_timeout` of nginx. Other connections
 * end with their next response. Each look at the connections follows several polls of the event loop, so that bytes that
 * have already arrived count as a request.
 *
 * Reason: Node's `closeIdleConnections` also closes connections whose last response was sent a moment ago. Their client may
 * be about to send the next request. Gain: no lost request, not speed. Plain path: `closeIdleConnections`, as soon as no
 * connection has received anything for the given time.
 */
export class IdleConnections {
  readonly #server: Server
  readonly #sockets: ReadonlySet<Socket>
  readonly #list: ConnectionList | undefined
  /** The time without a request, in milliseconds, after which a connection is closed. */
  #idleTime = 0
  /** The connections that were idle at the previous look. */
  #idle = new Map<Socket, IdleSince>()
  /** The state of all connections together, for the plain path. */
  #all: IdleSince | undefined
  #timer: NodeJS.Timeout | undefined
  #look: NodeJS.Immediate | undefined

  constructor(server: Server, sockets: ReadonlySet<Socket>, usesInternals: boolean) {
    this.#server = server
    this.#sockets = sockets
    this.#list = usesInternals ? findList(server) : undefined
  }

  /** Starts to close connections without a request for `idleTime` milliseconds. A further call changes the time. */
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
      // Also close connections without a first request, which browsers open in advance: Node counts them as busy.
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
