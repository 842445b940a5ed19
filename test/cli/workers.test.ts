/** `fw start --workers`: workers share a port, are replaced without a failed request, and start again when they end. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sourceFlags, visibleEnvironment } from '../support/environment.ts'
import { runKeptClients } from '../support/kept-clients.ts'
import { temporaryFolder } from '../support/serve.ts'

const repository = resolve(import.meta.dirname, '../..')
const bootstrap = `
import { FwLifeCycle, microServlet } from 'fwjs'
export class Bootstrap extends FwLifeCycle {
  initFwApp(ctx) {
    if (process.env.FAILS) throw new Error('the start fails')
    microServlet((r) => ({ pid: r.get('/', () => String(process.pid)) })).mount(ctx)
  }
}
`

/** The process, its log lines, and its exit. */
function startWorkers(env: Record<string, string> = {}) {
  const root = temporaryFolder({
    'package.json': '{"type":"module"}',
    'src/main/bootstrap.ts': bootstrap,
    'src/main/resources/application.yml': `secretKeyBase: ${'0123456789abcdef'.repeat(3)}\nserver: { hosts: "*" }\naccessLog: { enabled: false }\n`,
  })
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'))
  const main = join(repository, 'src/tools/cli/main.ts')
  const args = [...sourceFlags, main, 'start', '--port', '0', '--workers', '2']
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...visibleEnvironment(), FW_ENV: 'production', ...env },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
  const lines = (): string[] => output.split('\n').slice(0, -1)
  return {
    child,
    exited,
    lines,
    logged: (text: string) => () => lines().filter((line) => line.includes(text)).length,
  }
}

test('workers are replaced at SIGHUP and after a crash, without a failed request, and stop in order', async () => {
  const { child, exited, lines, logged } = startWorkers()
  await expect.poll(logged('listening on'), { timeout: 45_000 }).toBe(2)
  const listening = JSON.parse(lines().find((line) => line.includes('listening on')) ?? '{}') as {
    readonly url: string
  }
  const port = Number(new URL(listening.url).port)
  const pids = async (): Promise<number[]> => {
    const found = new Set<number>()
    for (let request = 0; request < 10; request++) {
      const response = await fetch(`http://127.0.0.1:${port}/`, {
        headers: { connection: 'close' },
      })
      found.add(Number(await response.text()))
    }
    return [...found].toSorted((a, b) => a - b)
  }
  await expect.poll(async () => (await pids()).length).toBe(2)
  const before = await pids()

  let isReplaced = false
  const clients = runKeptClients({
    port,
    connections: 8,
    pause: 20,
    isDone: (count) => isReplaced && count >= 200,
  })
  child.kill('SIGHUP')
  await expect.poll(logged('replaced the workers'), { timeout: 45_000 }).toBe(1)
  isReplaced = true
  expect((await clients).failures).toEqual([])
  const after = await pids()
  expect(after).toHaveLength(2)
  expect(after.filter((pid) => before.includes(pid))).toEqual([])

  process.kill(after[0]!, 'SIGKILL')
  await expect.poll(logged('worker ended'), { timeout: 15_000 }).toBe(1)
  await expect.poll(logged('listening on'), { timeout: 45_000 }).toBe(5)
  const renewed = await pids()
  expect(renewed).toHaveLength(2)
  expect(renewed).toContain(after[1])

  child.kill('SIGTERM')
  expect(await exited).toEqual([0, null])
  // Each line is whole.
  for (const line of lines()) expect(JSON.parse(line)).toHaveProperty('msg')
})

test('a worker that does not start ends the command with its error', async () => {
  const { exited, lines } = startWorkers({ FAILS: 'yes' })
  expect(await exited).toEqual([1, null])
  expect(lines().join('\n')).toMatch(/the start fails[^]*cli\.worker-failed/)
})
