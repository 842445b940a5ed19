/** Metrics, and their output in the text format of Prometheus. */

/** Label name → value. */
export type Labels = Readonly<Record<string, string>>

/**
 * The operation that merges the samples of several workers. `worker` keeps the samples separate by the label `worker`; `max` is
 * for samples that are equal in all workers.
 */
export type Merge = 'sum' | 'max' | 'worker'

/** A metric that can be read. */
interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** The operation that merges the samples of several workers; `sum` by default. */
  readonly merge?: Merge
  /** Returns the samples. The registry adds the label `worker` to them later. */
  samples(): Iterable<Sample>
}

interface Sample {
  /** A suffix of the metric's name, such as `_bucket`. */
  readonly suffix?: string
  readonly labels?: Labels
  readonly value: number
}

/**
 * The maximum number of series, which limits the memory for labels with many values. Further values share one series with the
 * label value `other`.
 */
const maxSeries = 5_000

/** The upper bounds of the buckets in seconds, as OpenTelemetry recommends for the duration of requests. */
const secondBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
] as const

/** A histogram of durations in seconds. */
export class Histogram {
  readonly #buckets: number[] = Array.from({ length: secondBuckets.length + 1 }, () => 0)
  #sum = 0

  observe(seconds: number): void {
    let at = 0
    while (at < secondBuckets.length && seconds > secondBuckets[at]!) at++
    this.#buckets[at]!++
    this.#sum += seconds
  }

  *samples(labels: Labels): Generator<Sample> {
    let count = 0
    for (const [at, own] of this.#buckets.entries()) {
      count += own
      const le = String(secondBuckets[at] ?? '+Inf')
      yield { suffix: '_bucket', labels: { ...labels, le }, value: count }
    }
    yield { suffix: '_sum', labels, value: this.#sum }
    yield { suffix: '_count', labels, value: count }
  }
}

/** The series of a metric by the values of their labels. */
class SeriesMap<T> {
  readonly #names: readonly string[]
  readonly #create: () => T
  readonly #series = new Map<string, readonly [Labels, T]>()

  constructor(names: readonly string[], create: () => T) {
    this.#names = names
    this.#create = create
  }

  get(values: readonly string[]): T {
    const key = values.join('\0')
    const known = this.#series.get(key)
    if (known !== undefined) return known[1]
    if (this.#series.size >= maxSeries) return this.get(this.#names.map(() => 'other'))
    const created = this.#create()
    const labels = Object.fromEntries(this.#names.map((name, at) => [name, values[at] ?? '']))
    this.#series.set(key, [labels, created])
    return created
  }

  entries(): Iterable<readonly [Labels, T]> {
    return this.#series.values()
  }
}

/** Histograms by label values. If you use a histogram often, store the result of `get`. */
export class HistogramFamily implements Metric {
  readonly name: string
  readonly help: string
  readonly type = 'histogram'
  readonly #series: SeriesMap<Histogram>

  constructor(name: string, help: string, labels: readonly string[]) {
    this.name = name
    this.help = help
    this.#series = new SeriesMap(labels, () => new Histogram())
  }

  get(...values: readonly string[]): Histogram {
    return this.#series.get(values)
  }

  *samples(): Generator<Sample> {
    for (const [labels, histogram] of this.#series.entries()) yield* histogram.samples(labels)
  }
}

/** Counters by label values. */
export class CounterFamily implements Metric {
  readonly name: string
  readonly help: string
  readonly type = 'counter'
  readonly #series: SeriesMap<{ value: number }>

  constructor(name: string, help: string, labels: readonly string[]) {
    this.name = name
    this.help = help
    this.#series = new SeriesMap(labels, () => ({ value: 0 }))
  }

  add(amount: number, ...values: readonly string[]): void {
    this.#series.get(values).value += amount
  }

  *samples(): Generator<Sample> {
    for (const [labels, { value }] of this.#series.entries()) yield { labels, value }
  }
}

/** Creates a metric whose value is read only when the metrics are output. */
export function readMetric(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  read: () => number | Iterable<Sample>,
  merge: Merge = 'sum',
): Metric {
  return {
    name,
    help,
    type,
    merge,
    samples() {
      const values = read()
      return typeof values === 'number' ? [{ value: values }] : values
    },
  }
}

/** The values of a metric at one moment, as a worker sends them to the primary process. */
export interface MetricSnapshot {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly merge: Merge
  /** The samples: the name with its labels, and the value. */
  readonly samples: readonly (readonly [key: string, value: number])[]
}

/** The list of all metrics of a process. */
export class MetricRegistry {
  readonly #metrics: Metric[] = []
  readonly #worker: Labels

  /** @param worker the number of this worker, if the application has several worker processes */
  constructor(worker: number | undefined) {
    this.#worker = worker === undefined ? {} : { worker: String(worker) }
  }

  /** Registers the metric, and returns it. */
  add<M extends Metric>(metric: M): M {
    this.#metrics.push(metric)
    return metric
  }

  /**
   * Formats the metrics in the text format of Prometheus, version 0.0.4. If there are several workers, each sample has the
   * label `worker`.
   */
  format(): string {
    return formatMetrics(this.#metrics.map((metric) => readSnapshot(metric, this.#worker)))
  }

  /** Returns the values to merge with those of other workers. Only metrics that are kept separate have the label `worker`. */
  snapshot(): MetricSnapshot[] {
    return this.#metrics.map((metric) =>
      readSnapshot(metric, metric.merge === 'worker' ? this.#worker : {}),
    )
  }
}

function readSnapshot(metric: Metric, added: Labels): MetricSnapshot {
  const { name, help, type, merge = 'sum' } = metric
  const samples = Array.from(
    metric.samples(),
    ({ suffix = '', labels = {}, value }) =>
      [name + suffix + formatLabels({ ...labels, ...added }), value] as const,
  )
  return { name, help, type, merge, samples }
}

/** Formats metrics in the text format of Prometheus, version 0.0.4. */
export function formatMetrics(metrics: Iterable<MetricSnapshot>): string {
  let text = ''
  for (const { name, help, type, samples } of metrics) {
    text += `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`
    for (const [key, value] of samples) text += `${key} ${formatNumber(value)}\n`
  }
  return text
}

function formatLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeValue(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
const escapeValue = (text: string): string => escapeHelp(text).replaceAll('"', '\\"')

const formatNumber = (value: number): string =>
  value === Infinity ? '+Inf' : value === -Infinity ? '-Inf' : String(value)
