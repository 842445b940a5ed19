/**
 * Tests jobs in processes that are killed, on a PostgreSQL server: a job exists exactly if its request was committed, runs at
 * least once, changes the database exactly once, and no schedule enqueues a time twice.
 */
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase, type Database } from '../../src/runtime/db.ts'
import {
  emptyDatabaseOn,
  hasTestServer,
  type EmptyDatabase,
} from '../../src/runtime/db/test-server.fixture.ts'
import { jobMigration } from '../../src/runtime/jobs.ts'
import { eventually } from '../support/data-app.ts'
import { FwProcess } from '../support/fw-process.ts'
import { temporaryFolder } from '../support/serve.ts'

const hasServer = await hasTestServer()
const faketime = libraryPath()

function libraryPath(): string | undefined {
  if (process.platform !== 'linux') return undefined
  return readdirSync('/usr/lib')
    .map((folder) => join('/usr/lib', folder, 'faketime/libfaketime.so.1'))
    .find((file) => existsSync(file))
}

/** The time of the last whole line of a log, in milliseconds since 1970. */
const lastTime = (output: string): number =>
  Date.parse(/"time":"([^"]+)"[^\n]*\n[^\n]*$/.exec(output)![1]!)

const files = {
  'package.json': '{ "type": "module" }',
  'src/main/resources/application.yml': `secretKeyBase: ${'0123456789abcdef'.repeat(3)}
server: { hosts: "*" }
accessLog: { enabled: false }
`,
  'src/main/job/effects.ts': `
import { appendFileSync } from 'node:fs'
import { ParamType } from 'fwjs'
import { currentDatabase } from 'fwjs/db'
import { job } from 'fwjs/jobs'

const insert = (name, id) =>
  currentDatabase().query({ sql: 'insert into effects values ($1, $2)', parameters: [name, id] })

export const Effect = job('effect', { name: ParamType.String }, async ({ name }, { jobId }) => {
  appendFileSync('calls.txt', name + '\\n')
  await insert(name, jobId)
})
if (process.env.TICKS)
  job('tick', {}, async (_, { jobId }) => insert('tick', jobId)).schedule('* * * * * *')
`,
  'src/main/bootstrap.ts': `
import { FwController, FwLifeCycle, mix, routes, TxPerRequestFilter } from 'fwjs'
import { currentDatabase } from 'fwjs/db'
import { Effect } from './job/effects.ts'

class Orders extends mix(FwController, TxPerRequestFilter) {
  async create() {
    const name = this.params.get('name')
    const sql = 'insert into orders values ($1)'
    await currentDatabase().query({ sql, parameters: [name] })
    await Effect.enqueue({ name })
    if (name.startsWith('fails')) throw new Error('after the enqueue')
    if (name.startsWith('halts')) this.halt(503)
    if (name.startsWith('killed'))
      this.transaction.afterCommit(() => process.kill(process.pid, 'SIGKILL'))
    return 'ordered'
  }
}
const orders = routes(Orders, (r) => ({ create: r.post('/orders/:name', 'create') }))
export class Bootstrap extends FwLifeCycle {
  initFwApp(ctx) {
    orders.mount(ctx)
  }
}
`,
}

