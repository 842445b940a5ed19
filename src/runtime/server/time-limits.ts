/** Enforces time limits and minimum rates for many requests at once, with one timer for each kind of limit. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { IndexedList, outsideRequests, type Listed } from '../base.ts'
import { countSentBytes } from './sent-bytes.ts'

/** Checks items at an interval while there are any, because a timer per item would cost as much as the request itself. */
class CheckTimer {
  readonly #interval: number
  readonly #check: () => number
  #timer: NodeJS.Timeout | undefined

  /** @param check checks all items, and returns the number of items that remain */
  constructor(interval: number, check: () => number) {
    this.#interval = interval
    this.#check = check
  }

  start(): void {
    this.#timer ??= outsideRequests(this.#begin)
  }

  readonly #begin = (): NodeJS.Timeout => setInterval(this.#checkAfterPoll, this.#interval).unref()

  /** If the event loop was blocked, its next poll reads what has arrived meanwhile: check only then. */
  readonly #checkAfterPoll = (): void => void setImmediate(this.#run)

  readonly #run = (): void => {
    if (this.#check() > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

const checksPerDeadline = 16

/** An item with a time limit. */
export interface HasDeadline extends Listed {
  /** The number of checks that had run when the item began. */
  beganAtCheck: number
}

/**
 * Calls `expire` once for each item that has not ended within `millis`, at most a sixteenth of `millis` late; 0 is no limit.
 */
export class Deadlines<T extends HasDeadline> {
  readonly #expire: (item: T) => void
  readonly #timer: CheckTimer | undefined
  readonly #items = new IndexedList<T>()
  #checks = 0

  constructor(millis: number, expire: (item: T) => void) {
    this.#expire = expire
    const interval = Math.ceil(millis / checksPerDeadline)
    if (interval > 0) this.#timer = new CheckTimer(interval, () => this.#check())
  }

  /** The number of items that have neither ended nor expired. */
  get size(): number {
    return this.#items.size
  }

  begin(item: T): void {
    item.beganAtCheck = this.#checks
    this.#items.add(item)
    this.#timer?.start()
  }

  /** Removes an item. Does nothing for an item that has already ended or expired. */
  end(item: T): void {
    this.#items.remove(item)
  }

  /** Begins the time of an item again. Does nothing for an item that has already ended or expired. */
  restart(item: T): void {
    item.beganAtCheck = this.#checks
  }

  endAll(): readonly T[] {
    const items = this.#items.all()
    for (const item of items) this.end(item)
    return items
  }

  #check(): number {
    this.#checks += 1
    for (const item of this.#items.all()) {
      if (this.#checks - item.beganAtCheck <= checksPerDeadline) continue
      this.end(item)
      this.#expire(item)
    }
    return this.#items.size
  }
}

const bodyGrace = 5_000

/** A request body that is being received. */
export interface MonitoredBody extends Listed {
  /** The time at which the reading began (`performance.now()`). */
  readonly since: number
  readonly received: number
  /** Rejects the body, because it arrives too slowly. */
  tooSlow(): void
}

/** Rejects request bodies that arrive too slowly, because each could occupy memory and a connection for hours. */
export class BodyRateMonitor {
  readonly #minRate: number
  readonly #report: () => void
  readonly #bodies = new IndexedList<MonitoredBody>()
  readonly #timer = new CheckTimer(1_000, () => this.#check())

  /**
   * @param minRate the minimum bytes per second, averaged since the body's start; checked after five seconds; 0 is no limit
   * @param report called for each body that is rejected
   */
  constructor(minRate: number, report = (): void => {}) {
    this.#minRate = minRate
    this.#report = report
  }

  get hasMinimum(): boolean {
    return this.#minRate > 0
  }

  begin(body: MonitoredBody): void {
    if (!this.hasMinimum) return
    this.#bodies.add(body)
    this.#timer.start()
  }

  end(body: MonitoredBody): void {
    this.#bodies.remove(body)
  }

  isTooSlow({ since, received }: MonitoredBody): boolean {
    const millis = performance.now() - since
    return millis >= bodyGrace && received < (this.#minRate * millis) / 1000
  }

  #check(): number {
    for (const body of this.#bodies.all()) {
      if (!this.isTooSlow(body)) continue
      body.tooSlow()
      this.#report()
    }
    return this.#bodies.size
  }
}

/** The last progress of a response: the number of bytes sent until `since`, a time of `performance.now()`. */
interface Progress {
  sent: number
  since: number
}

/** Cuts off clients that read a response too slowly, because each could occupy memory and a connection for hours. */
export class WriteRateMonitor {
  readonly #responses = new Map<ServerResponse, Progress>()
  readonly #timer = new CheckTimer(500, () => this.#check())
  readonly #within: number
  readonly #minBytes: number
  readonly #report: () => void
  readonly #countBytes: (socket: Socket) => number

  /**
   * @param within the milliseconds over which the client's rate is averaged; 0 is no limit
   * @param rate the minimum bytes per second; with 0, any progress is enough
   * @param report called for each client that is cut off
   */
  constructor(within: number, rate: number, report = (): void => {}, countBytes = countSentBytes) {
    this.#within = within
    this.#minBytes = Math.max(1, (rate * within) / 1000)
    this.#report = report
    this.#countBytes = countBytes
  }

  /** Monitors the response until all of it is sent. */
  watch(outgoing: ServerResponse): void {
    if (this.#within === 0 || outgoing.writableLength === 0 || this.#responses.has(outgoing)) return
    const sent = this.#sentBy(outgoing.socket)
    this.#responses.set(outgoing, { sent, since: performance.now() })
    this.#timer.start()
  }

  #check(): number {
    const now = performance.now()
    for (const [outgoing, progress] of this.#responses) {
      const { socket } = outgoing
      if (outgoing.destroyed || outgoing.writableLength === 0) {
        this.#responses.delete(outgoing)
        continue
      }
      const sent = this.#sentBy(socket)
      // A response without a socket waits for the responses to earlier requests of its connection, so it is not slow.
      if (socket === null || sent >= progress.sent + this.#minBytes) {
        progress.sent = sent
        progress.since = now
      } else if (now - progress.since >= this.#within) {
        this.#responses.delete(outgoing)
        cutOff(socket)
        this.#report()
      }
    }
    return this.#responses.size
  }

  #sentBy(socket: Socket | null): number {
    return socket === null ? 0 : this.#countBytes(socket)
  }
}

/** Resets the connection, because after a normal close the operating system could keep the unsent bytes for hours. */
function cutOff(socket: Socket): void {
  if ('encrypted' in socket || socket.remoteAddress === undefined) socket.destroy()
  else socket.resetAndDestroy()
}
