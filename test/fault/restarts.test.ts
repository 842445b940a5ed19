/**
 * Tests rolling restarts behind a proxy that repeats no request. `scripts/measure-restarts.ts` and `measure-workers.ts`
 * run them under more load.
 */
import { expect, test } from 'vitest'
import { hasProxy, rollingRestart } from '../support/rolling-restart.ts'
import { restartWorkerNodes } from '../support/worker-nodes.ts'

// With this pause between requests, even a busy machine has time for the probes of the proxy.
const limits = { requests: 500, connections: 8, pause: 40, drainDelay: 3000 }

test.skipIf(!hasProxy('nginx'))('a rolling restart behind nginx fails no request', async () => {
  const { failures, responses } = await rollingRestart({ proxy: 'nginx', ...limits })
  expect(failures).toEqual([])
  expect(responses).toBeGreaterThanOrEqual(500)
})

test.skipIf(!hasProxy('haproxy'))('a rolling restart behind haproxy fails no request', async () => {
  const { failures, responses } = await rollingRestart({ proxy: 'haproxy', ...limits })
  expect(failures).toEqual([])
  expect(responses).toBeGreaterThanOrEqual(500)
})

test.skipIf(!hasProxy('nginx'))(
  'two nodes of two workers behind nginx: neither SIGHUP nor a replacement of a node fails a request',
  async () => {
    const { failures, responses } = await restartWorkerNodes({
      requests: 500,
      connections: 8,
      pause: 40,
    })
    expect(failures).toEqual([])
    expect(responses).toBeGreaterThanOrEqual(500)
  },
  180_000,
)
