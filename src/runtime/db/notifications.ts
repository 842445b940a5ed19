/** Notifications between processes with PostgreSQL's LISTEN and NOTIFY; the embedded engine notifies only its own process. */
import { FwError, outsideRequests, type Logger } from '../base.ts'

/** A connection for LISTEN outside the pool, because pooled connections serve other callers. */
export interface ListenConnection {
  listen(channel: string): Promise<void>
  unlisten(channel: string): Promise<void>
  close(): Promise<void>
}

/** The callbacks of a listening connection. */
export interface ListenEvents {
  readonly onNotification: (channel: string, payload: string) => void
  /** Called once when the connection is lost. */
  readonly onLost: (error: Error) => void
}

export interface ConnectListener {
  (events: ListenEvents): Promise<ListenConnection>
  /** True behind a pooler that assigns a server connection per transaction: `listen` does not work with such a pooler. */
  readonly isPooled: boolean
}

/** The maximum number of unread payloads of a listener. If there are more, one empty text replaces them. */
const maxPending = 1000
const firstRetry = 100
const longestRetry = 5000
/** The maximum length of a channel's name in bytes. PostgreSQL truncates longer names in LISTEN but never notifies them. */
const longestChannel = 63

type Payload = IteratorResult<string, void>

/** Registers the subscription, or ends it if the database is closed or the signal is aborted. Returns what unregisters it. */
type Register = (subscription: Subscription) => () => void

/**
 * The payloads of a channel, from the first `next` until the end. Thousands of subscriptions may wait at once, and this class takes
 * less memory for each of them than an async generator.
 */
class Subscription implements AsyncGenerator<string, void> {
  /** The unread payloads. The set merges equal payloads. */
  #pending: Set<string> | undefined
  #waiting: ((result: Payload) => void)[] | undefined
  #register: Register | undefined
  #stop: (() => void) | undefined
  #isOver = false

  constructor(register: Register) {
    this.#register = register
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<Payload> {
    const register = this.#register
    this.#register = undefined
    if (register !== undefined && !this.#isOver) this.#stop = register(this)
    return new Promise((resolve) => {
      this.#waiting = this.#waiting === undefined ? [resolve] : [...this.#waiting, resolve]
      this.#serve()
    })
  }

  return(): Promise<Payload> {
    this.end()
    return Promise.resolve({ done: true, value: undefined })
  }

  async throw(error: unknown): Promise<never> {
    this.end()
    throw error
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end()
  }

  add(payload: string): void {
    this.#pending ??= new Set()
    if (this.#pending.size >= maxPending) {
      this.#pending.clear()
      this.#pending.add('')
    }
    this.#pending.add(payload)
    // Wait for the rest of the packet: `#pending` merges equal payloads.
    if (this.#waiting !== undefined) queueMicrotask(() => this.#serve())
  }

  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#stop?.()
    this.#serve()
  }

  #serve(): void {
    while (this.#waiting !== undefined) {
      const result = this.#isOver ? ended : this.#take()
      if (result === undefined) return
      const [first, ...others] = this.#waiting
      this.#waiting = others.length === 0 ? undefined : others
      first!(result)
    }
  }

  #take(): Payload | undefined {
    const pending = this.#pending
    if (pending === undefined) return undefined
    const [payload] = pending
    pending.delete(payload!)
    if (pending.size === 0) this.#pending = undefined
    return { done: false, value: payload! }
  }
}

const ended: Payload = { done: true, value: undefined }

/** The listeners of one database. They share one connection, which is open only while there are listeners. */
export class Notifications {
  readonly #connect: ConnectListener | undefined
  readonly #logger: Logger
  readonly #subscriptions = new Map<string, Set<Subscription>>()
  #connection: Promise<ListenConnection> | undefined
  #retry: NodeJS.Timeout | undefined
  #delay = firstRetry
  #isLost = false
  #isClosed = false

  /** Without `connect`, listeners get only the notifications of this process. */
  constructor(connect: ConnectListener | undefined, logger: Logger) {
    this.#connect = connect
    this.#logger = logger
  }

