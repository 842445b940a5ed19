/**
 * Counts the requests that fail while workers behind nginx restart. Measures how fast Fw replaces a killed worker:
 * `node --conditions=fwjs-source scripts/measure-workers.ts --requests 20000 --kills 10`.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { respondingPids, StartedWorkers, workerApplication } from '../test/support/fw-start.ts'
import { runKeepAliveClients } from '../test/support/keep-alive-clients.ts'
import { restartWorkerNodes } from '../test/support/worker-nodes.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    connections: { type: 'string', default: '32' },
    kills: { type: 'string', default: '10' },
  },
})
const connections = Number(values.connections)

const load = (): string => readFileSync('/proc/loadavg', 'utf8').split(' ', 1)[0]!
const nextTry = (): Promise<void> => new Promise((next) => setTimeout(next, 5))

const requests = Number(values.requests)
if (requests > 0) {
  const { responses, failures, reloads, replacements } = await restartWorkerNodes({
    requests,
    connections,
  })
  console.log(
    `${reloads} reloads and ${replacements} replacements of nodes: ${failures.length} of ${responses + failures.length} requests failed, load ${load()}`,
  )
  for (const failure of new Set(failures))
    console.log(`${failures.filter((one) => one === failure).length} × ${failure}`)
  if (failures.length > 0) process.exitCode = 1
}

const root = mkdtempSync(join(tmpdir(), 'fw-kills-'))
for (const [path, text] of Object.entries(workerApplication())) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
symlinkSync(join(import.meta.dirname, '../node_modules'), join(root, 'node_modules'))
const workers = new StartedWorkers(root, { args: ['--port', '0', '--workers', '2'] })
while (workers.count('listening on') < 2) await nextTry()
const port = Number(new URL(workers.url()).port)
let isDone = false
const clients = runKeepAliveClients({ port, connections, isDone: () => isDone })
const times: number[] = []
const killed: number[] = []
for (let kill = 0; kill < Number(values.kills); kill++) {
  // Within 5 seconds, Fw has started the next spare worker.
  await new Promise((next) => setTimeout(next, 5_000))
  const [victim] = await respondingPids(workers.url())
  const before = workers.count('listening on')
  const start = performance.now()
  process.kill(victim!, 'SIGKILL')
  while (workers.count('listening on') === before) await nextTry()
  times.push(performance.now() - start)
  killed.push(victim!)
}
isDone = true
const { responses, failures, lostAfter } = await clients
workers.kill()
rmSync(root, { recursive: true, force: true })
const sorted = times.map(Math.round).toSorted((a, b) => a - b)
const foreign = lostAfter.filter((pid) => !killed.includes(Number(pid)))
console.log(
  `kill -9 with ${connections} busy connections: replaced after ${sorted.join(', ')} ms, load ${load()}; ${failures.length} of ${responses + failures.length} requests failed, at most ${connections} for each kill, ${foreign.length} of them of another worker`,
)
if (foreign.length > 0 || lostAfter.length !== failures.length) process.exitCode = 1
