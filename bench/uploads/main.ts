/**
 * Measures the memory of large uploads, and the files, descriptors and memory that aborted uploads leak.
 * `node --conditions=fwjs-source bench/uploads/main.ts [mebibytes=1024] [aborted=10000] [rounds=5]`
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Vitals } from './server.ts'

const [mebibytes, aborted, rounds] = [
  process.argv[2] ?? 1024,
  process.argv[3] ?? 10_000,
  process.argv[4] ?? 5,
].map(Number) as [number, number, number]
const mebibyte = 2 ** 20
const chunk = Buffer.alloc(mebibyte / 16, 'x')
const opening =
  '--B\r\nContent-Disposition: form-data; name="file"; filename="f"\r\nContent-Type: video/mp4\r\n\r\n'
const closing = '\r\n--B--\r\n'

const head = (bytes: number): string =>
  `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=B\r\nConnection: close\r\n` +
  `Content-Length: ${opening.length + bytes + closing.length}\r\n\r\n${opening}`

async function vitals(server: ChildProcess): Promise<Vitals> {
  server.send('vitals')
  const [vitals] = (await once(server, 'message')) as [Vitals]
  return vitals
}

async function upload(port: number, size: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', (text: string) => (answer += text))
  socket.write(head(size))
  for (let sent = 0; sent < size; sent += chunk.length)
    if (!socket.write(chunk)) await once(socket, 'drain')
  socket.write(closing)
  await once(socket, 'close')
  return answer
}

/** Disconnects after a part of a file that is already on disk, or immediately. */
function abort(port: number, bytes: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(head(mebibyte) + 'x'.repeat(bytes), () => setImmediate(() => socket.destroy()))
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve())
  })
}

/** Megabytes of RSS increase during one large upload. */
interface Rise {
  readonly highest: number
  readonly after: number
}

async function risesBy(server: ChildProcess, port: number): Promise<Rise> {
  const before = (await vitals(server)).rss
  let highest = before
  const watching = new AbortController()
  const watch = (async () => {
    while (!watching.signal.aborted) {
      highest = Math.max(highest, (await vitals(server)).rss)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  const answer = await upload(port, mebibytes * mebibyte)
  watching.abort()
  await watch
  if (!answer.startsWith('HTTP/1.1 200'))
    throw new Error(`The upload was answered ${answer.slice(0, 80)}`)
  const after = (await vitals(server)).rss
  return { highest: (Math.max(highest, after) - before) / 1e6, after: (after - before) / 1e6 }
}

/** The first and the second large upload of a fresh process. */
async function measureMemory(file: string): Promise<readonly [Rise, Rise]> {
  const [server, port] = await begin(file)
  // Warm up: the first requests allocate shared structures.
  for (let i = 0; i < 3; i++) await upload(port, 8 * mebibyte)
  const rises = [await risesBy(server, port), await risesBy(server, port)] as const
  server.disconnect()
  return rises
}

const middle = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

/** Returns the median peak of the first upload. */
function printRise(name: string, runs: readonly (readonly [Rise, Rise])[]): number {
  const median = (at: 0 | 1, which: keyof Rise): number => middle(runs.map((run) => run[at][which]))
  const text = (at: 0 | 1): string => {
    const peaks = runs.map((run) => run[at].highest)
    return (
      `${median(at, 'highest').toFixed(1)} MB at most (${Math.min(...peaks).toFixed(1)} to ${Math.max(...peaks).toFixed(1)}), ` +
      `${median(at, 'after').toFixed(1)} after`
    )
  }
  console.log(`${name}: ${mebibytes} MiB raised RSS by ${text(0)}; as much again by ${text(1)}`)
  return median(0, 'highest')
}

async function measureAborts(server: ChildProcess, port: number): Promise<void> {
  const before = await vitals(server)
  const width = 20
  for (let i = 0; i < aborted; i += width)
    await Promise.all(
      Array.from({ length: width }, (_, at) => abort(port, at % 2 === 0 ? 200_000 : 100)),
    )
  let after = await vitals(server)
  for (let i = 0; i < 50 && (after.files > 0 || after.descriptors > before.descriptors); i++) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    after = await vitals(server)
  }
  console.log(
    `${aborted} aborted uploads: ${after.files} files left, descriptors ${before.descriptors} before, ` +
      `${after.descriptors} after, RSS ${((after.rss - before.rss) / 1e6).toFixed(1)} MB more`,
  )
  if (after.files > 0 || after.descriptors > before.descriptors) process.exitCode = 1
}

async function begin(file: string): Promise<[ChildProcess, number]> {
  const server = fork(join(import.meta.dirname, file), {
    execArgv: ['--conditions=fwjs-source'],
    env: { ...process.env, FW_ENV: 'test' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [port] = (await once(server, 'message')) as [number]
  return [server, port]
}

const subjects = { 'node:http alone, the body dropped': 'bare-server.ts', fwjs: 'server.ts' }
const runs = Object.values(subjects).map((): (readonly [Rise, Rise])[] => [])
for (let round = 0; round < rounds; round++)
  for (const [at, file] of Object.values(subjects).entries())
    runs[at]!.push(await measureMemory(file))
const peaks = Object.keys(subjects).map((name, at) => printRise(name, runs[at]!))
if (peaks.at(-1)! >= 30) process.exitCode = 1
const [server, port] = await begin('server.ts')
for (let i = 0; i < 3; i++) await upload(port, 8 * mebibyte)
await measureAborts(server, port)
server.disconnect()
