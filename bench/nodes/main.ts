/**
 * Two nodes with two workers each behind HAProxy, compared with one process: `npm run bench -- nodes [--rounds 7]`. Linux.
 *
 * Both serve the same requests in turn. The capacity by CPU time says how many requests the workers would serve with a core each:
 * workers ÷ CPU time of a request. The CPU time of HAProxy and of the load is reported apart, as both need cores of their own. With
 * seven cores or more, the processes are pinned to cores of their own, and the measured rates are compared, too.
 *
 * The target: 1.8 times the capacity with each doubling of the cores, so 3.24 times with four.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { listChildren } from '../../test/support/child-processes.ts'
import { StartedWorkers } from '../../test/support/fw-start.ts'
import { runKeepAliveClients } from '../../test/support/keep-alive-clients.ts'
import { accepts, freePort } from '../../test/support/ports.ts'
import { estimate, type Estimate } from '../http/statistics.ts'
import { processorTime } from '../session/processor-time.ts'
import { createPages } from '../workers/application.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '7' } } })
const rounds = Number(values.rounds)
const connections = 64
const [nodes, workersOfNode] = [2, 2]
const workers = nodes * workersOfNode
const leastCapacity = 1.8 ** Math.log2(workers)
/** One for each worker, for the single process, for HAProxy and for the load. */
const neededCores = workers + 3
const hasCores = availableParallelism() >= neededCores

const pages = [
  { path: '/small', requests: 10_000 },
  { path: '/large', requests: 1_500 },
] as const

async function startNode(root: string, port: number, count: number): Promise<StartedWorkers> {
  const args = ['--port', String(port), '--workers', String(count)]
  const node = new StartedWorkers(root, { args })
  while (node.count('listening on') < count) await new Promise((next) => setTimeout(next, 20))
  return node
}

function pin(pid: number, core: number): void {
  if (hasCores) spawnSync('taskset', ['-acp', String(core), String(pid)])
}

async function startHaproxy(
  root: string,
  port: number,
  ports: readonly number[],
): Promise<ChildProcess> {
  const servers = ports.map((one, at) => `  server node${at} 127.0.0.1:${one} check\n`)
  const file = join(root, 'haproxy.cfg')
  writeFileSync(
    file,
    `global
  nbthread 1
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  http-reuse always
frontend web
  bind 127.0.0.1:${port}
  http-request set-header X-Forwarded-For %[src]
  http-request set-header X-Forwarded-Proto http
  default_backend nodes
backend nodes
  balance roundrobin
  option httpchk GET /ready
  http-check send hdr Host localhost
${servers.join('')}`,
  )
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] })
  await once(child, 'spawn')
  await accepts(port, child)
  return child
}

interface Subject {
  readonly port: number
  readonly pids: () => readonly number[]
}

interface Round {
  readonly micros: number
  readonly proxyMicros: number
  readonly perSecond: number
}

async function measure(
  subject: Subject,
  proxy: number,
  path: string,
  requests: number,
): Promise<Round> {
  const read = (): number => subject.pids().reduce((sum, pid) => sum + processorTime(pid), 0)
  const [before, proxyBefore] = [read(), processorTime(proxy)]
  const began = performance.now()
  const isDone = (count: number): boolean => count >= requests
  const { responses, failures } = await runKeepAliveClients({
    port: subject.port,
    connections,
    path,
    isDone,
  })
  if (failures.length > 0) throw new Error(failures[0])
  return {
    micros: ((read() - before) / responses) * 1e6,
    proxyMicros: ((processorTime(proxy) - proxyBefore) / responses) * 1e6,
    perSecond: (responses * 1000) / (performance.now() - began),
  }
}

const format = ({ median, low, high }: Estimate, digits: number): string =>
  `${median.toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)})`

const root = createPages()
const started: StartedWorkers[] = []
let haproxy: ChildProcess | undefined
try {
  const ports = await Promise.all(Array.from({ length: nodes + 2 }, freePort))
  const [singlePort, proxyPort, ...nodePorts] = ports as [number, number, ...number[]]
  for (const port of nodePorts) started.push(await startNode(root, port, workersOfNode))
  const alone = await startNode(root, singlePort, 1)
  started.push(alone)
  haproxy = await startHaproxy(root, proxyPort, nodePorts)
  // The spare workers load meanwhile.
  await new Promise((next) => setTimeout(next, 5000))
  const pidsOf = (list: readonly StartedWorkers[]) => () =>
    list.flatMap(({ child }) => [child.pid!, ...listChildren(child.pid!)])
  const single: Subject = { port: singlePort, pids: pidsOf([alone]) }
  const several: Subject = { port: proxyPort, pids: pidsOf(started.slice(0, nodes)) }
  for (const [core, pid] of several.pids().entries()) pin(pid, core % workers)
  for (const pid of single.pids()) pin(pid, workers)
  pin(haproxy.pid!, workers + 1)
  pin(process.pid, workers + 2)
  for (const { path, requests } of pages) {
    const rows: { one: Round; all: Round }[] = []
    for (let round = -2; round < rounds; round++) {
      const one = await measure(single, haproxy.pid!, path, requests)
      const all = await measure(several, haproxy.pid!, path, requests)
      if (round >= 0) rows.push({ one, all })
    }
    const capacity = estimate(rows.map(({ one, all }) => (workers * one.micros) / all.micros))
    const measured = estimate(rows.map(({ one, all }) => all.perSecond / one.perSecond))
    const isReached = (hasCores ? measured : capacity).median >= leastCapacity
    if (!isReached) process.exitCode = 1
    console.log(
      `${path}: ${format(estimate(rows.map(({ one }) => one.micros)), 1)} µs in one process, ` +
        `${format(estimate(rows.map(({ all }) => all.micros)), 1)} µs in ${workers} workers and ${format(estimate(rows.map(({ all }) => all.proxyMicros)), 1)} µs in HAProxy. ` +
        `By CPU time ${format(capacity, 2)} times the capacity of one process (target ${leastCapacity.toFixed(2)}): ${isReached ? 'reached' : 'MISSED'}; ` +
        `measured ${format(measured, 2)} times the rate on ${availableParallelism()} cores, of which the rates need ${neededCores}; load ${loadavg()[0]!.toFixed(1)}`,
    )
  }
} finally {
  for (const node of started) node.kill()
  haproxy?.kill('SIGKILL')
  rmSync(root, { recursive: true, force: true })
}
