/**
 * Overload: `npm run bench -- overload [--seconds 6] [--loads 1,10] [--pages cpu,delayed,database]`.
 *
 * 1. Starts the server on the first core and the load generator on the second one, if `taskset` is installed.
 * 2. Warms the server up. Then measures the capacity: 16 connections each send the next request after a response.
 * 3. Sends 1,000 requests at once, then lets 500 connections each send the next request after a response.
 * 4. Sends multiples of the capacity at a fixed rate, without waiting for responses. The first seconds, in which the queue
 *    grows until the oldest request has waited as long as the limit, are reported separately.
 * 5. Exits with 1 if a request of step 3 is refused, if the goodput falls below 80 % of the best one, or if a good response takes
 *    more than 1.2 times the limit.
 *
 * `DATABASE_URL` names the server in which it creates a database; default `postgres://postgres@127.0.0.1:5432/postgres`.
 */
import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDatabase } from '../../src/runtime/db.ts'
import type { Load, Result } from './load.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '6' },
    loads: { type: 'string', default: '1,10' },
    pages: { type: 'string', default: 'cpu,delayed,database' },
  },
})
const seconds = Number(values.seconds)
const loads = values.loads.split(',').map(Number)
const capacityConnections = 16
const [burstConnections, closedConnections] = [1000, 500]
/** Fewer than the server accepts. */
const openConnections = 9000
const warmUpSeconds = 3
const firstSeconds = 6
const leastShare = 0.8
/** The default of `server.maxQueueTime` in production, and of `acquireTimeout`, in milliseconds. */
const limit = 5000
const longest = limit * 1.2

const adminUrl = process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'
const databaseName = `overload_bench_${process.pid}`
const databaseUrl = new URL(adminUrl)
databaseUrl.pathname = databaseName
const root = mkdtempSync(join(tmpdir(), 'fw-bench-'))
writeFileSync(join(root, 'package.json'), '{ "type": "module" }')

async function run(url: string, ...statements: readonly string[]): Promise<void> {
  const database = await openDatabase({ kind: 'postgres', url, poolSize: 1 })
  for (const sql of statements) await database.query({ sql, parameters: [] })
  await database.close()
}

/** A process on one core, as far as the machine has `taskset`. */
function start(file: string, core: number, args: readonly string[] = []): ChildProcess {
  const child = fork(join(import.meta.dirname, file), args, {
    execArgv: ['--conditions=fwjs-source'],
    env: { ...process.env, FW_ENV: 'production', DATABASE_URL: '' },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  child.on('exit', (code) => {
    if (code !== 0) process.exit(1)
  })
  spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(core), String(child.pid)])
  return child
}

interface Figures {
  readonly goodput: number
  /** Good responses for each second of the server's CPU time: independent of other programs on its core. */
  readonly perCpu: number
  readonly p50: number
  readonly p99: number
  /** The longest time of a good response in milliseconds. */
  readonly longest: number
  /** The requests that were refused or got no response. */
  readonly refused: number
}

async function readCpuSeconds(server: ChildProcess): Promise<number> {
  server.send('cpu')
  const [{ user, system }] = (await once(server, 'message')) as [NodeJS.CpuUsage]
  return (user + system) / 1e6
}

async function measure({ server, generator }: Processes, load: Load): Promise<Measured> {
  generator.send(load)
  const before = await readCpuSeconds(server)
  const [result] = (await once(generator, 'message')) as [Result]
  const responses = result.first.good + result.measured.good
  return { ...result, perCpu: responses / ((await readCpuSeconds(server)) - before) }
}

interface Processes {
  readonly server: ChildProcess
  readonly generator: ChildProcess
}

interface Measured extends Result {
  readonly perCpu: number
}

function percentile(millis: readonly number[], share: number): number {
  const sorted = millis.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN
}