describe.skipIf(!hasServer)('jobs on a server', () => {
  let own: EmptyDatabase
  let database: Database
  let root: string

  beforeAll(async () => {
    own = await emptyDatabaseOn('jobs')
    database = await openDatabase({ kind: 'postgres', url: own.url, poolSize: 2 })
    const tables = [
      'create table orders (name text)',
      'create table effects (name text, job uuid)',
      'create table moves (old timestamptz, new timestamptz)',
      `create function log_move() returns trigger language plpgsql as
        'begin insert into moves values (old.next_at, new.next_at); return new; end'`,
      'create trigger moved before update on fw_job_schedules for each row execute function log_move()',
    ]
    for (const sql of [...jobMigration.up, ...tables]) await database.query({ sql, parameters: [] })
  })
  afterAll(async () => {
    await database.close()
    await own.drop()
  })
  beforeEach(async () => {
    for (const table of ['fw_jobs', 'fw_job_schedules', 'orders', 'effects', 'moves'])
      await rows(`delete from ${table}`)
    root = temporaryFolder(files)
    symlinkSync(join(import.meta.dirname, '../../node_modules'), join(root, 'node_modules'))
  })

  const rows = async <Row = Record<string, unknown>>(sql: string): Promise<Row[]> =>
    (await database.query<Row>({ sql, parameters: [] })).rows
  const number = async (sql: string): Promise<number> =>
    (await rows<{ n: number }>(`select (${sql})::int as n`))[0]!.n
  const effects = () => number('select count(*) from effects')
  const waiting = () => number('select count(*) from fw_jobs')
  const start = (...args: string[]) => new FwProcess(root, args, { DATABASE_URL: own.url })
  const startWeb = () => start('start', '--port', '0', '--host', '127.0.0.1').logs('listening on')
  const startJobs = () => start('jobs').logs('running jobs')
  const order = (url: string, name: string) =>
    fetch(`${url}/orders/${name}`, { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } })

  test('kill -9 of the web process after COMMIT: the job runs once a process runs jobs', async () => {
    const web = await startWeb()
    await expect(order(web.url, 'killed')).rejects.toThrow()
    expect((await web.exited)[1]).toBe('SIGKILL')
    expect(await number('select count(*) from orders')).toBe(1)
    expect(await waiting()).toBe(1)
    await startJobs()
    await eventually(waiting).toBe(0)
    expect(await rows('select name from effects')).toEqual([{ name: 'killed' }])
  })

  test('8 clients with 200 requests, of which half fail: as many jobs as orders', async () => {
    const web = await startWeb()
    const client = async (client: number) => {
      for (let at = 0; at < 200; at++) {
        const kind = ['kept', 'fails', 'also', 'halts'][at % 4]
        const { status } = await order(web.url, `${kind}-${client}-${at}`)
        expect(status).toBe(at % 2 === 0 ? 200 : at % 4 === 1 ? 500 : 503)
      }
    }
    await Promise.all(Array.from({ length: 8 }, (_, at) => client(at)))
    expect(await number('select count(*) from orders')).toBe(800)
    const unequal = `select count(*) from orders full join fw_jobs on fw_jobs.arguments->>'name' = orders.name
      where fw_jobs.id is null or orders.name is null`
    expect(await number(unequal)).toBe(0)
    expect(await waiting()).toBe(800)
  })

  test('kill -9 of one of two job processes under 1,000 jobs: each runs, and has one effect', async () => {
    await rows(`insert into fw_jobs (name, queue, priority, arguments, unique_key, created_at, run_at)
      select 'effect', 'default', 0, jsonb_build_object('name', 'job ' || n), case when n % 2 = 0 then 'key ' || n end, now(), now()
      from generate_series(1, 1000) as n`)
    const [first, second] = [await startJobs(), start('jobs')]
    await eventually(effects).toBeGreaterThan(100)
    first.child.kill('SIGKILL')
    await first.exited
    await second.logs('running jobs')
    // The lease of the killed process ends.
    await rows(
      `update fw_jobs set run_at = run_at - interval '1 minute' where worker like '%:${first.child.pid}:%'`,
    )
    await eventually(waiting).toBe(0)
    const calls = new Set(readFileSync(join(root, 'calls.txt'), 'utf8').trim().split('\n'))
    expect(calls.size).toBe(1000)
    expect(await effects()).toBe(1000)
    expect(await number('select count(distinct name) from effects')).toBe(1000)
  })

  test('SIGTERM gives back what does not end, and exits with 0', async () => {
    await rows(`insert into fw_jobs (name, queue, priority, arguments, created_at, run_at)
      select 'effect', 'default', 0, jsonb_build_object('name', 'job ' || n), now(), now()
      from generate_series(1, 500) as n`)
    const jobs = await startJobs()
    await eventually(effects).toBeGreaterThan(10)
    jobs.child.kill('SIGTERM')
    expect((await jobs.exited)[0]).toBe(0)
    expect(await number('select count(*) from fw_jobs where worker is not null')).toBe(0)
    expect((await waiting()) + (await effects())).toBe(500)
  })

  test.skipIf(faketime === undefined)(
    `when the clock of a running node is set back by an hour, each time of a schedule is enqueued once`,
    async () => {
      const offset = join(root, 'clock-offset')
      writeFileSync(offset, '+0')
      const clock = {
        LD_PRELOAD: faketime!,
        FAKETIME_TIMESTAMP_FILE: offset,
        FAKETIME_NO_CACHE: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      }
      const env = { DATABASE_URL: own.url, TICKS: '1' }
      const other = await new FwProcess(root, ['jobs'], env).logs('running jobs')
      const node = await new FwProcess(root, ['jobs'], { ...env, ...clock }).logs('running jobs')
      await eventually(effects).toBeGreaterThan(3)
      writeFileSync(offset, '-1h')
      other.child.kill('SIGKILL')
      await other.exited
      const before = await effects()
      await eventually(effects).toBeGreaterThan(before + 3)
      expect(lastTime(node.output)).toBeLessThan(Date.now() - 50 * 60_000)
      // A node that starts with this clock.
      await new FwProcess(root, ['jobs'], { ...env, ...clock }).logs('running jobs')
      const both = await effects()
      await eventually(effects).toBeGreaterThan(both + 3)
      const [found] =
        await rows(`select count(*) = count(distinct old) as unequal, bool_and(new > old) as later,
        (select count(*) from effects) <= count(*) as enqueued from moves`)
      expect(found).toEqual({ unequal: true, later: true, enqueued: true })
    },
  )
})
