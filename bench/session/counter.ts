/** Reads and writes of one counter in the session a second, beside the peers: `node --conditions=fwjs-source bench/session/counter.ts` */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { openDatabase } from '../../src/db.ts'
import { sessionMigration } from '../../src/session.ts'

const server = process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/test'
const visitors = 32
const seconds = Number(process.env['SECONDS'] ?? 4)
const rounds = 3
const name = `session_bench_${process.pid}`

interface Answer {
  readonly body: string
  readonly cookie: string | undefined
}

function get(
  port: number,
  path: string,
  agent: Agent,
  cookie: string | undefined,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = cookie === undefined ? {} : { cookie }
    request({ port, path, agent, headers }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => (body += text))
      response.on('end', () =>
        resolve({ body, cookie: response.headers['set-cookie']?.[0]?.split(';', 1)[0] }),
      )
    })
      .on('error', reject)
      .end()
  })
}

/** Each visitor counts in a session of its own; a lost count fails the run. */
async function perSecond(port: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: visitors })
  const cookies = await Promise.all(
    Array.from({ length: visitors }, async () => (await get(port, '/', agent, undefined)).cookie),
  )
  const end = performance.now() + seconds * 1000
  let total = 0
  const visit = async (start: string | undefined): Promise<void> => {
    let cookie = start
    for (let count = 2; performance.now() < end; count++) {
      const answer = await get(port, '/', agent, cookie)
      if (answer.body !== String(count))
        throw new Error(`counted ${count}, answered ${answer.body}`)
      cookie = answer.cookie ?? cookie
      total++
    }
  }
  await Promise.all(cookies.map(visit))
  agent.destroy()
  return total / seconds
}

/** Processor time of a process so far, in seconds; it counts the server alone, whatever else runs on the machine. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

interface Measured {
  readonly rate: number
  /** Microseconds of the server's processor time for each request. */
  readonly cpu: number
}

async function measured(subject: string, url: string): Promise<Measured> {
  const file = join(import.meta.dirname, 'subject.ts')
  const child = spawn(process.execPath, ['--conditions=fwjs-source', file, subject, url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  try {
    await perSecond(Number(String(port)))
    const runs: number[] = []
    const before = cpuSeconds(child.pid!)
    for (let round = 0; round < rounds; round++) runs.push(await perSecond(Number(String(port))))
    const requests = runs.reduce((sum, rate) => sum + rate * seconds, 0)
    const cpu = ((cpuSeconds(child.pid!) - before) * 1e6) / requests
    return { rate: runs.toSorted((a, b) => a - b)[Math.floor(rounds / 2)]!, cpu }
  } finally {
    child.kill()
    await once(child, 'exit')
  }
}

const admin = await openDatabase({ kind: 'postgres', url: server, poolSize: 1 })
await admin.query({ sql: `create database ${name}`, parameters: [] })
const url = new URL(server)
url.pathname = `/${name}`
const database = await openDatabase({ kind: 'postgres', url: url.href, poolSize: 1 })
for (const sql of sessionMigration.up) await database.query({ sql, parameters: [] })
await database.close()
try {
  for (const subject of [
    'fw, database',
    'express-session, connect-pg-simple',
    '@fastify/session, connect-pg-simple',
    'fw, process',
    '@fastify/session, process',
  ]) {
    const { rate, cpu } = await measured(subject, url.href)
    process.stdout.write(
      `${subject.padEnd(40)} ${Math.round(rate)} requests/s  ${Math.round(cpu)} µs of processor each\n`,
    )
  }
} finally {
  await admin.query({ sql: `drop database ${name} with (force)`, parameters: [] })
  await admin.close()
}
