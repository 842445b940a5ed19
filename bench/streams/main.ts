/**
 * Event streams on one process: `npm run bench -- streams [--counts 100,1000,10000] [--subjects live,plain,node] [--rounds 9]`.
 *
 * 1. Starts a server on the first core and the clients on the second one, if `taskset` is installed.
 * 2. Opens the streams, and reads the memory of the server after forced collections.
 * 3. Sends NOTIFY on a separate connection, and measures the time until all streams have the event.
 * 4. Counts the connections of the server that listen.
 *
 * `DATABASE_URL` names the server in which it creates a database; default `postgres://postgres@127.0.0.1:5432/postgres`.
 * Both processes need a descriptor for each stream: `ulimit -Hn` must be greater than the number of streams.
 */
import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { emptyDatabaseOn } from '../../src/runtime/db/test-server.fixture.ts'
import type { Order, Received } from './clients.ts'
import type { StreamSample } from './server.ts'

const { values } = parseArgs({
  options: {
    counts: { type: 'string', default: '100,1000,10000' },
    subjects: { type: 'string', default: 'live,plain,node' },
    rounds: { type: 'string', default: '9' },
  },
})
const counts = values.counts.split(',').map(Number)
const rounds = Number(values.rounds)
/** The targets for Fw: bytes of live objects for each stream, and milliseconds until all have an event. */
const [mostBytes, mostMillis] = [12_000, 250]
/** Streams that load the code before the first measurement. */
const warmUp = 50

const limits = readFileSync('/proc/self/limits', 'utf8')
const descriptors = Number(/^Max open files\s+\S+\s+(\d+)/m.exec(limits)?.[1] ?? Infinity)
if (Math.max(...counts) + warmUp + 100 > descriptors)
  throw new Error(
    `A process may open ${descriptors} files: raise ulimit -Hn, or pass fewer --counts.`,
  )

const root = mkdtempSync(join(tmpdir(), 'fw-bench-'))
writeFileSync(join(root, 'package.json'), '{ "type": "module" }')

function start(file: string, core: number, args: readonly string[] = []): ChildProcess {
  const child = fork(join(import.meta.dirname, file), args, {
    execArgv: ['--conditions=fwjs-source', '--expose-gc'],
    env: { ...process.env, FW_ENV: 'production', DATABASE_URL: '' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  child.on('exit', (code) => {
    if (code !== 0) process.exit(1)
  })
  spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(core), String(child.pid)])
  return child
}

async function ask<T>(child: ChildProcess, order: Order | boolean): Promise<T> {
  child.send(order)
  return ((await once(child, 'message')) as [T])[0]
}

interface Spread {
  readonly millis: number
  readonly cpuMillis: number
}

async function spread(
  server: ChildProcess,
  clients: ChildProcess,
  admin: pg.Client,
): Promise<Spread> {
  await ask(clients, 'next')
  const before = await ask<StreamSample>(server, false)
  const all = once(clients, 'message')
  const began = Date.now()
  await admin.query(`notify news, '${began}'`)
  const [{ last }] = (await all) as [Received]
  const { cpu } = await ask<StreamSample>(server, false)
  return { millis: last - began, cpuMillis: (cpu - before.cpu) * 1000 }
}

const median = (figures: readonly number[]): number =>
  figures.toSorted((one, other) => one - other)[figures.length >> 1]!
const range = (figures: readonly number[]): string =>
  `${median(figures).toFixed(0)} (${Math.min(...figures).toFixed(0)}–${Math.max(...figures).toFixed(0)})`

async function countListeners(admin: pg.Client): Promise<number> {
  const sql = `select count(*)::int as count from pg_stat_activity
    where datname = current_database() and query ilike 'listen%'`
  return (await admin.query<{ count: number }>(sql)).rows[0]!.count
}

async function measure(subject: string, url: string, admin: pg.Client): Promise<boolean> {
  const server = start('server.ts', 0, [subject, root, url])
  const clients = start('clients.ts', 1)
  const [port] = (await once(server, 'message')) as [number]
  const path = `/${subject}`
  await ask(clients, { port, path, count: warmUp })
  for (let round = 0; round < 5; round++) await spread(server, clients, admin)
  const empty = await ask<StreamSample>(server, true)
  let isReached = true
  for (const count of counts) {
    await ask(clients, { port, path, count: count + warmUp })
    await setTimeout(1000)
    const opened = await ask<StreamSample>(server, true)
    const figures: Spread[] = []
    for (let round = 0; round < rounds; round++) figures.push(await spread(server, clients, admin))
    const used = await ask<StreamSample>(server, true)
    const each = (name: 'rss' | 'heap' | 'external', to = used): number =>
      (to[name] - empty[name]) / count
    const bytes = each('heap') + each('external')
    const millis = figures.map((figure) => figure.millis)
    const listeners = await countListeners(admin)
    const reached = bytes <= mostBytes && median(millis) <= mostMillis && listeners === 1
    console.log(
      `${subject.padEnd(5)} ${String(count).padStart(6)} streams: ${bytes.toFixed(0)} bytes of live objects each (target ${mostBytes}), ` +
        `${each('rss').toFixed(0)} of resident memory (before the first event ${each('rss', opened).toFixed(0)}), ` +
        `all have an event after ${range(millis)} ms (target ${mostMillis}), ` +
        `${range(figures.map(({ cpuMillis }) => cpuMillis))} ms of CPU time, ${listeners} listening connection (target 1); ` +
        `load ${loadavg()[0]!.toFixed(1)}`,
    )
    // With few streams, the memory of loaded code hides that of a stream.
    if (count === counts.at(-1)) isReached = reached
  }
  for (const child of [server, clients]) child.disconnect()
  await once(server, 'exit')
  return isReached || subject === 'node'
}

const { url, drop } = await emptyDatabaseOn('streams_bench')
const admin = new pg.Client(url)
await admin.connect()
try {
  for (const subject of values.subjects.split(',')) {
    const isReached = await measure(subject, url, admin)
    if (subject !== 'node') console.log(`${subject}: ${isReached ? 'reached' : 'MISSED'}`)
    if (!isReached) process.exitCode = 1
  }
} finally {
  await admin.end()
  await drop()
  rmSync(root, { recursive: true })
}
