/**
 * Tests an unhandled rejection: it is logged with its request, requests in flight complete, and the process exits with
 * 70.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sourceFlags, visibleEnvironment } from '../support/environment.ts'

const program = join(import.meta.dirname, '../support/restart-node.ts')

/** Starts the application as a process and records the lines that it prints. */
function startNode(configuration: object) {
  const args = [...sourceFlags, program, '0', JSON.stringify(configuration)]
  const child = spawn(process.execPath, args, {
    env: visibleEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  let output = ''
  let printed = Promise.withResolvers<void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    printed.resolve()
    printed = Promise.withResolvers()
  })
  /** Waits for the first line of the output that matches. */
  const line = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const found = output
        .split('\n')
        .slice(0, -1)
        .find((one) => pattern.test(one))
      if (found !== undefined) return found
      await printed.promise
    }
  }
  return { exited, line }
}

test('a rejection of a request closes the process after the requests in flight', async () => {
  const configuration = { accessLog: { enabled: true }, server: { drainDelay: '1h' } }
  const { exited, line } = startNode(configuration)
  const port = Number(await line(/^\d+$/))
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`)
  const held = get('/hold')
  await line(/^holding$/)
  const rejecting = await get('/reject')
  expect(await rejecting.text()).toBe('rejected')
  const response = await held
  expect([response.status, await response.text()]).toEqual([200, 'held'])
  expect(await exited).toEqual([70, null])
  expect(JSON.parse(await line(/was not caught/))).toMatchObject({
    level: 'error',
    err: { name: 'Error', message: 'lost' },
    requestId: rejecting.headers.get('x-request-id'),
  })
})
