/** Which statements of Fw a cluster of Citus takes, on each kind of table. docs/scaling.md contains the table. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { attemptMigrationText, attemptSql } from '../../src/runtime/accounts/attempt-sql.ts'
import { openDatabase, QueryError, type Database } from '../../src/runtime/db.ts'
import { jobMigration, jobSql } from '../../src/runtime/jobs/job-sql.ts'
import { nextTime } from '../../src/runtime/model/model-sql.ts'
import { sessionMigration } from '../../src/runtime/session.ts'
import { sessionSql } from '../../src/runtime/session/session-sql.ts'
import { hasCitus, newCitusDatabase, run } from './cluster.ts'
import type { EmptyDatabase } from '../../src/runtime/db/test-server.fixture.ts'

type Samples = Readonly<Record<string, readonly unknown[]>>

const job = randomUUID()
const own = [job, 'worker', 1]
const hash = 'h'.repeat(32)

const sessionSamples: Samples = {
  missingTables: [],
  create: [hash, ['a'], ['1'], 'owner', 60, 60],
  read: [hash, 60, 60, 60],
  replace: [1, 'a', '2'],
  save: [1, ['a', 'b'], ['1', '2'], ['c'], 'owner'],
  saveAndTouch: [1, ['a'], ['1'], [], 'owner', 60, 60],
  renewId: [hash, 'n'.repeat(32), 1],
  renewSession: [hash, 'n'.repeat(32), 1, 60, 60],
  endSession: [1],
  endSessionsOf: ['owner', null],
  sweep: [10],
}
const jobSamples: Samples = {
  enqueue: [
    'touch',
    'default',
    0,
    JSON.stringify([{ id: job, arguments: {}, key: 'k' }]),
    null,
    0,
    null,
    null,
    true,
  ],
  claim: [['default'], [1], 1, null, ['touch'], 'worker', 1000, 0],
  extend: [[job], 'worker', 1000],
  complete: own,
  repeat: own,
  saveStep: [...own, 'step', '{}'],
  fail: [...own, 'error', 1, false],
  giveBack: own,
  retry: [job],
  discard: [job],
  sweep: [1],
  count: [],
  list: [10],
  unknownNames: [['touch']],
  addSchedule: ['touch', '* * * * *', 'UTC', 1],
  schedules: [['touch']],
  advanceSchedule: ['touch', '* * * * *', 'UTC', 1, 2, 'default', 0],
}
const limit = [3, 1, 10, 60]
const attemptSamples: Samples = {
  count: ['login', 'ann', ...limit],
  countBoth: ['login', 'ann', ...limit, 'address', '::1', ...limit],
  reset: ['login', 'ann'],
  sweep: [],
}

const tables = {
  sessions: ['fw_sessions', 'servlet_sessions', 'fw_session_attributes', 'fw_session_owners'],
  jobs: ['fw_jobs', 'fw_job_schedules'],
  attempts: ['fw_attempts'],
}

/** Returns `works`, or the SQL state of the refusal. */
async function outcome(work: () => Promise<unknown>): Promise<string> {
  try {
    await work()
    return 'works'
  } catch (error) {
    if (error instanceof QueryError) return error.sqlState
    throw error
  }
}

const refused = (outcomes: Readonly<Record<string, string>>) =>
  Object.entries(outcomes).filter(([, each]) => each !== 'works')

