/** `MergedMetrics`: merges the metrics of several workers to those of one application. */
import { formatMetrics, type MetricSnapshot } from './exposition.ts'

type Snapshot = readonly MetricSnapshot[]

/** True for a counter or histogram: its value only increases, and must be kept after the process has ended. */
const isTotal = ({ type }: MetricSnapshot): boolean => type !== 'gauge'

/**
 * Merges the metrics of workers. Counters and histograms include workers that have ended, because Prometheus would treat a
 * decreasing sum as a restart.
 */
export class MergedMetrics {
  readonly #newest = new Map<number, Snapshot>()
  #ended: Snapshot = []

  /** Stores the newest values of a worker. */
  set(worker: number, snapshot: Snapshot): void {
    this.#newest.set(worker, snapshot)
  }

  /** Ends a worker: keeps its counters and histograms, and drops its gauges. */
  end(worker: number): void {
    const snapshot = this.#newest.get(worker)
    if (snapshot === undefined) return
    this.#newest.delete(worker)
    this.#ended = mergeSnapshots([this.#ended, snapshot.filter(isTotal)])
  }

  /**
   * Formats the merged metrics in the text format of Prometheus. Gauges are included only for the workers in `current`;
   * counters and histograms are included for all workers.
   * @param added further metrics of the caller
   */
  format(current: ReadonlySet<number>, added: Snapshot = []): string {
    const workers = this.#newest
      .entries()
      .map(([worker, snapshot]) => (current.has(worker) ? snapshot : snapshot.filter(isTotal)))
    return formatMetrics([...mergeSnapshots([...workers, this.#ended]), ...added])
  }
}

interface Sums {
  readonly metric: MetricSnapshot
  readonly values: Map<string, number>
}

function mergeSnapshots(snapshots: readonly Snapshot[]): MetricSnapshot[] {
  const merged = new Map<string, Sums>()
  for (const metric of snapshots.flat()) {
    let sums = merged.get(metric.name)
    if (sums === undefined) merged.set(metric.name, (sums = { metric, values: new Map() }))
    addSamples(sums.values, metric)
  }
  return Array.from(merged.values(), ({ metric, values }) => ({ ...metric, samples: [...values] }))
}

function addSamples(values: Map<string, number>, { merge, samples }: MetricSnapshot): void {
  for (const [key, value] of samples) {
    const before = values.get(key)
    if (before === undefined) values.set(key, value)
    else values.set(key, merge === 'max' ? Math.max(before, value) : before + value)
  }
}
