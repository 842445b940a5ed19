/**
 * Jobs per minute of one process, compared with SQL by hand, and the processor time that `enqueue` adds to a generated create
 * page: `npm run bench -- jobs`, optionally with `--rounds 7`, `--jobs 5000`, `--requests 1000` and `--server postgres://…`.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { openDatabase } from '../../src/runtime/db.ts'
import { emptyDatabaseOn } from '../../src/runtime/db/test-server.fixture.ts'
import { jobMigration } from '../../src/runtime/jobs.ts'
import { estimate } from '../http/statistics.ts'
import { compareCreate } from './create.ts'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    jobs: { type: 'string', default: '5000' },
    requests: { type: 'string', default: '1000' },
    server: {
      type: 'string',
      default: process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/test',
    },
  },
})
const rounds = Number(options.rounds)
const jobs = Number(options.jobs)

interface Measured {
  readonly seconds: number
  readonly cpu: number
}

const { url, drop } = await emptyDatabaseOn('bench', options.server)
const database = await openDatabase({ kind: 'postgres', url, poolSize: 1 })
const run = (sql: string, ...parameters: unknown[]) => database.query({ sql, parameters })
try {
  for (const sql of [...jobMigration.up, 'create table effects (n int)']) await run(sql)
  const measure = async (kind: string): Promise<Measured> => {
    await run(
      `insert into fw_jobs (name, queue, priority, arguments, created_at, run_at)
       select 'effect', 'default', 0, jsonb_build_object('n', n), now(), now() from generate_series(1, $1::int) as n`,
      jobs,
    )
    await run('analyze fw_jobs')
    const args = ['--conditions=fwjs-source', join(import.meta.dirname, 'worker.ts')]
    const { stdout } = await promisify(execFile)(process.execPath, [...args, kind, url, `${jobs}`])
    const { rows } = await run('select (select count(*) from fw_jobs)::int as n')
    if (rows[0]!['n'] !== 0) throw new Error(`${kind} left jobs`)
    return JSON.parse(stdout) as Measured
  }
  const pairs: [Measured, Measured][] = []
  for (let at = 0; at < rounds; at++) {
    // Alternate the order, so that it favours neither.
    const first = await measure(at % 2 === 0 ? 'fw' : 'by-hand')
    const second = await measure(at % 2 === 0 ? 'by-hand' : 'fw')
    pairs.push(at % 2 === 0 ? [first, second] : [second, first])
  }
  const shown = (values: readonly number[], digits = 2): string => {
    const { median, low, high } = estimate(values)
    return `${median.toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)})`
  }
  const perMinute = pairs.map(([fw]) => ((jobs * 0.9) / fw.seconds) * 60)
  console.log(`jobs a minute, one process: ${shown(perMinute, 0)}`)
  console.log(
    `throughput, Fw ÷ by hand: ${shown(pairs.map(([fw, hand]) => hand.seconds / fw.seconds))}`,
  )
  console.log(
    `processor time, by hand ÷ Fw: ${shown(pairs.map(([fw, hand]) => hand.cpu / fw.cpu))}`,
  )
  const added = await compareCreate(options.server, rounds, Number(options.requests))
  console.log(
    `processor time that enqueue adds to a create page: ${shown(
      added.map((ratio) => (ratio - 1) * 100),
      1,
    )} %`,
  )
} finally {
  await database.close()
  await drop()
}
