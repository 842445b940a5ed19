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

type Result = IteratorResult<string, void>

const done: Result = { done: true, value: undefined }

/**
 * The payloads for one caller of `listen`, in the order of their arrival. Written without a generator: each open page has a
 * subscription, and a pending generator with its signal takes three times the memory.
 */
class Subscription implements AsyncGenerator<string, void> {
  readonly #channel: string
  readonly #notifications: Notifications
  #signal: AbortSignal | undefined
  /** The unread payloads; undefined if there are none. The set merges equal payloads. */
  #pending: Set<string> | undefined
  /** Resolves the call of `next` that waits for a payload. */
  #resolve: ((result: Result) => void) | undefined
  /** The calls of `next` that began while another one waited. */
  #later: ((result: Result) => void)[] | undefined
  #state: 'new' | 'open' | 'over' = 'new'
  #isPassing = false

  constructor(notifications: Notifications, channel: string, signal: AbortSignal | undefined) {
    this.#notifications = notifications
    this.#channel = channel
    this.#signal = signal
  }

  /** Listens from the first call on. */
  next(): Promise<Result> {
    if (this.#state === 'new') this.#begin()
    return new Promise((resolve) => {
      if (this.#resolve === undefined) this.#resolve = resolve
      else (this.#later ??= []).push(resolve)
      this.#pass()
    })
  }

  return(): Promise<Result> {
    this.end()
    return Promise.resolve(done)
  }

  async throw(error: unknown): Promise<Result> {
    this.end()
    throw error
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Called by the signal. */
  handleEvent(): void {
    this.end()
  }

  add(payload: string): void {
    if (this.#state === 'over') return
    const pending = (this.#pending ??= new Set())
    if (pending.size >= maxPending) {
      pending.clear()
      pending.add('')
    }
    pending.add(payload)
    // Equal payloads that arrive together are merged before they are passed.
    if (this.#resolve === undefined || this.#isPassing) return
    this.#isPassing = true
    queueMicrotask(() => {
      this.#isPassing = false
      this.#pass()
    })
  }

  end(): void {
    if (this.#state === 'open') {
      this.#signal?.removeEventListener('abort', this)
      this.#notifications.remove(this.#channel, this)
    }
    this.#state = 'over'
    this.#signal = this.#pending = undefined
    this.#pass()
  }

  #begin(): void {
    this.#state = 'open'
    if (this.#notifications.isClosed || this.#signal?.aborted === true) return this.end()
    this.#signal?.addEventListener('abort', this, { once: true })
    this.#notifications.add(this.#channel, this)
  }

  #pass(): void {
    while (this.#resolve !== undefined) {
      const result = this.#takeResult()
      if (result === undefined) return
      const resolve = this.#resolve
      this.#resolve = this.#later?.shift()
      resolve(result)
    }
  }

  #takeResult(): Result | undefined {
    if (this.#state === 'over') return done
    if (this.#pending === undefined) return undefined
    const [value] = this.#pending
    if (this.#pending.size === 1) this.#pending = undefined
    else this.#pending.delete(value!)
    return { done: false, value: value! }
  }
}

/** The listeners of a channel. */
interface Channel {
  readonly subscriptions: Set<Subscription>
  /** Resolves when the connection listens to the channel; undefined before LISTEN is sent. */
  listening: Promise<void> | undefined
}

/** The listeners of one database. They share one connection, which is open only while there are listeners. */
export class Notifications {
  readonly #connect: ConnectListener | undefined
  readonly #logger: Logger
  readonly #channels = new Map<string, Channel>()
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
    return new Subscription(this, channel, signal)
  }

  /** True after `close`. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Passes a notification to the listeners of this process. */
  deliver(channel: string, payload: string): void {
    for (const each of this.#channels.get(channel)?.subscriptions ?? []) each.add(payload)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const channels = [...this.#channels.values()]
    this.#channels.clear()
    for (const { subscriptions } of channels) for (const each of subscriptions) each.end()
    await this.#disconnect()
  }

  add(name: string, subscription: Subscription): void {
    let channel = this.#channels.get(name)
    if (channel === undefined) {
      channel = { subscriptions: new Set(), listening: undefined }
      this.#channels.set(name, channel)
    }
    channel.subscriptions.add(subscription)
    if (this.#connect === undefined) return subscription.add('')
    if (this.#connection === undefined && this.#retry === undefined)
      return outsideRequests(this.#open)
    // Ignore the error: it means that the connection is lost, which `onLost` handles.
    this.#connection
      ?.then((open) => listenOnce(open, name, channel))
      .then(
        () => subscription.add(''),
        () => {},
      )
  }

  remove(name: string, subscription: Subscription): void {
    const channel = this.#channels.get(name)
    channel?.subscriptions.delete(subscription)
    if (channel?.subscriptions.size !== 0) return
    this.#channels.delete(name)
    if (this.#channels.size === 0) void this.#disconnect()
    else this.#connection?.then((open) => open.unlisten(name)).catch(() => {})
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
        for (const [name, channel] of this.#channels) await listenOnce(open, name, channel)
        if (this.#connection !== connection) return
        this.#delay = firstRetry
        if (this.#isLost) this.#logger.info({}, 'listens for notifications again')
        this.#isLost = false
        for (const name of this.#channels.keys()) this.deliver(name, '')
      })
      .catch((error: unknown) => {
        if (this.#connection === connection) this.#openLater(error)
      })
  }

  #openLater(error: unknown): void {
    void this.#disconnect()
    if (this.#channels.size === 0) return
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
    for (const channel of this.#channels.values()) channel.listening = undefined
    await connection?.then((open) => open.close()).catch(() => {})
  }
}

/** Sends LISTEN for the first listener of a channel: further ones need no statement. */
function listenOnce(open: ListenConnection, name: string, channel: Channel): Promise<void> {
  return (channel.listening ??= open.listen(name))
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
