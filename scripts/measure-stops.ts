/**
 * Counts the requests that fail when a server stops by SIGTERM: `node --conditions=fwjs-source scripts/measure-stops.ts
 * --stops 50 --connections 100`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runKeepAliveClients } from '../test/support/keep-alive-clients.ts'

const { values } = parseArgs({
  options: {
    stops: { type: 'string', default: '50' },
    connections: { type: 'string', default: '100' },
    /** The number of responses after which the server gets SIGTERM. */
    after: { type: 'string', default: '800' },
    /** The maximum time in milliseconds between a response and the next request. */
    pause: { type: 'string', default: '0' },
    path: { type: 'string', default: '/' },
    /** The configuration of the server, as JSON. */
    configuration: { type: 'string', default: '{}' },
  },
})
const node = join(import.meta.dirname, '../test/support/restart-node.ts')
const after = Number(values.after)

async function stopOnce(): Promise<{ responses: number; failures: readonly string[] }> {
  const args = ['--conditions=fwjs-source', node, '0', values.configuration]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const [text] = (await once(child.stdout, 'data')) as [Buffer]
  const result = await runKeepAliveClients({
    port: Number(String(text).split('\n')[0]),
    connections: Number(values.connections),
    pause: Number(values.pause),
    path: values.path,
    onResponse: (count) => count === after && child.kill('SIGTERM'),
  })
  const [code] = (await exited) as [number | null]
  return code === 0 ? result : { ...result, failures: [...result.failures, `exit code ${code}`] }
}

let responses = 0
const failures = new Map<string, number>()
for (let stop = 0; stop < Number(values.stops); stop++) {
  const result = await stopOnce()
  responses += result.responses
  for (const failure of result.failures) failures.set(failure, (failures.get(failure) ?? 0) + 1)
}
const failed = [...failures.values()].reduce((sum, count) => sum + count, 0)
console.log(`${values.stops} stops: ${failed} of ${responses + failed} requests failed`)
for (const [failure, count] of failures) console.log(`${count} × ${failure}`)
process.exitCode = failed === 0 ? 0 : 1
