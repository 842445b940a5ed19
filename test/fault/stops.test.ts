/**
 * Tests that a server that stops under load loses no request. `scripts/measure-stops.ts` tests the same with a process
 * and a signal.
 */
import { expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../../src/runtime/base.ts'
import { stopThread } from '../../src/runtime/base/stop-thread.fixture.ts'
import { HttpResponse } from '../../src/runtime/http.ts'
import { HttpServer } from '../../src/runtime/server.ts'
import { runKeepAliveClients } from '../support/keep-alive-clients.ts'

test.each([
  ['with internals', true],
  ['public interface only', false],
])('clients that repeat requests on kept connections lose none: %s', async (_mode, internals) => {
  const answer = () => new HttpResponse(200, 'ok')
  const server = new HttpServer(answer, { logger: silentLogger }, internals)
  onTestFinished(() => server.destroy())
  const { port } = await server.listen(0)
  let closing: Promise<void> | undefined
  const { responses, failures } = await runKeepAliveClients({
    port,
    connections: 50,
    pause: 2,
    onResponse: (count) => {
      if (count !== 500) return
      closing = server.close()
      stopThread(250)
    },
  })
  await closing
  expect(failures).toEqual([])
  expect(responses).toBeGreaterThanOrEqual(500)
})
