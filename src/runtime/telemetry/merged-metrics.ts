/** `MergedMetrics`: the metrics of several workers as those of one application. */
import { formatMetrics, type MetricSnapshot } from './exposition.ts'

type Snapshot = readonly MetricSnapshot[]

/** Counters and histograms: values that only grow, and stay after the process has ended. */
const isTotal = ({ type }: MetricSnapshot): boolean => type !== 'gauge'

/** Sums totals also over workers that have ended: a sum that falls would look like a restart to Prometheus. */
export class MergedMetrics {
  readonly #newest = new Map<number, Snapshot>()
  #ended: Snapshot = []

  /** Replaces the values of this worker. */
  set(worker: number, snapshot: Snapshot): void {
    this.#newest.set(worker, snapshot)
  }

  /** Keeps the totals of a worker that has ended. */
  end(worker: number): void {
    const snapshot = this.#newest.get(worker)
    if (snapshot === undefined) return
    this.#newest.delete(worker)
    this.#ended = mergeSnapshots([this.#ended, snapshot.filter(isTotal)])
  }

  /**
   * In the text format of Prometheus. Contains the gauges of `current` workers only; the totals of others are their newest.
   * @param added metrics of the caller
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
