/** `fw start --workers`: workers share a port, are replaced without a failed request, and start again when they end. */
import { spawn } from 'node:child_process'
import { copyFileSync, renameSync, symlinkSync } from 'node:fs'
import { createServer, type AddressInfo, type ListenOptions } from 'node:net'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import parse from 'parse-prometheus-text-format'
import { describe, expect, onTestFinished, test } from 'vitest'
import { passedSocket } from '../../src/tools/cli/load-application.ts'
import {
  respondingPids,
  StartedWorkers,
  workerApplication,
  type StartOptions,
} from '../support/fw-start.ts'
import { fwCommand, visibleEnvironment } from '../support/environment.ts'
import { runKeepAliveClients } from '../support/keep-alive-clients.ts'
import { temporaryFolder } from '../support/serve.ts'

const repository = resolve(import.meta.dirname, '../..')
const starting = { timeout: 45_000 }

function startWorkers(options: StartOptions = {}, configuration = ''): StartedWorkers {
  const root = temporaryFolder(workerApplication(configuration))
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'))
  const { args = ['--port', '0', '--workers', '2'] } = options
  const workers = new StartedWorkers(root, { ...options, args })
  onTestFinished(() => workers.kill())
  return workers
}

/** Resolves with the ids of two workers that serve. */
async function twoPids(workers: StartedWorkers): Promise<number[]> {
  await expect.poll(() => workers.count('listening on'), starting).toBe(2)
  // The same worker may answer all requests.
  let pids: number[] = []
  await expect.poll(async () => (pids = await respondingPids(workers.url())).length).toBe(2)
  return pids
}

const portOf = (url: string): number => Number(new URL(url).port)

test('workers are replaced at SIGHUP without a failed request, and stop in order', async () => {
  const workers = startWorkers()
  const before = await twoPids(workers)
  let isReplaced = false
  const clients = runKeepAliveClients({
    port: portOf(workers.url()),
    connections: 8,
    pause: 20,
    method: 'POST',
    isDone: (count) => isReplaced && count >= 200,
  })
  workers.child.kill('SIGHUP')
  await expect.poll(() => workers.count('replaced the workers'), starting).toBe(1)
  isReplaced = true
  expect((await clients).failures).toEqual([])
  await expect.poll(() => respondingPids(workers.url()), starting).toHaveLength(2)
  const after = await respondingPids(workers.url())
  expect(after.filter((pid) => before.includes(pid))).toEqual([])

  workers.child.kill('SIGTERM')
  expect(await workers.exited).toEqual([0, null])
  // Each line is whole.
  for (const line of workers.lines) expect(JSON.parse(line)).toHaveProperty('msg')
})

