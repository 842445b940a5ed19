/** `WorkerMetrics`: collects and merges the metrics of all workers in the primary process. */
import type { Worker } from 'node:cluster'
import { MergedMetrics, type MetricSnapshot } from '../../runtime/telemetry.ts'
import { sendMessage, type PrimaryMessage } from './process-messages.ts'

/** The milliseconds to wait for a worker's metrics; a stuck worker does not respond. */
const responseTimeout = 1_000

export class WorkerMetrics {
  readonly #merged = new MergedMetrics()
  readonly #replacements = new Map<string, number>()
  #responded = new Set<number>()
  #onResponse: () => void = () => {}
  #collecting: Promise<string> | undefined

  countReplacement(reason: 'exit' | 'memory' | 'restart' | 'stuck'): void {
    this.#replacements.set(reason, (this.#replacements.get(reason) ?? 0) + 1)
  }

  receive(worker: Worker, snapshot: readonly MetricSnapshot[]): void {
    this.#merged.set(worker.id, snapshot)
    this.#responded.add(worker.id)
    this.#onResponse()
  }

  /** Ends the collection of a worker's metrics. Call it when no more messages of the worker can arrive. */
  end(worker: Worker): void {
    this.#merged.end(worker.id)
    this.#onResponse()
  }

  /** Returns the metrics of these workers in the text format of Prometheus. Concurrent calls share one result. */
  collect(workers: readonly Worker[]): Promise<string> {
    return (this.#collecting ??= this.#collectFrom(workers).finally(() => {
      this.#collecting = undefined
    }))
  }

  async #collectFrom(workers: readonly Worker[]): Promise<string> {
    this.#responded = new Set()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onResponse = () => {
      if (workers.every((worker) => this.#responded.has(worker.id) || !worker.isConnected()))
        resolve()
    }
    for (const { process } of workers)
      void sendMessage(process, { collect: true } satisfies PrimaryMessage, { key: 'fwWorker' })
    this.#onResponse()
    const timer = setTimeout(resolve, responseTimeout)
    await promise
    clearTimeout(timer)
    return this.#merged.format(this.#responded, this.#describePool(workers.length))
  }

  #describePool(count: number): MetricSnapshot[] {
    const name = 'fw_worker_replacements_total'
    return [
      {
        name: 'fw_workers',
        help: 'Workers that serve.',
        type: 'gauge',
        merge: 'sum',
        samples: [['fw_workers', count]],
      },
      {
        name,
        help: 'Workers that others have replaced, by reason.',
        type: 'counter',
        merge: 'sum',
        samples: Array.from(
          this.#replacements,
          ([reason, replaced]) => [`${name}{reason="${reason}"}`, replaced] as const,
        ),
      },
    ]
  }
}
