/** Jobs of several tenants on every engine: each reads and writes the rows of the tenant that its arguments name. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withLocalSettings } from '../db.ts'
import { enginesAndPooler } from '../db/engines.fixture.ts'
import { ParamType } from '../params.ts'
import { job } from './job.ts'
import { eventually, jobName, rowsOf, startRunner, useJobs } from './runner.fixture.ts'

describe.each(enginesAndPooler)('on $name', (engine) => {
  const opened = useJobs(engine)
  const role = `fw_role_${process.pid}_${randomBytes(4).toString('hex')}`
  const tenant = `nullif(current_setting('app.tenant', true), '')::int`

  beforeAll(async () => {
    for (const sql of [
      `create table notes (tenant int not null default ${tenant}, text text)`,
      'alter table notes enable row level security',
      `create policy own on notes using (tenant = ${tenant})`,
      `create role ${role}`,
      `grant select, insert, update, delete on all tables in schema public to ${role}`,
    ])
      await rowsOf(opened(), sql)
  })
  afterAll(async () => {
    await rowsOf(opened(), `drop owned by ${role}`)
    await rowsOf(opened(), `drop role ${role}`)
  })

  const asTenant = <T>(id: number, work: () => T) =>
    withLocalSettings({ role, 'app.tenant': id }, work)

  test('with withLocalSettings, in steps and outside, and without it as no tenant', async () => {
    const database = opened()
    const outside: unknown[] = []
    const insert = (text: string) =>
      database.query({ sql: 'insert into notes (text) values ($1)', parameters: [text] })
    const note = job(jobName(), { tenantId: ParamType.Int }, async ({ tenantId }, ctx) => {
      outside.push(...(await rowsOf(database, `select ${tenant} as tenant, current_user as role`)))
      await asTenant(tenantId, async () => {
        await ctx.step('first', () => insert(`first ${tenantId}`).then(() => null))
        const seen = await rowsOf<{ tenant: number }>(database, 'select distinct tenant from notes')
        await insert(`saw ${seen.map((row) => row.tenant).join()}`)
      })
    })
    const tenants = Array.from({ length: 40 }, (_, at) => (at % 2) + 1)
    for (const id of tenants)
      await asTenant(id, () => database.transaction(() => note.enqueue({ tenantId: id })))
    await startRunner(database, { concurrency: 8 })
    await eventually(
      () => rowsOf(database, 'select 1 from fw_jobs'),
      (rows) => rows.length === 0,
    )
    const found = `select tenant, text, count(*)::int as count from notes group by tenant, text order by tenant, text`
    expect(await rowsOf(database, found)).toEqual([
      { tenant: 1, text: 'first 1', count: 20 },
      { tenant: 1, text: 'saw 1', count: 20 },
      { tenant: 2, text: 'first 2', count: 20 },
      { tenant: 2, text: 'saw 2', count: 20 },
    ])
    expect(outside).toHaveLength(40)
    const [owner] = await rowsOf(database, 'select current_user as role')
    expect(new Set(outside.map((row) => JSON.stringify(row)))).toEqual(
      new Set([JSON.stringify({ tenant: null, ...owner })]),
    )
  })
})