describe.skipIf(!hasCitus)('the statements of Fw on Citus', () => {
  let empty: EmptyDatabase
  let database: Database

  beforeAll(async () => {
    empty = await newCitusDatabase('citus_statements')
    database = await openDatabase({ kind: 'postgres', url: empty.url, poolSize: 4 })
    const attempts = attemptMigrationText().split('-- down')[0]!
    const notes = `create table notes (id bigserial, tenant_id bigint not null, title text not null, updated_at timestamptz,
      primary key (tenant_id, id))`
    for (const sql of [...sessionMigration.up, ...jobMigration.up, attempts, notes])
      await run(database, sql)
    await run(database, `select create_distributed_table('notes', 'tenant_id')`)
    await run(database, `insert into notes (tenant_id, title) values (1, 'one'), (2, 'two')`)
  }, 120_000)
  afterAll(async () => {
    await database?.close()
    await empty?.drop()
  })

  async function outcomes(texts: Readonly<Record<string, string>>, samples: Samples) {
    const found: Record<string, string> = {}
    for (const [name, parameters] of Object.entries(samples))
      found[name] = await outcome(() => run(database, texts[name]!, parameters))
    return found
  }
  const sessions = () => outcomes(sessionSql, sessionSamples)
  const jobs = () => outcomes(jobSql, jobSamples)
  const attempts = () => outcomes(attemptSql, attemptSamples)
  const copyToAllNodes = (name: string) =>
    run(database, 'select create_reference_table($1::text::regclass)', [name])

  test('of sessions, jobs and attempts work on local tables', async () => {
    expect(Object.keys(sessionSamples).sort()).toEqual(Object.keys(sessionSql).sort())
    expect(Object.keys(jobSamples).sort()).toEqual(Object.keys(jobSql).sort())
    expect(Object.keys(attemptSamples).sort()).toEqual(Object.keys(attemptSql).sort())
    const all = [await sessions(), await jobs(), await attempts()]
    expect(all.flatMap(refused)).toEqual([])
  })

  test('of sessions work on reference tables; jobs and attempts must stay local', async () => {
    for (const name of [...tables.sessions, ...tables.jobs, ...tables.attempts])
      await copyToAllNodes(name)
    expect(refused(await sessions())).toEqual([])
    expect(refused(await jobs())).toEqual([
      ['enqueue', '42P18'],
      ['claim', '0A000'],
      ['repeat', '0A000'],
      ['fail', '0A000'],
      ['giveBack', '0A000'],
      ['retry', '0A000'],
      ['advanceSchedule', '0A000'],
    ])
    expect(refused(await attempts())).toEqual([
      ['count', '0A000'],
      ['countBoth', '0A000'],
    ])
  })

  test.each([
    ['rows of one tenant, locked', 'select from notes where tenant_id = 1 for update', 'works'],
    [
      'rows of one tenant, skipping locked ones',
      'select from notes where tenant_id = 1 for update skip locked',
      'works',
    ],
    ['rows of all tenants', 'select count(*) from notes', 'works'],
    ['rows of all tenants, locked', 'select from notes for update', '0A000'],
    ['a stable clock', 'update notes set updated_at = statement_timestamp()', 'works'],
    [
      'the time of a change',
      `update notes set updated_at = ${nextTime('updated_at')} where tenant_id = 1`,
      'works',
    ],
    [
      'a volatile clock',
      'update notes set updated_at = clock_timestamp() where tenant_id = 1',
      '0A000',
    ],
    ['another tenant', 'update notes set tenant_id = 2 where tenant_id = 1', '0A000'],
    ['a unique key without the tenant', 'create unique index on notes (title)', '0A000'],
    ['a unique key with the tenant', 'create unique index on notes (tenant_id, title)', 'works'],
    ['a new column', 'alter table notes add column body text', 'works'],
    [
      'a trigger',
      'create trigger t before update on notes for each row execute function suppress_redundant_updates_trigger()',
      'XX000',
    ],
    [
      'an index, concurrently',
      'create index concurrently on notes (tenant_id, updated_at)',
      'works',
    ],
    ['another type', 'alter table notes alter column title type varchar(80)', 'works'],
    ['a notification', `select pg_notify('fw_jobs', '')`, 'works'],
    ['a lock of migrations', 'select pg_advisory_xact_lock(1)', 'works'],
  ])('%s', async (_name, sql, expected) => {
    expect(await outcome(() => run(database, sql))).toBe(expected)
  })

  test('transactions: savepoints, isolation, settings', async () => {
    const write = (title: string) =>
      run(database, 'update notes set title = $1 where tenant_id = 1', [title])
    await database.transaction(async () => {
      await write('kept')
      await database
        .transaction(async () => {
          await write('undone')
          throw new Error('undone')
        })
        .catch(() => {})
    })
    const title = () => run(database, 'select title from notes where tenant_id = 1')
    expect(await title()).toEqual([{ title: 'kept' }])
    for (const isolation of ['repeatable read', 'serializable'] as const)
      await database.transaction(() => write(isolation), { isolation })
    expect(await title()).toEqual([{ title: 'serializable' }])
    const read = () => database.transaction(title, { readOnly: true })
    expect(await read()).toEqual([{ title: 'serializable' }])
    const settings = 'set local statement_timeout = 1000; set local lock_timeout = 100; reset all'
    await database.transaction(() => database.currentTransaction()!.script(settings))
  })
})