function report(name: string, { first, measured, perCpu }: Measured): Figures {
  const { good, refused, failed, unsent, millis, refusalMillis } = measured
  const goodput = good / seconds
  const longest = millis.reduce((most, one) => Math.max(most, one), 0)
  const [p50, p99] = [percentile(millis, 0.5), percentile(millis, 0.99)]
  console.log(
    `${name.padEnd(20)} ${goodput.toFixed(0).padStart(6)} good/s, ${perCpu.toFixed(0)} per CPU second, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, longest ${longest.toFixed(0)} ms; ` +
      `${refused} refused after ${percentile(refusalMillis, 0.5).toFixed(0)} ms; ` +
      `${failed} failed, ${unsent} unsent`,
  )
  const early = `${first.good} good, ${first.refused} refused, ${first.failed} failed`
  console.log(`${''.padEnd(20)} first seconds: ${early}`)
  return {
    goodput,
    perCpu,
    p50,
    p99,
    longest,
    refused: refused + failed + first.refused + first.failed,
  }
}

/** Returns whether the page reaches the targets. */
async function measurePage(page: string): Promise<boolean> {
  const server = start('server.ts', 0, [root, databaseUrl.href])
  const log: string[] = []
  server.stdout!.setEncoding('utf8').on('data', (text: string) => void log.push(text))
  const generator = start('load.ts', 1)
  const [port] = (await once(server, 'message')) as [number]
  const common = { port, path: `/${page}`, seconds, firstSeconds }
  const closed = { ...common, firstSeconds: 1, connections: capacityConnections }
  const processes = { server, generator }
  await measure(processes, { ...closed, seconds: warmUpSeconds })
  const capacity = report(`${page}, capacity`, await measure(processes, closed))
  const burst = { ...closed, firstSeconds: 0, seconds: 0, connections: burstConnections }
  const atOnce = report(`${page}, ${burstConnections} at once`, await measure(processes, burst))
  const many = { ...closed, connections: closedConnections }
  const kept = report(`${page}, ${closedConnections} clients`, await measure(processes, many))
  const figures: Figures[] = []
  for (const factor of loads) {
    const rate = capacity.goodput * factor
    log.length = 0
    const result = await measure(processes, { ...common, rate, connections: openConnections })
    figures.push(report(`${page}, ${factor} × load`, result))
    reportLog(log, result)
  }
  for (const child of [server, generator]) child.disconnect()
  return evaluate(page, [capacity, atOnce, kept], figures)
}

function evaluate(page: string, closed: readonly Figures[], figures: readonly Figures[]): boolean {
  const [capacity] = closed
  const last = figures.at(-1)!
  const share = (name: 'goodput' | 'perCpu'): number =>
    last[name] / Math.max(capacity![name], ...figures.map((figure) => figure[name]))
  const refused = closed.reduce((sum, figure) => sum + figure.refused, 0)
  const isReached = refused === 0 && share('goodput') >= leastShare && last.longest <= longest
  const percent = (part: number): string => `${(100 * part).toFixed(0)} %`
  console.log(
    `${page}: ${isReached ? 'reached' : 'MISSED'}. At ${loads.at(-1)} times the load ${percent(share('goodput'))} of the best ` +
      `goodput (${percent(share('perCpu'))} per CPU second; target ${percent(leastShare)}), ` +
      `the longest response took ${last.longest.toFixed(0)} ms (target ${longest}); ${refused} refused before (target 0)`,
  )
  return isReached
}

/** The lines that are not of the access log of served requests. */
function reportLog(log: readonly string[], { first, measured }: Result): void {
  const lines = log.join('').split('\n')
  const errors = lines.filter((line) => line !== '' && !line.includes('"status":200'))
  console.log(
    `${''.padEnd(20)} ${errors.length} lines of log for ${first.refused + measured.refused} refusals`,
  )
}

await run(adminUrl, `create database ${databaseName}`)
await run(
  databaseUrl.href,
  'create table items (id bigint primary key, name text not null)',
  "insert into items values (1, 'first')",
)
try {
  for (const page of values.pages.split(',')) if (!(await measurePage(page))) process.exitCode = 1
} finally {
  await run(adminUrl, `drop database ${databaseName} with (force)`)
  rmSync(root, { recursive: true })
}
