/** `WorkerLink`: a worker's side of the channel to the primary process of `fw start --workers`. */
import type { Closable } from '../../runtime/server.ts'
import type { Metrics } from '../../runtime/telemetry.ts'
import {
  onMessage,
  sendMessage,
  type PrimaryMessage,
  type WorkerMessage,
} from './process-messages.ts'
import { collectSharedSockets } from './shared-sockets.ts'

const signInterval = 1_000

const send = (message: WorkerMessage): Promise<void> =>
  sendMessage(process, message, { key: 'fwWorker' })

export class WorkerLink {
  readonly #served = Promise.withResolvers<void>()
  readonly #sockets = collectSharedSockets()
  #scrape: PromiseWithResolvers<string> | undefined
  #metrics: Metrics | undefined
  #hasStarted = false
  #isStopping = false
  #isReplaced = false

  /** Starts to send a heartbeat each second. */
  constructor() {
    onMessage<PrimaryMessage>(process, (message) => this.#receive(message), 'fwWorker')
    const sendMemory = (): void => void send({ memory: process.memoryUsage.rss() })
    setInterval(sendMemory, signInterval).unref()
    sendMemory()
  }

  /** Reports that the code is loaded. Resolves when the primary process sends `serve`; a spare worker waits for it. */
  async waitToServe(): Promise<void> {
    void send({ loaded: true })
    await this.#served.promise
  }

  /** Makes this worker respond to a scrape with the merged metrics of all workers. */
  mergeMetrics(metrics: Metrics | undefined): void {
    this.#metrics = metrics
    metrics?.mergeBy(() => {
      if (this.#scrape === undefined) {
        this.#scrape = Promise.withResolvers()
        void send({ scrape: true })
      }
      return this.#scrape.promise
    })
  }

  /**
   * Wraps the server for `handleSignals`. A replaced worker stops without the delay `drainDelay` and its `/ready` response
   * remains 200: the node's other workers still serve, so a load balancer must not remove the node.
   */
  closable(server: Closable): Closable {
    return {
      close: (grace, drainDelay) => server.close(grace, this.#isReplaced ? 0 : drainDelay),
      destroy: () => server.destroy(),
    }
  }

  /** Reports that the application has started. Call it after `handleSignals`. */
  reportStarted(): void {
    this.#hasStarted = true
    // Ctrl-C also signals the worker. Record the signal, so that the primary's later `stop` has no effect.
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.prependListener(signal, () => (this.#isStopping = true))
    // Ignore SIGHUP, because only the primary process restarts workers.
    process.on('SIGHUP', () => {})
    void send({ ready: true, sockets: [...this.#sockets] })
  }

  /** Sends the metrics. Call it before the process exits, too. */
  async sendMetrics(): Promise<void> {
    if (this.#metrics !== undefined) await send({ snapshot: this.#metrics.snapshot() })
  }

  #receive(message: PrimaryMessage): void {
    if ('serve' in message) this.#served.resolve()
    else if ('stop' in message) this.#stop(message.stop === 'replaced')
    else if ('metrics' in message) {
      this.#scrape?.resolve(message.metrics)
      this.#scrape = undefined
    } else void this.sendMetrics()
  }

  #stop(isReplaced: boolean): void {
    // Exit immediately if the application has not started, because there are no requests in flight.
    if (!this.#hasStarted) process.exit()
    if (this.#isStopping) return
    this.#isReplaced = isReplaced
    process.emit('SIGTERM')
  }
}
