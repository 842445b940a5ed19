/** Metrics, and their output in the text format of Prometheus. */

/** Label name → value. */
type Labels = Readonly<Record<string, string>>

/**
 * How the samples of several workers are merged: `sum` adds them, `max` takes the largest, and `worker` keeps them apart, each with the
 * label `worker`.
 */
type Merge = 'sum' | 'max' | 'worker'

interface Sample {
  /** A suffix of the metric's name, such as `_bucket`. */
  readonly suffix?: string
  readonly labels?: Labels
  readonly value: number
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

/** A metric that can be read. */
interface Metric extends Omit<MetricSnapshot, 'samples'> {
  /** Returns the samples. The registry adds the label `worker` to them later. */
  samples(): Iterable<Sample>
}

/** The maximum number of series. Further label values share one series with the label value `other`. */
const maxSeries = 5_000

/** The upper bounds of the buckets in seconds, as OpenTelemetry recommends for the duration of requests. */
const secondBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
] as const

class Counter {
  #value = 0

  add(amount: number): void {
    this.#value += amount
  }

  *samples(labels: Labels): Generator<Sample> {
    yield { labels, value: this.#value }
  }
}

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

/** Counters or histograms by label values. If you use one often, store the result of `get`. */
export class Family<S extends Counter | Histogram> {
  readonly #labels: readonly string[]
  readonly #create: () => S
  readonly #series = new Map<string, readonly [Labels, S]>()

  constructor(labels: readonly string[], create: () => S) {
    this.#labels = labels
    this.#create = create
  }

  get(values: readonly string[] = []): S {
    const key = values.join('\0')
    const known = this.#series.get(key)
    if (known !== undefined) return known[1]
    const other = this.#labels.map(() => 'other')
    if (this.#series.size >= maxSeries && key !== other.join('\0')) return this.get(other)
    const created = this.#create()
    const labels = Object.fromEntries(this.#labels.map((name, at) => [name, values[at] ?? '']))
    this.#series.set(key, [labels, created])
    return created
  }

  *samples(): Generator<Sample> {
    for (const [labels, series] of this.#series.values()) yield* series.samples(labels)
  }
}

/** The list of all metrics of a process. */
export class MetricRegistry {
  readonly #metrics: Metric[] = []
  readonly #worker: Labels

  /** @param worker the number of this worker, if the application has several worker processes */
  constructor(worker: number | undefined) {
    this.#worker = worker === undefined ? {} : { worker: String(worker) }
  }

  /** Adds counters, which all have these label names. */
  addCounters(name: string, help: string, labels: readonly string[] = []): Family<Counter> {
    return this.#addFamily('counter', name, help, new Family(labels, () => new Counter()))
  }

  /** Adds histograms, which all have these label names. */
  addHistograms(name: string, help: string, labels: readonly string[] = []): Family<Histogram> {
    return this.#addFamily('histogram', name, help, new Family(labels, () => new Histogram()))
  }

  #addFamily<F extends Family<Counter | Histogram>>(
    type: 'counter' | 'histogram',
    name: string,
    help: string,
    family: F,
  ): F {
    this.#metrics.push({ name, help, type, merge: 'sum', samples: () => family.samples() })
    return family
  }

  /** Adds a metric whose value is read only when the metrics are output. */
  addReading(
    type: 'counter' | 'gauge',
    name: string,
    help: string,
    read: () => number | Iterable<Sample>,
    merge: Merge = 'sum',
  ): void {
    const samples = (): Iterable<Sample> => {
      const values = read()
      return typeof values === 'number' ? [{ value: values }] : values
    }
    this.#metrics.push({ name, help, type, merge, samples })
  }

  /** Formats the metrics in the text format of Prometheus, version 0.0.4, with the label `worker` for workers. */
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
  const { name, help, type, merge } = metric
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
