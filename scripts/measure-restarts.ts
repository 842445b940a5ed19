/**
 * Counts the requests that fail during a rolling restart: `node --conditions=fwjs-source scripts/measure-restarts.ts
 * --proxy haproxy --requests 20000`.
 */
import { parseArgs } from 'node:util'
import { rollingRestart, type ProxyName } from '../test/support/rolling-restart.ts'

const { values } = parseArgs({
  options: {
    proxy: { type: 'string', default: 'haproxy' },
    requests: { type: 'string', default: '20000' },
    connections: { type: 'string', default: '32' },
    /** The time in milliseconds for which a node still serves requests after SIGTERM. */
    drainDelay: { type: 'string', default: '1000' },
  },
})
const { responses, failures, restarts } = await rollingRestart({
  proxy: values.proxy as ProxyName,
  requests: Number(values.requests),
  connections: Number(values.connections),
  drainDelay: Number(values.drainDelay),
})
console.log(
  `${values.proxy}: ${restarts} restarts, ${failures.length} of ${responses + failures.length} requests failed`,
)
for (const failure of new Set(failures))
  console.log(`${failures.filter((one) => one === failure).length} × ${failure}`)
process.exitCode = failures.length === 0 ? 0 : 1