test('a worker wraps its messages in the key that primary processes of other versions read', async () => {
  const primary = `
    import cluster from 'node:cluster'
    cluster.setupPrimary({ exec: ${JSON.stringify(fwCommand.at(-1))}, args: ['start', '--workers', '2'] })
    const worker = cluster.fork()
    worker.once('message', (message) => {
      console.log(JSON.stringify(Object.keys(message)))
      worker.process.kill('SIGKILL')
    })`
  const root = temporaryFolder({ ...workerApplication(), 'primary.mjs': primary })
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'))
  const child = spawn(process.execPath, ['primary.mjs'], {
    cwd: root,
    env: { ...visibleEnvironment(), FW_ENV: 'production' },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  expect(await text(child.stdout)).toBe('["fwWorker"]\n')
})

test('after kill -9 only requests in flight of that worker fail, and another one replaces it', async () => {
  const workers = startWorkers()
  const before = await twoPids(workers)
  let killed = 0
  const clients = runKeepAliveClients({
    port: portOf(workers.url()),
    connections: 8,
    pause: 20,
    onResponse(count) {
      if (count !== 400) return
      killed = before[0]!
      process.kill(killed, 'SIGKILL')
    },
    isDone: (count) => count >= 400 && workers.count('listening on') >= 3,
  })
  const { lostAfter, failures } = await clients
  expect(failures).toHaveLength(lostAfter.length)
  expect(lostAfter.filter((pid) => pid !== String(killed))).toEqual([])
  expect(workers.count('worker ended')).toBe(1)
  await expect.poll(async () => (await respondingPids(workers.url())).length).toBe(2)
  expect(await respondingPids(workers.url())).toContain(before[1])
})

test('where no process can be created, workers start again once it is possible', async () => {
  const folder = temporaryFolder()
  const node = join(folder, 'node')
  copyFileSync(process.execPath, node)
  const workers = startWorkers({ node })
  const before = await twoPids(workers)
  renameSync(node, `${node}.away`)
  process.kill(before[0]!, 'SIGKILL')
  await expect.poll(() => workers.count('a worker process cannot be created'), starting).not.toBe(0)
  renameSync(`${node}.away`, node)
  const pids = () => respondingPids(workers.url())
  await expect.poll(async () => (await pids()).length, starting).toBe(2)
  process.kill(before[1]!, 'SIGKILL')
  await expect.poll(pids, starting).not.toContain(before[1])
  await expect.poll(async () => (await pids()).length, starting).toBe(2)
})

test('a worker whose event loop is blocked is killed and replaced', async () => {
  const workers = startWorkers({
    args: ['--port', '0', '--workers', '2', '--worker-timeout', '8'],
  })
  const before = await twoPids(workers)
  const blocked = fetch(`${workers.url()}/block`).catch(() => 'lost')
  await expect.poll(() => workers.count('worker is stuck: killed'), starting).toBe(1)
  expect(await blocked).toBe('lost')
  await expect.poll(() => workers.count('listening on'), starting).toBe(3)
  await expect.poll(() => respondingPids(workers.url()), starting).toHaveLength(2)
  const after = await respondingPids(workers.url())
  expect(after.filter((pid) => before.includes(pid))).toHaveLength(1)
})

test('a worker whose event loop is blocked does not prevent the end', async () => {
  const workers = startWorkers({
    args: ['--port', '0', '--workers', '2', '--worker-timeout', '8'],
  })
  await twoPids(workers)
  const blocked = fetch(`${workers.url()}/block`).catch(() => 'lost')
  await expect.poll(() => workers.count('blocks')).toBe(1)
  workers.child.kill('SIGTERM')
  expect(await blocked).toBe('lost')
  expect(await workers.exited).toEqual([0, null])
})

test('a worker above its memory limit is replaced without a failed request', async () => {
  const workers = startWorkers({
    args: ['--port', '0', '--workers', '2', '--worker-memory', '500'],
  })
  await twoPids(workers)
  const clients = runKeepAliveClients({
    port: portOf(workers.url()),
    connections: 4,
    pause: 20,
    isDone: (count) => count >= 100 && workers.count('closing') >= 1,
  })
  const grown = Number(await (await fetch(`${workers.url()}/grow`)).text())
  await expect.poll(() => workers.count('worker above its memory'), starting).toBe(1)
  expect((await clients).failures).toEqual([])
  await expect.poll(() => respondingPids(workers.url()), starting).not.toContain(grown)
  await expect.poll(() => respondingPids(workers.url()), starting).toHaveLength(2)
})

test('workers above their memory limit are replaced one after another', async () => {
  // Each worker is above 1 MiB, and its successor too.
  const workers = startWorkers({ args: ['--port', '0', '--workers', '3', '--worker-memory', '1'] })
  await expect.poll(() => workers.count('worker above its memory'), starting).toBeGreaterThan(2)
  const events = workers.lines
    .map((line) => (JSON.parse(line) as { readonly msg: string }).msg)
    .filter((msg) => ['worker above its memory', 'listening on', 'closing'].includes(msg))
    .slice(3)
  // A successor listens before the next worker is replaced.
  const begun = events.flatMap((msg, at) => (msg === 'worker above its memory' ? [at] : []))
  for (const [index, at] of begun.slice(0, -1).entries())
    expect(events.slice(at, begun[index + 1])).toContain('listening on')
})

test('SIGHUP also replaces a worker that is starting', async () => {
  const workers = startWorkers()
  const [before = 0] = await twoPids(workers)
  process.kill(before, 'SIGKILL')
  await expect.poll(() => workers.count('worker ended'), starting).toBe(1)
  workers.child.kill('SIGHUP')
  await expect.poll(() => workers.count('replaced the workers'), starting).toBe(1)
  const line = workers.lines.find((one) => one.includes('replaced the workers'))!
  expect(JSON.parse(line)).toMatchObject({ workers: 2 })
  // Two at the start, one after SIGKILL, two after SIGHUP.
  expect(workers.count('listening on')).toBe(5)
})

test('at SIGHUP the node stays ready, and workers end without drainDelay', async () => {
  const workers = startWorkers({}, 'server.drainDelay: 1h\n')
  await twoPids(workers)
  workers.child.kill('SIGHUP')
  const statuses = new Set<number>()
  const probe = async () => {
    const response = await fetch(`${workers.url()}/ready`, { headers: { connection: 'close' } })
    statuses.add(response.status)
    return workers.count('replaced the workers')
  }
  await expect.poll(probe, { ...starting, interval: 5 }).toBe(1)
  expect([...statuses]).toEqual([200])
})

test('SIGHUP ends open event streams as complete responses, and waits for none', async () => {
  const workers = startWorkers({}, 'server.shutdownGrace: 1h\n')
  const pids = await twoPids(workers)
  const streams = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const stream = (await fetch(`${workers.url()}/events`)).body!.getReader()
      const pid = /data: (\d+)/.exec(new TextDecoder().decode((await stream.read()).value))![1]
      return { stream, pid: Number(pid) }
    }),
  )
  expect(new Set(streams.map(({ pid }) => pid))).toEqual(new Set(pids))
  workers.child.kill('SIGHUP')
  // A connection that is cut rejects.
  for (const { stream } of streams) while (!(await stream.read()).done);
  await expect.poll(() => workers.count('replaced the workers'), starting).toBe(1)
})

