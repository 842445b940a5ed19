/** `RequestQueue`: the queue of requests that Node has read and the application has not begun to handle. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { NodeContainer, OverloadLimit } from './node-handler.ts'
import type { ResolvedSettings } from './server-settings.ts'

/** Takes the parts of a waiting request. `since` is the time of its first turn of the event loop; 0 during that turn. */
type WaitingCallback = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  expectsContinue: boolean,
  since: number,
) => void

/** In each turn of the event loop, requests begin for so many milliseconds; then Node reads those that have arrived. */
const slice = 10
/** The milliseconds by which each waiting request prolongs the slice. */
const slicePerWaiting = 0.01
/** Milliseconds. If other work of a turn took longer, only one request begins, because those in flight need the time. */
const longWork = 25

/**
 * Handles requests in the order of arrival. They begin after Node has read all requests that have arrived, which saves a third
 * of the CPU time under load. A request gets 503 if it waits longer than `maxQueueTime`. It also gets 503 if it arrives while
 * `maxRequests` wait or are in flight, or while the process uses more than `maxMemory`. Each request has its own `setImmediate`
 * calls, which keep its async context.
 */
export class RequestQueue {
  readonly #container: NodeContainer
  readonly #settings: ResolvedSettings
  #waiting = 0
  #isClosed = false
  #hasTurn = false
  #turnStart = 0
  #clockedAt = 0
  /** True if no further request may begin in this turn. */
  #isOver = false
  /** The number of requests begun in this turn, and of those that may begin before the clock is read again. */
  #begun = 0
  #unclocked = 0

  constructor(container: NodeContainer, settings: ResolvedSettings) {
    this.#container = container
    this.#settings = settings
  }

  add(incoming: IncomingMessage, outgoing: ServerResponse, expectsContinue: boolean): void {
    this.#waiting++
    this.#wait(incoming, outgoing, expectsContinue, 0)
  }

  /** Refuses all waiting and later requests. Call it when the grace time of a shutdown is over. */
  refuseAll(): void {
    this.#isClosed = true
  }

  readonly #wait: WaitingCallback = (incoming, outgoing, expectsContinue, since) => {
    if (!this.#hasTurn) setImmediate(this.#startTurn)
    this.#hasTurn = true
    setImmediate(this.#dequeue, incoming, outgoing, expectsContinue, since)
  }

  readonly #startTurn = (): void => {
    const now = performance.now()
    // If requests wait, the clock was last read when the previous turn was over.
    this.#isOver &&= now - this.#clockedAt > longWork
    this.#hasTurn = false
    this.#turnStart = this.#clockedAt = now
    this.#begun = this.#unclocked = 0
  }

  readonly #dequeue: WaitingCallback = (incoming, outgoing, expectsContinue, since) => {
    const limit = this.#isClosed ? undefined : this.#exceededLimit(since)
    const isRefused = this.#isClosed || limit !== undefined
    if (!isRefused && !this.#mayBegin())
      return this.#wait(incoming, outgoing, expectsContinue, since || this.#clockedAt)
    this.#waiting--
    if (isRefused) this.#container.refuse(incoming, outgoing, limit)
    // If the client of a GET has left while it waited, no response is needed.
    else if (since === 0 || incoming.method !== 'GET' || !incoming.socket.destroyed)
      this.#container.handle(incoming, outgoing, undefined, expectsContinue)
  }

  #exceededLimit(since: number): OverloadLimit | undefined {
    const { maxQueueTime, maxRequests } = this.#settings
    if (since > 0)
      return maxQueueTime > 0 && this.#clockedAt - since > maxQueueTime ? 'maxQueueTime' : undefined
    if (this.#waiting + this.#container.inFlight > maxRequests) return 'maxRequests'
    return this.#container.memory.isReached(this.#clockedAt) ? 'maxMemory' : undefined
  }

  /** Returns whether one more request may begin in this turn. The first one always may. */
  #mayBegin(): boolean {
    if (this.#begun++ === 0) return true
    if (this.#isOver || this.#unclocked-- > 0) return !this.#isOver
    const now = performance.now()
    // To read the clock for each small request would take 3 % of its CPU time.
    this.#unclocked = now - this.#clockedAt > 0.5 ? 0 : 15
    this.#clockedAt = now
    this.#isOver = now - this.#turnStart >= slice + this.#waiting * slicePerWaiting
    return !this.#isOver
  }
}
