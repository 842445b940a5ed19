/** `WorkerLink`: a worker's side of the channel to the primary process of `fw start --workers`. */
import type { Closable } from '../../runtime/server.ts'
import type { Metrics } from '../../runtime/telemetry.ts'
import { collectSharedSockets } from './shared-sockets.ts'
import {
  unwrapMessage,
  wrapMessage,
  type PrimaryMessage,
  type WorkerMessage,
} from './worker-messages.ts'

const signInterval = 1_000

export class WorkerLink {
  readonly #served = Promise.withResolvers<void>()
  readonly #sockets = collectSharedSockets()
  #scrape: PromiseWithResolvers<string> | undefined
  #metrics: Metrics | undefined
  #hasStarted = false
  #isStopping = false
  #isReplaced = false

  /** Sends a sign of life each second from now on. */
  constructor() {
    process.on('message', (wrapped) => {
      const message = unwrapMessage(wrapped)
      if (message !== undefined) this.#receive(message as PrimaryMessage)
    })
    setInterval(() => this.#sendMemory(), signInterval).unref()
    this.#sendMemory()
  }

  /** Call it when the code is loaded. Resolves when the worker is to serve; a spare worker waits here. */
  async waitToServe(): Promise<void> {
    this.#send({ loaded: true })
    await this.#served.promise
  }

  /** Scrapes of this worker get the metrics of all workers from now on. */
  mergeMetrics(metrics: Metrics | undefined): void {
    this.#metrics = metrics
    metrics?.mergeBy(() => {
      if (this.#scrape === undefined) {
        this.#scrape = Promise.withResolvers()
        this.#send({ scrape: true })
      }
      return this.#scrape.promise
    })
  }

  /**
   * The server for `handleSignals`. A replaced worker stops without `drainDelay` and stays ready: the node serves, and a load
   * balancer must not take it out.
   */
  closable(server: Closable): Closable {
    return {
      close: (grace, drainDelay) => server.close(grace, this.#isReplaced ? 0 : drainDelay),
      destroy: () => server.destroy(),
    }
  }

  /** Call it after `handleSignals`. */
  reportStarted(): void {
    this.#hasStarted = true
    // Ctrl-C signals the worker, too: the primary's `stop` is then the second request, and has no effect.
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.prependListener(signal, () => (this.#isStopping = true))
    // Only the primary reloads.
    process.on('SIGHUP', () => {})
    this.#send({ ready: true, sockets: [...this.#sockets] })
  }

  /** Sends the metrics a last time, before the process exits. */
  reportClosed(): Promise<void> {
    if (this.#metrics === undefined) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#send({ snapshot: this.#metrics.snapshot() }, resolve)
    return promise
  }

  #receive(message: PrimaryMessage): void {
    if ('serve' in message) this.#served.resolve()
    else if ('stop' in message) this.#stop(message.stop === 'replaced')
    else if ('metrics' in message) {
      this.#scrape?.resolve(message.metrics)
      this.#scrape = undefined
    } else if (this.#metrics !== undefined) this.#send({ snapshot: this.#metrics.snapshot() })
  }

  #stop(isReplaced: boolean): void {
    // Without a started application there is nothing to drain.
    if (!this.#hasStarted) process.exit()
    if (this.#isStopping) return
    this.#isReplaced = isReplaced
    process.emit('SIGTERM')
  }

  #sendMemory(): void {
    this.#send({ memory: process.memoryUsage.rss() })
  }

  #send(message: WorkerMessage, onSent: () => void = () => {}): void {
    if (process.connected) process.send!(wrapMessage(message), undefined, undefined, onSent)
    else onSent()
  }
}
