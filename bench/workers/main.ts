/**
 * CPU time of a request with one worker and with two, on one core, with the load on another one:
 * `npm run bench -- workers [rounds]`. Linux. The ratio says how many times as much two workers serve on cores of their own.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { loadavg } from 'node:os'
import { StartedWorkers } from '../../test/support/fw-start.ts'
import { runKeepAliveClients } from '../../test/support/keep-alive-clients.ts'
import { createPages } from './application.ts'

const rounds = Number(process.argv[2] ?? 7)
const connections = 64
const pages = [
  { path: '/small', requests: 30_000 },
  { path: '/large', requests: 3_000 },
] as const

const root = createPages()

interface Subject {
  readonly workers: StartedWorkers
  readonly port: number
}

async function start(count: number): Promise<Subject> {
  const workers = new StartedWorkers(root, { args: ['--port', '0', '--workers', String(count)] })
  while (workers.count('listening on') < count) await new Promise((next) => setTimeout(next, 20))
  // The spare worker, too.
  const subject = { workers, port: Number(new URL(workers.url()).port) }
  while (processes(subject).length < count + 2) await new Promise((next) => setTimeout(next, 20))
  for (const pid of processes(subject)) pin(0, pid)
  return subject
}

const pin = (core: number, pid: number): void =>
  void spawnSync('taskset', ['-acp', String(core), String(pid)])

/** The ids of the primary process and its workers. */
function processes({ workers: { child } }: Subject): number[] {
  const list = spawnSync('ps', ['-o', 'pid=', '--ppid', String(child.pid)], { encoding: 'utf8' })
  return [child.pid!, ...list.stdout.trim().split(/\s+/).map(Number)]
}

const ticksPerSecond = Number(spawnSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).stdout)

/** Seconds of CPU time. */
function readCpu(subject: Subject): number {
  const ticks = processes(subject).map((pid) => {
    // After the name in parentheses: state is the first field, utime the 12th, stime the 13th.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    return Number(fields[11]) + Number(fields[12])
  })
  return ticks.reduce((sum, one) => sum + one, 0) / ticksPerSecond
}

interface Round {
  readonly micros: number
  readonly perSecond: number
}

async function measure(subject: Subject, path: string, requests: number): Promise<Round> {
  const before = readCpu(subject)
  const started = performance.now()
  const isDone = (count: number): boolean => count >= requests
  const { responses } = await runKeepAliveClients({ port: subject.port, connections, path, isDone })
  const seconds = (performance.now() - started) / 1000
  return {
    micros: ((readCpu(subject) - before) / responses) * 1e6,
    perSecond: responses / seconds,
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1]!
const range = (values: readonly number[]): string =>
  `${median(values).toFixed(2)} (${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)})`

pin(1, process.pid)
const subjects = await Promise.all([start(1), start(2)])
// The spare workers load meanwhile.
await new Promise((next) => setTimeout(next, 5_000))
try {
  for (const { path, requests } of pages) {
    const results: Round[][] = [[], []]
    for (const subject of subjects) await measure(subject, path, requests)
    for (let round = 0; round < rounds; round++)
      for (const at of round % 2 === 0 ? [0, 1] : [1, 0])
        results[at]!.push(await measure(subjects[at]!, path, requests))
    const [one, two] = results as [Round[], Round[]]
    const capacity = one.map(({ micros }, round) => (2 * micros) / two[round]!.micros)
    const measured = two.map(({ perSecond }, round) => perSecond / one[round]!.perSecond)
    console.log(
      `${path}: ${median(one.map(({ micros }) => micros)).toFixed(1)} µs with one worker, ${median(two.map(({ micros }) => micros)).toFixed(1)} µs with two. Two cores serve ${range(capacity)} times as much by CPU time; on one core, two workers serve ${range(measured)} times as much as one; load ${loadavg()[0]!.toFixed(1)}`,
    )
  }
} finally {
  for (const { workers } of subjects) workers.kill()
  rmSync(root, { recursive: true, force: true })
}
