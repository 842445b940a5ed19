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

function mergeSnapshots(snapshots: readonly Snapshot[]): MetricSnapshot[] {
  const byName = Map.groupBy(snapshots.flat(), ({ name }) => name)
  return Array.from(byName.values(), (metrics) => ({
    ...metrics[0]!,
    samples: [...mergeSamples(metrics)],
  }))
}

function mergeSamples(metrics: Snapshot): Map<string, number> {
  const values = new Map<string, number>()
  for (const { merge, samples } of metrics) {
    for (const [key, value] of samples) {
      const before = values.get(key) ?? (merge === 'max' ? -Infinity : 0)
      values.set(key, merge === 'max' ? Math.max(before, value) : before + value)
    }
  }
  return values
}
