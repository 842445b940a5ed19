/**
 * Jobs per minute of one process, compared with SQL by hand, and the processor time that `enqueue` adds to a generated create page:
 * `npm run bench -- jobs`, optionally with `--processes 3`, `--rounds 20`, `--jobs 1000`, `--requests 200`, `--only enqueue` or
 * `--only throughput`, and `--server postgres://…`.
 */
import { parseArgs } from 'node:util'
import { estimate } from '../http/statistics.ts'
import { compareCreate } from './create.ts'
import { compareThroughput } from './throughput.ts'

const { values: options } = parseArgs({
  options: {
    processes: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '20' },
    jobs: { type: 'string', default: '1000' },
    requests: { type: 'string', default: '200' },
    only: { type: 'string' },
    server: {
      type: 'string',
      default: process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/test',
    },
  },
})
const { server, only } = options
const processes = Number(options.processes)
const rounds = Number(options.rounds)

function print(label: string, values: readonly number[], digits = 2): void {
  const { median, low, high } = estimate(values)
  const interval = `${low.toFixed(digits)}–${high.toFixed(digits)}`
  console.log(`${label}: ${median.toFixed(digits)} (${interval})`)
}

if (only !== 'enqueue') {
  const jobs = Number(options.jobs)
  const pairs = await compareThroughput(server, processes, rounds, jobs)
  const perMinute = pairs.map(({ fw }) => ((jobs * 0.9) / fw.seconds) * 60)
  print('jobs a minute, one process', perMinute, 0)
  const throughput = pairs.map(({ fw, byHand }) => byHand.seconds / fw.seconds)
  print('throughput, Fw ÷ by hand', throughput)
  const time = pairs.map(({ fw, byHand }) => byHand.cpu / fw.cpu)
  print('processor time, by hand ÷ Fw', time)
}
if (only !== 'throughput') {
  const added = await compareCreate(server, processes, rounds, Number(options.requests))
  const percent = added.map((ratio) => (ratio - 1) * 100)
  print('per cent of processor time that enqueue adds to a create page', percent, 1)
}
