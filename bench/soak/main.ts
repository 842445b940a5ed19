/**
 * The slope of the heap under mixed traffic, after forced collections: `npm run bench -- soak --minutes 20 --rate 100`.
 * `DATABASE_URL` names a PostgreSQL server, on which the benchmark creates a database.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { SoakApplication } from './application.ts'
import type { Sample } from './probe.ts'
import { Traffic } from './traffic.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    /** Minutes before the first sample: V8 drops compiled code that is unused for minutes. */
    warmUp: { type: 'string', default: '5' },
    /** Requests a second, at most. */
    rate: { type: 'string', default: '100' },
    visitors: { type: 'string', default: '300' },
    /** Samples in all. */
    samples: { type: 'string', default: '80' },
  },
})
const minutes = Number(values.minutes)
const samples = Number(values.samples)
const mebibyte = 2 ** 20
/** MiB in ten minutes. */
const limit = 1

/** The slope of a line through the points by least squares, and its standard error. */
function fitSlope(xs: readonly number[], ys: readonly number[]) {
  const mean = (list: readonly number[]) => list.reduce((sum, one) => sum + one, 0) / list.length
  const [x0, y0] = [mean(xs), mean(ys)]
  const spread = xs.reduce((sum, x) => sum + (x - x0) ** 2, 0)
  const slope = xs.reduce((sum, x, at) => sum + (x - x0) * (ys[at]! - y0), 0) / spread
  const rest = ys.reduce((sum, y, at) => sum + (y - y0 - slope * (xs[at]! - x0)) ** 2, 0)
  return { slope, error: Math.sqrt(rest / (xs.length - 2) / spread) }
}

const mib = (bytes: number): string => (bytes / mebibyte).toFixed(2)

const application = await SoakApplication.start()
const traffic = new Traffic({
  port: application.port,
  visitors: Number(values.visitors),
  rate: Number(values.rate),
})
const ended = traffic.run()
await sleep(Number(values.warmUp) * 60_000)

const began = performance.now()
const times: number[] = []
const taken: Sample[] = []
for (let at = 0; at <= samples; at++) {
  const due = began + (minutes * 60_000 * at) / samples
  await sleep(Math.max(0, due - performance.now()))
  await traffic.pause()
  times.push((performance.now() - began) / 60_000)
  const sample = await application.sample()
  taken.push(sample)
  traffic.resume()
  console.log(
    `${times.at(-1)!.toFixed(1)} min: heap ${mib(sample.heap)}, external ${mib(sample.external)}, ` +
      `RSS ${mib(sample.rss)} MiB, ${sample.descriptors} descriptors, ${traffic.requests} requests`,
  )
}
traffic.end()
await ended

const heap = fitSlope(
  times,
  taken.map((sample) => sample.heap),
)
const external = fitSlope(
  times,
  taken.map((sample) => sample.external),
)
const perTen = (one: number): string => mib(one * 10)
const ready = await fetch(`http://127.0.0.1:${application.port}/ready`)
const files = application.countFiles()
const wrong = [...traffic.statuses].filter(([what]) => /failed| 5\d\d| 403/.test(what))
const code = await application.stop()
const errors = [...application.lines.keys()].filter((line) => line.startsWith('error:'))
console.log(Object.fromEntries(traffic.statuses), Object.fromEntries(application.lines))
console.log(
  `${traffic.requests} requests in ${minutes} minutes: heap ${perTen(heap.slope)} ± ${perTen(1.96 * heap.error)} MiB ` +
    `in ten minutes, external ${perTen(external.slope)} ± ${perTen(1.96 * external.error)} MiB; ` +
    `readiness ${ready.status}, ${files} temporary files, exit code ${code}`,
)
const isGood = heap.slope * 10 < limit * mebibyte && wrong.length + errors.length + files === 0
process.exitCode = isGood && ready.status === 200 && code === 0 ? 0 : 1
