/**
 * Reads on replicas: `npm run bench -- replicas [--replicas 1,2,3] [--rounds 5] [--requests 2000] [--visitors 200]`.
 *
 * 1. Starts a primary and its standbys on this machine, from the installed PostgreSQL.
 * 2. Sends requests that read to an application without replicas and to one with them in turn, and takes the CPU time of each
 *    server. In production each server has its own machine, and the busiest one limits the reads: the capacity is the CPU time of the primary
 *    alone ÷ that of the busiest server.
 * 3. Stops the replay of the standbys, so that they are behind. Then each visitor writes a row and reads it five times.
 *
 * Targets: n replicas have 0.9 × n times the capacity of the primary alone, and each visitor reads what he has written.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { listChildren } from '../../test/support/child-processes.ts'
import { runKeepAliveClients } from '../../test/support/keep-alive-clients.ts'
import { canStartPostgres, PostgresServer } from '../../test/support/postgres-server.ts'
import { estimate } from '../http/statistics.ts'
import { processorTime } from '../session/processor-time.ts'

const { values } = parseArgs({
  options: {
    replicas: { type: 'string', default: '1,2,3' },
    rounds: { type: 'string', default: '5' },
    requests: { type: 'string', default: '2000' },
    visitors: { type: 'string', default: '200' },
  },
})
const counts = values.replicas.split(',').map(Number)
const rounds = Number(values.rounds)
const requests = Number(values.requests)
const visitors = Number(values.visitors)
const connections = 16
const readsAfterWrite = 5
const leastShare = 0.9

if (!canStartPostgres)
  throw new Error('The benchmark starts PostgreSQL servers: install PostgreSQL.')

/** Seconds of CPU time of the server's processes that serve connections. */
function serverTime({ folder }: PostgresServer): number {
  const postmaster = Number(
    readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n')[0],
  )
  return listChildren(postmaster).reduce((sum, pid) => sum + processorTime(pid), 0)
}

async function execute(server: PostgresServer, sql: string): Promise<void> {
  const client = new pg.Client(server.url)
  await client.connect()
  await client.query(sql)
  await client.end()
}

/** Writes and reads as a browser, which sends the cookies of the last response back. Returns the number of stale reads. */
async function visit(port: number, id: number): Promise<number> {
  const url = `http://localhost:${port}/notes/${id}`
  let cookie = ''
  let stale = 0
  for (let version = 1; version <= 3; version++) {
    const headers = { cookie, 'sec-fetch-site': 'same-origin' }
    const written = await fetch(url, { method: 'POST', headers })
    if (written.status !== 200) throw new Error(`status ${written.status}: ${await written.text()}`)
    await written.text()
    cookie = written.headers
      .getSetCookie()
      .map((line) => line.split(';', 1)[0])
      .join('; ')
    for (let read = 0; read < readsAfterWrite; read++) {
      const response = await fetch(url, { headers: { cookie } })
      if (Number(await response.text()) !== version) stale += 1
    }
  }
  return stale
}

interface Figures {
  /** The capacity, compared with the primary alone, in each round. */
  readonly capacity: readonly number[]
  readonly stale: number
  /** The share of each server in the CPU time, the primary first. */
  readonly shares: readonly number[]
}

interface Application {
  readonly port: number
  close(): Promise<unknown>
}

async function startApplication(servers: readonly PostgresServer[]): Promise<Application> {
  const root = mkdtempSync(join(tmpdir(), 'fw-bench-'))
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
  const args = [root, ...servers.map(({ url }) => url)]
  const child = fork(join(import.meta.dirname, 'server.ts'), args, {
    execArgv: ['--conditions=fwjs-source'],
    env: { ...process.env, FW_ENV: 'production', DATABASE_URL: '' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [port] = (await once(child, 'message')) as [number]
  const close = async (): Promise<void> => {
    child.disconnect()
    await once(child, 'exit')
    rmSync(root, { recursive: true })
  }
  return { port, close }
}

/** Returns the seconds of CPU time of each server. */
async function read(port: number, servers: readonly PostgresServer[]): Promise<readonly number[]> {
  const before = servers.map(serverTime)
  const isDone = (done: number): boolean => done >= requests
  const { failures } = await runKeepAliveClients({ port, connections, path: '/sum', isDone })
  if (failures.length > 0) throw new Error(failures[0])
  return servers.map((server, at) => serverTime(server) - before[at]!)
}

async function countStaleReads(port: number, standbys: readonly PostgresServer[]): Promise<number> {
  for (const standby of standbys) await execute(standby, 'select pg_wal_replay_pause()')
  let stale = 0
  const next = Array.from({ length: visitors }, (_, at) => standbys.length * visitors + at)
  const work = async (): Promise<void> => {
    for (let id = next.pop(); id !== undefined; id = next.pop()) stale += await visit(port, id)
  }
  await Promise.all(Array.from({ length: connections }, work))
  for (const standby of standbys) await execute(standby, 'select pg_wal_replay_resume()')
  return stale
}

async function measure(standbys: readonly PostgresServer[]): Promise<Figures> {
  const servers = [primary, ...standbys]
  const alone = await startApplication([primary])
  const replicated = await startApplication(servers)
  try {
    // The first requests check the replicas.
    await read(alone.port, servers)
    await read(replicated.port, servers)
    const capacity: number[] = []
    const shares = servers.map(() => 0)
    for (let round = 0; round < rounds; round++) {
      const [single] = await read(alone.port, servers)
      const took = await read(replicated.port, servers)
      capacity.push(single! / Math.max(...took))
      for (const [at, time] of took.entries()) shares[at]! += time
    }
    const stale = await countStaleReads(replicated.port, standbys)
    const sum = shares.reduce((all, one) => all + one, 0)
    return { capacity, stale, shares: shares.map((one) => one / sum) }
  } finally {
    await alone.close()
    await replicated.close()
  }
}

const primary = await PostgresServer.start()
const standbys: PostgresServer[] = []
try {
  await execute(primary, 'create table notes (id int primary key, version int not null)')
  for (const count of counts) {
    while (standbys.length < count) standbys.push(await primary.startStandby())
    const { capacity, stale, shares } = await measure(standbys.slice(0, count))
    const { median, low, high } = estimate(capacity)
    const isReached = stale === 0 && median >= leastShare * count
    if (!isReached) process.exitCode = 1
    console.log(
      `${count} replicas: ${median.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)}) times the capacity of the primary alone ` +
        `(target ${(leastShare * count).toFixed(1)}); CPU time of the primary and the replicas: ${shares.map((one) => `${(100 * one).toFixed(0)} %`).join(', ')}; ` +
        `${stale} of ${visitors * 3 * readsAfterWrite} own reads stale (target 0); load ${loadavg()[0]!.toFixed(1)}: ${isReached ? 'reached' : 'MISSED'}`,
    )
  }
} finally {
  for (const server of [...standbys, primary]) server.remove()
}
