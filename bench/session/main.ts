/**
 * A counter in the session, compared with other libraries: `npm run bench -- session`, optionally with
 * `--rounds 9 --requests 6000`. Each value is a median over alternating rounds. It is processor time, because other
 * programs run on the machine, and all stores share one disk.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openDatabase, type Database } from '../../src/runtime/db.ts'
import { sessionMigration } from '../../src/runtime/session.ts'
import { buildPackage } from '../build.ts'
import { estimate } from '../http/statistics.ts'
import { processorTime } from './processor-time.ts'
import { Visitors } from './visitors.ts'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '21' },
    requests: { type: 'string', default: '2000' },
  },
})
const rounds = Number(options.rounds)
const requests = Number(options.requests)
const server = process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/test'
const name = `session_bench_${process.pid}`

/** Fw's stores, with the minimum ratio of another library's cost to theirs. */
const pairs = [
  { own: 'fw, database', peer: 'express-session, connect-pg-simple', least: 2 },
  { own: 'fw, database', peer: '@fastify/session, connect-pg-simple', least: 1 },
  { own: 'fw, generated', peer: 'fw, database', least: 0.6 },
  { own: 'fw, process', peer: '@fastify/session, process', least: 1 },
  { own: 'fw, no cookie', peer: 'fw, no session', least: 0.99 },
] as const
const subjects = [...new Set(pairs.flatMap(({ own, peer }) => [own, peer]))]

/** Microseconds per request; `statements` counts database transactions. */
interface Cost {
  readonly node: number
  readonly database: number
  readonly statements: number
  readonly rate: number
}

class Subject {
  readonly #child: ChildProcess
  readonly #visitors: Visitors

  private constructor(child: ChildProcess, visitors: Visitors) {
    this.#child = child
    this.#visitors = visitors
  }

  static async start(subject: string, url: string): Promise<Subject> {
    const file = join(import.meta.dirname, 'subject.ts')
    const child = spawn(process.execPath, [file, subject, url], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_ENV: 'production', FW_ENV: 'test' },
    })
    const [port] = (await once(child.stdout, 'data')) as [Buffer]
    const counts = !subject.startsWith('fw, no')
    return new Subject(child, new Visitors(Number(String(port)), counts))
  }

  async measure(database: Database, settle?: () => Promise<void>): Promise<Cost> {
    const before = await backends(database)
    await this.#visitors.connect()
    const node = processorTime(this.#child.pid!)
    const started = performance.now()
    await this.#visitors.round(requests)
    const seconds = (performance.now() - started) / 1000
    const nodeTook = processorTime(this.#child.pid!) - node
    this.#visitors.leave()
    await settle?.()
    const after = await backends(database)
    return {
      node: (nodeTook * 1e6) / requests,
      database: (tookSince(before.times, after.times) * 1e6) / requests,
      statements: (after.transactions - before.transactions) / requests,
      rate: requests / seconds,
    }
  }

  async end(): Promise<void> {
    this.#child.kill()
    await once(this.#child, 'exit')
  }
}

interface Backends {
  readonly times: ReadonlyMap<number, number>
  readonly transactions: number
}

async function backends(database: Database): Promise<Backends> {
  const { rows } = await database.query<{ pid: number; transactions: bigint }>({
    sql: `SELECT a.pid, d.xact_commit AS transactions FROM pg_stat_database d
      LEFT JOIN pg_stat_activity a ON a.datname = d.datname WHERE d.datname = $1`,
    parameters: [name],
  })
  const times = new Map(rows.map(({ pid }) => [pid, processorTime(pid)]))
  return { times, transactions: Number(rows[0]?.transactions ?? 0) }
}

function tookSince(
  before: ReadonlyMap<number, number>,
  after: ReadonlyMap<number, number>,
): number {
  let took = 0
  for (const [pid, time] of after) took += time - (before.get(pid) ?? 0)
  return took
}

const settled = (): Promise<void> => setTimeout(11_000)
const statements = new Map<string, number>()
const costs = new Map<string, Cost[]>(subjects.map((subject) => [subject, []]))

async function measureAll(database: Database, url: string): Promise<void> {
  const running = new Map<string, Subject>()
  try {
    for (const subject of subjects) running.set(subject, await Subject.start(subject, url))
    for (let round = -1; round < rounds; round++) {
      // Rotate the order, so that no subject always follows the same one.
      const order = round % 2 === 0 ? subjects : subjects.toReversed()
      for (const subject of order) {
        // PostgreSQL updates its statistics up to ten seconds late, so count statements in the warm-up round.
        const cost = await running.get(subject)!.measure(database, round < 0 ? settled : undefined)
        if (round < 0) statements.set(subject, cost.statements)
        else costs.get(subject)!.push(cost)
      }
    }
  } finally {
    for (const subject of running.values()) await subject.end()
  }
}

const median = (figures: readonly number[]): number => estimate(figures).median

function report(): void {
  for (const [subject, all] of costs) {
    const of = (part: keyof Cost): number => median(all.map((cost) => cost[part]))
    process.stdout.write(
      `${subject.padEnd(38)} ${of('node').toFixed(1)} µs node + ${of('database').toFixed(1)} µs database, ` +
        `${statements.get(subject)!.toFixed(2)} statements, ${Math.round(of('rate'))} requests/s\n`,
    )
  }
  process.stdout.write("\npeer's cost / own, median and its interval of 95 %\n")
  for (const { own, peer, least } of pairs) {
    const ratio = (part: (cost: Cost) => number): string => {
      const ownCosts = costs.get(own)!
      const of = estimate(costs.get(peer)!.map((cost, i) => part(cost) / part(ownCosts[i]!)))
      return `${of.median.toFixed(2)} (${of.low.toFixed(2)}–${of.high.toFixed(2)})`
    }
    process.stdout.write(
      `${own} | ${peer}: node ${ratio(({ node }) => node)}, ` +
        `with database ${ratio(({ node, database }) => node + database)}, ` +
        `time ${ratio(({ rate }) => 1 / rate)}; least ${least}\n`,
    )
  }
}

buildPackage()
const admin = await openDatabase({ kind: 'postgres', url: server, poolSize: 1 })
await admin.query({ sql: `create database ${name}`, parameters: [] })
const url = new URL(server)
url.pathname = `/${name}`
const database = await openDatabase({ kind: 'postgres', url: url.href, poolSize: 1 })
for (const sql of sessionMigration.up) await database.query({ sql, parameters: [] })
await database.close()
try {
  await measureAll(admin, url.href)
  report()
} finally {
  await admin.query({ sql: `drop database ${name} with (force)`, parameters: [] })
  await admin.close()
}
