/** `RequestQueue`: the queue of requests that Node has read and the application has not begun to handle. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { NodeContainer } from './node-handler.ts'
import type { ResolvedSettings } from './server-settings.ts'

/** `since` is the time of the request's first turn of the event loop; 0 before the end of that turn. */
type Take = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  expectsContinue: boolean,
  since: number,
) => void

/** The milliseconds of each turn of the event loop in which requests begin, before new ones are read; more if many wait. */
const [slice, slicePerWaiting] = [10, 0.01]
/** Milliseconds. If other work of a turn takes longer, only one request begins: those in flight need the time. */
const longWork = 25

/**
 * Handles requests in the order of arrival, after Node has read all requests that have arrived: this saves a third of the CPU
 * time under load. A request gets 503 if it waits longer than `maxQueueTime`, or arrives while `maxRequests` wait or are in
 * flight, or while the process uses more than `maxMemory`. Each request has its own `setImmediate` calls, which keep its async context.
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

  readonly #wait: Take = (...request) => {
    if (!this.#hasTurn) setImmediate(this.#startTurn)
    this.#hasTurn = true
    setImmediate(this.#take, ...request)
  }

  readonly #startTurn = (): void => {
    const now = performance.now()
    // If requests wait, the clock was last read when the previous turn was over.
    this.#isOver &&= now - this.#clockedAt > longWork
    this.#hasTurn = false
    this.#turnStart = this.#clockedAt = now
    this.#begun = this.#unclocked = 0
  }

  readonly #take: Take = (incoming, outgoing, expectsContinue, since) => {
    const isRefused = this.#isClosed || this.#isTooMuch(since)
    if (!isRefused && !this.#mayBegin())
      return this.#wait(incoming, outgoing, expectsContinue, since || this.#clockedAt)
    this.#waiting--
    if (isRefused) this.#container.refuse(incoming, outgoing, !this.#isClosed)
    // If the client of a GET has left while it waited, no response is needed.
    else if (since === 0 || incoming.method !== 'GET' || !incoming.socket.destroyed)
      this.#container.handle(incoming, outgoing, undefined, expectsContinue)
  }

  #isTooMuch(since: number): boolean {
    const { maxQueueTime, maxRequests } = this.#settings
    if (since > 0) return maxQueueTime > 0 && this.#clockedAt - since > maxQueueTime
    const requests = this.#waiting + this.#container.inFlight
    return requests > maxRequests || this.#container.memory.isReached(this.#clockedAt)
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