  /** Implements `Database.listen`. */
  listen(channel: string, signal?: AbortSignal): AsyncGenerator<string, void> {
    if (this.#connect?.isPooled === true) throw listenPooledError()
    checkChannel(channel)
    return new Subscription((subscription) => this.#register(channel, subscription, signal))
  }

  #register(channel: string, subscription: Subscription, signal?: AbortSignal): () => void {
    const end = (): void => subscription.end()
    if (this.#isClosed || signal?.aborted === true) {
      end()
      return end
    }
    signal?.addEventListener('abort', end, { once: true })
    this.#add(channel, subscription)
    return () => {
      signal?.removeEventListener('abort', end)
      this.#remove(channel, subscription)
    }
  }

  /** Passes a notification to the listeners of this process. */
  deliver(channel: string, payload: string): void {
    for (const each of this.#subscriptions.get(channel) ?? []) each.add(payload)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const subscriptions = [...this.#subscriptions.values()]
    this.#subscriptions.clear()
    for (const all of subscriptions) for (const each of all) each.end()
    await this.#disconnect()
  }

  #add(channel: string, subscription: Subscription): void {
    const known = this.#subscriptions.get(channel)
    if (known !== undefined) known.add(subscription)
    else this.#subscriptions.set(channel, new Set([subscription]))
    if (this.#connect === undefined) return subscription.add('')
    if (this.#connection === undefined && this.#retry === undefined)
      return outsideRequests(this.#open)
    // Ignore the error: it means that the connection is lost, which `onLost` handles.
    this.#connection
      ?.then((open) => open.listen(channel))
      .then(
        () => subscription.add(''),
        () => {},
      )
  }

  #remove(channel: string, subscription: Subscription): void {
    const all = this.#subscriptions.get(channel)
    all?.delete(subscription)
    if (all?.size !== 0) return
    this.#subscriptions.delete(channel)
    if (this.#subscriptions.size === 0) void this.#disconnect()
    else this.#connection?.then((open) => open.unlisten(channel)).catch(() => {})
  }

  readonly #open = (): void => {
    this.#retry = undefined
    const connection: Promise<ListenConnection> = this.#connect!({
      onNotification: (channel, payload) => this.deliver(channel, payload),
      onLost: (error) => {
        if (this.#connection === connection) this.#openLater(error)
      },
    })
    this.#connection = connection
    connection
      .then(async (open) => {
        for (const channel of this.#subscriptions.keys()) await open.listen(channel)
        if (this.#connection !== connection) return
        this.#delay = firstRetry
        if (this.#isLost) this.#logger.info({}, 'listens for notifications again')
        this.#isLost = false
        for (const channel of this.#subscriptions.keys()) this.deliver(channel, '')
      })
      .catch((error: unknown) => {
        if (this.#connection === connection) this.#openLater(error)
      })
  }

  #openLater(error: unknown): void {
    void this.#disconnect()
    if (this.#subscriptions.size === 0) return
    const problem = error instanceof Error ? error.message : String(error)
    if (!this.#isLost)
      this.#logger.warn({ problem }, 'cannot listen for notifications: tries again')
    this.#isLost = true
    this.#retry = setTimeout(this.#open, this.#delay).unref()
    this.#delay = Math.min(this.#delay * 2, longestRetry)
  }

  async #disconnect(): Promise<void> {
    clearTimeout(this.#retry)
    this.#retry = undefined
    const connection = this.#connection
    this.#connection = undefined
    await connection?.then((open) => open.close()).catch(() => {})
  }
}

/** @throws FwError `db.parameter-invalid` for a name with which LISTEN would fail or listen to another channel */
function checkChannel(channel: string): void {
  const length = Buffer.byteLength(channel)
  if (length > 0 && length <= longestChannel && !channel.includes('\0')) return
  throw new FwError(
    'db.parameter-invalid',
    `The channel ${JSON.stringify(channel)} cannot be listened to: use 1 to ${longestChannel} bytes without NUL.`,
  )
}

const listenPooledError = (): FwError =>
  new FwError(
    'db.listen-pooled',
    'A pooler that assigns connections for each transaction (prepare: false) passes no notifications on: open a database with its own address for listen.',
  )