test('a scrape returns the sums of all workers, also of those that have ended', async () => {
  const workers = startWorkers({}, 'metrics: { enabled: true, port: 0 }\n')
  await twoPids(workers)
  const scrape = async () => {
    const body = await (await fetch(workers.url('metrics at'))).text()
    const value = (key: string) =>
      Number(
        body
          .split('\n')
          .find((line) => line.startsWith(`${key} `))
          ?.slice(key.length + 1),
      )
    return { families: parse(body), body, value }
  }
  const key =
    'http_server_request_duration_seconds_count{http_request_method="GET",http_route="/",http_response_status_code="200"}'
  const before = (await scrape()).value(key)
  for (let turn = 0; turn < 3; turn++) await respondingPids(workers.url())
  const first = await scrape()
  expect(first.value(key)).toBe(before + 30)
  expect(first.value('fw_workers')).toBe(2)
  expect(first.body).toMatch(/^process_resident_memory_bytes\{worker="1"\}/m)
  expect(first.body).toMatch(/^process_resident_memory_bytes\{worker="2"\}/m)
  expect(first.body).toMatch(/^http_server_active_requests \d+$/m)
  expect(first.body.match(/^fw_build_info.*/gm)).toHaveLength(1)
  expect(first.body).toMatch(/^fw_build_info.* 1$/m)
  expect(new Set(first.families.map(({ name }) => name)).size).toBe(first.families.length)

  workers.child.kill('SIGHUP')
  await expect.poll(() => workers.count('replaced the workers'), starting).toBe(1)
  const second = await scrape()
  expect(second.value(key)).toBe(before + 30)
  expect(second.value('fw_worker_replacements_total{reason="restart"}')).toBe(2)
  expect(second.body).not.toMatch(/worker="1"/)
})

test('a worker that does not start ends the command with its error', async () => {
  const workers = startWorkers({ env: { FAILS: 'yes' } })
  expect(await workers.exited).toEqual([1, null])
  expect(workers.lines.join('\n')).toMatch(/the start fails[^]*cli\.worker-failed/)
})

test('a signal during the start ends the command without an error', async () => {
  const workers = startWorkers({ env: { WAITS: 'yes' } })
  await expect.poll(() => workers.count('waits'), starting).toBe(2)
  workers.child.kill('SIGTERM')
  expect(await workers.exited).toEqual([0, null])
  expect(workers.count('cli.worker-failed')).toBe(0)
})

describe('a socket of systemd', () => {
  /** Starts with a socket that this process closes, so that it takes no connection. */
  const startOn = async (options: ListenOptions, args: readonly string[]) => {
    const server = createServer().listen(options)
    await once(server, 'listening')
    const { fd } = (server as unknown as { readonly _handle: { readonly fd: number } })._handle
    const address = server.address()
    const workers = startWorkers({ args, socket: fd })
    server.close()
    return { workers, address }
  }

  test.each([
    ['one process', [], 1],
    ['two workers', ['--workers', '2'], 2],
  ] as const)('is served instead of the port, by %s', async (_, args, count) => {
    const options = { port: 0, host: '127.0.0.1' }
    const { workers, address } = await startOn(options, ['--port', '1', ...args])
    const url = `http://127.0.0.1:${(address as AddressInfo).port}`
    await expect.poll(() => workers.count(`listening on ${url}`), starting).toBe(count)
    expect(await (await fetch(url)).text()).toMatch(/^\d+$/)
    workers.child.kill('SIGTERM')
    expect(await workers.exited).toEqual([0, null])
  })

  test('that is no TCP socket is refused', async () => {
    const { workers } = await startOn({ path: join(temporaryFolder(), 'socket') }, [])
    expect(await workers.exited).toEqual([1, null])
    expect(workers.lines.join('\n')).toMatch(/file descriptor 3: it is not a TCP socket/)
  })

  test('belongs to the process of LISTEN_PID, and is the only one', () => {
    expect(passedSocket({ LISTEN_FDS: '1', LISTEN_PID: '7' }, 7)).toEqual({ fd: 3 })
    expect(passedSocket({ LISTEN_FDS: '1', LISTEN_PID: '7' }, 8)).toBeUndefined()
    expect(passedSocket({}, 7)).toBeUndefined()
    expect(() => passedSocket({ LISTEN_FDS: '2', LISTEN_PID: '7' }, 7)).toThrow(
      expect.objectContaining({ code: 'server.listen-failed' }),
    )
  })
})
