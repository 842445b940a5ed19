/**
 * CPU time of a request with metrics and access log, compared with neither, and of a build without events:
 * `npm run bench -- telemetry [rounds] [subjects]`.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const rounds = Number(process.argv[2] ?? 9)
const connections = 32
const requests = 20_000
const root = mkdtempSync(join(tmpdir(), 'fw-bench-'))
writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
const sink = openSync('/dev/null', 'w')

interface Subject {
  readonly name: string
  readonly child: ChildProcess
  readonly port: number
  readonly micros: number[]
}

async function startSubject(name: string): Promise<Subject> {
  const file = join(import.meta.dirname, 'server.ts')
  const child = fork(file, [name, root], {
    execArgv: [
      '--conditions=fwjs-source',
      ...(name === 'without' ? [`--import=${join(import.meta.dirname, 'without-events.ts')}`] : []),
    ],
    stdio: ['ignore', sink, 'inherit', 'ipc'],
  })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return { name, child, port, micros: [] }
}

async function readCpu({ child }: Subject): Promise<number> {
  child.send('cpu')
  const [{ micros }] = (await once(child, 'message')) as [{ micros: number }]
  return micros
}

/** Each connection sends its next request when the previous response has arrived. */
function load(port: number, total: number): Promise<unknown> {
  const text = `GET /members/5 HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`
  const run = (count: number): Promise<void> =>
    new Promise((resolve, reject) => {
      let left = count
      const socket = createConnection(port, '127.0.0.1', () => socket.write(text))
      socket.on('error', reject)
      socket.on('data', () => {
        if (--left > 0) socket.write(text)
        else socket.end(() => resolve())
      })
    })
  return Promise.all(Array.from({ length: connections }, () => run(total / connections)))
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1]!

const subjects = await Promise.all(
  (process.argv[3]?.split(',') ?? ['off', 'off', 'without', 'metrics', 'log', 'both']).map(
    startSubject,
  ),
)
for (const { port } of subjects) await load(port, requests)
for (let round = 0; round < rounds; round++) {
  for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
    const before = await readCpu(subject)
    await load(subject.port, requests)
    subject.micros.push(((await readCpu(subject)) - before) / requests)
  }
}
const [off] = subjects
for (const { name, micros } of subjects) {
  const ratios = micros.map((own, round) => own / off!.micros[round]!)
  console.log(
    `${name.padEnd(8)} ${median(micros).toFixed(2)} µs a request, ${((median(ratios) - 1) * 100).toFixed(1)} % more than off`,
  )
}
for (const { child } of subjects) child.kill()
rmSync(root, { recursive: true, force: true })
