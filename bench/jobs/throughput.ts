/** Compares the jobs of a process of Fw with those of a process that runs them by hand. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { openDatabase, type Database } from '../../src/runtime/db.ts'
import { emptyDatabaseOn } from '../../src/runtime/db/test-server.fixture.ts'
import { jobMigration } from '../../src/runtime/jobs.ts'
import type { Measured } from './worker.ts'

const run = (database: Database, sql: string, ...parameters: unknown[]) =>
  database.query({ sql, parameters })

/** A process with a database of its own, so that it finds only its own jobs. */
class Subject {
  readonly #child: ChildProcess
  readonly #database: Database
  readonly #drop: () => Promise<void>

  private constructor(child: ChildProcess, database: Database, drop: () => Promise<void>) {
    this.#child = child
    this.#database = database
    this.#drop = drop
  }

  static async start(kind: 'fw' | 'by-hand', server: string): Promise<Subject> {
    const { url, drop } = await emptyDatabaseOn('bench', server)
    const database = await openDatabase({ kind: 'postgres', url, poolSize: 1 })
    for (const sql of [...jobMigration.up, 'create table effects (n int)']) await run(database, sql)
    const child = fork(join(import.meta.dirname, 'worker.ts'), [kind, url], {
      execArgv: ['--conditions=fwjs-source'],
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    })
    // The log is read, so that its pipe does not fill, and dropped.
    child.stdout!.resume()
    await once(child, 'message')
    return new Subject(child, database, drop)
  }

  async measure(jobs: number): Promise<Measured> {
    await run(this.#database, 'truncate effects')
    await run(
      this.#database,
      `insert into fw_jobs (name, queue, priority, arguments, created_at, run_at)
       select 'effect', 'default', 0, jsonb_build_object('n', n), now(), now() from generate_series(1, $1::int) as n`,
      jobs,
    )
    await run(this.#database, 'vacuum analyze fw_jobs')
    this.#child.send(jobs)
    const [measured] = (await once(this.#child, 'message')) as [Measured]
    const { rows } = await run(
      this.#database,
      'select (select count(*) from fw_jobs)::int as left, (select count(*) from effects)::int as effects',
    )
    if (rows[0]!['left'] !== 0 || rows[0]!['effects'] !== jobs) throw new Error('jobs were lost')
    return measured
  }

  async end(): Promise<void> {
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exited
    await this.#database.close()
    await this.#drop()
  }
}

/** The number of jobs that a process runs before its first measurement. */
const warmUp = 15_000

/** What Fw and the code by hand took for the same number of jobs. */
export interface Pair {
  readonly fw: Measured
  readonly byHand: Measured
}

/**
 * Measures pairs of short runs, which follow each other in alternating order, so that other programs slow both of a pair. Each of
 * `processes` pairs of fresh processes measures `rounds` pairs, after a warm-up: V8 still optimizes code after 10,000 jobs.
 */
export async function compareThroughput(
  server: string,
  processes: number,
  rounds: number,
  jobs: number,
): Promise<Pair[]> {
  const pairs: Pair[] = []
  for (let started = 0; started < processes; started++) {
    const fw = await Subject.start('fw', server)
    const byHand = await Subject.start('by-hand', server)
    try {
      for (const subject of [fw, byHand]) await subject.measure(warmUp)
      for (let at = 0; at < rounds; at++) {
        const first = at % 2 === 0 ? await byHand.measure(jobs) : undefined
        const own = await fw.measure(jobs)
        const pair = { fw: own, byHand: first ?? (await byHand.measure(jobs)) }
        pairs.push(pair)
      }
    } finally {
      await fw.end()
      await byHand.end()
    }
  }
  return pairs
}
