/**
 * Tests a process without free connections, descriptors or disk space. It refuses further requests, and works again
 * when resources are free.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sourceFlags, visibleEnvironment } from '../support/environment.ts'
import { prepareChecks } from '../support/fault-checks.ts'
import { temporaryFolder } from '../support/serve.ts'

/**
 * The number of connections. Set `FW_TEST_CONNECTIONS=5000` for more; the shell must allow twice as many descriptors.
 */
const connections = Number(process.env['FW_TEST_CONNECTIONS'] ?? 100)
const program = join(import.meta.dirname, '../support/fault-node.ts')
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const works = (command: string, ...args: string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0
const canMount = works('unshare', '-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt')

/**
 * Runs a shell command, then starts the application in the same shell. Temporary files of uploads go to the folder
 * `uploads`.
 */
async function startNode(prepare: string, configuration: object = {}, uploads = temporaryFolder()) {
  const settings = JSON.stringify({ upload: { location: uploads }, ...configuration })
  const node = [process.execPath, ...sourceFlags, program, settings].map(quote).join(' ')
  const command = `${prepare} && exec ${node}`
  const isPrivate = prepare.includes('mount')
  const shell = ['sh', '-c', command]
  const [file = '', ...args] = isPrivate ? ['unshare', '-m', ...shell] : shell
  const child = spawn(file, args, {
    env: visibleEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  await expect.poll(() => /^\d+\n/.test(output)).toBe(true)
  const port = Number(output.split('\n')[0])
  const url = `http://127.0.0.1:${port}`
  const page = () => getStatus(port)
  const seen = isPrivate ? `/proc/${child.pid}/root${uploads}` : uploads
  const check = await prepareChecks({ page, pid: child.pid!, uploads: seen })
  return { port, url, check }
}

/** Requests a page on a new connection. Resolves to its status, or 0 without a response. */
async function getStatus(port: number): Promise<number> {
  const socket = await open(port)
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  await new Promise((resolve) => socket.once('close', resolve))
  return Number(text.slice(9, 12))
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {})
  return socket
}

/** Opens connections that send nothing. They end with the test at the latest. */
async function openSilent(port: number, count: number): Promise<readonly Socket[]> {
  const sockets = await Promise.all(Array.from({ length: count }, () => open(port)))
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
  return sockets
}

const endAll = async (sockets: readonly Socket[]): Promise<void> => {
  const ends = sockets
    .filter(({ closed }) => !closed)
    .map((socket) => new Promise((resolve) => socket.once('close', resolve)))
  for (const socket of sockets) socket.destroy()
  await Promise.all(ends)
}

const upload = async (url: string, bytes: number): Promise<number> => {
  const form = new FormData()
  form.append('file', new File(['x'.repeat(bytes)], 'f'))
  const headers = { connection: 'close' }
  return (await fetch(`${url}/upload`, { method: 'POST', body: form, headers })).status
}

test('connections above server.maxConnections are closed, and pages are served again below it', async () => {
  const { port, check } = await startNode('true', { server: { maxConnections: connections } })
  const silent = await openSilent(port, connections)
  expect(await getStatus(port)).toBe(0)
  await endAll(silent)
  await check()
})

// If no descriptor is free, libuv closes a new connection without an event, so Fw cannot log it.
test('without free descriptors connections are closed, and pages are served again afterwards', async () => {
  const { port, check } = await startNode('ulimit -n 60')
  const silent = await openSilent(port, 80)
  await expect.poll(() => silent.filter(({ closed }) => closed).length).toBeGreaterThan(0)
  await endAll(silent)
  await check()
})

test.skipIf(!canMount)(
  'a full disk is a 500 for a large upload; its part is removed, and small ones work',
  async () => {
    const uploads = temporaryFolder()
    const mount = `mount -t tmpfs -o size=1m tmpfs ${quote(uploads)}`
    const { url, check } = await startNode(mount, {}, uploads)
    expect(await upload(url, 3_000_000)).toBe(500)
    expect(await upload(url, 100_000)).toBe(200)
    await check()
  },
)
