/** The plans of the statements of jobs, on a server. */
import { describe, expect, test } from 'vitest'
import { servers } from '../db/engines.fixture.ts'
import { jobSql } from './job-sql.ts'
import { rowsOf, useJobs } from './runner.fixture.ts'

describe.runIf(servers.length > 0).each(servers)('on a server', (engine) => {
  const opened = useJobs(engine)

  test('a claim reads neither a backlog nor delayed jobs', async () => {
    const database = opened()
    await rowsOf(
      database,
      `insert into fw_jobs (name, queue, priority, arguments, created_at, run_at)
       select 'one', 'default', 0, '{}', now(), now() + n * interval '1 hour' from generate_series(-5000, 5000) as n`,
    )
    await rowsOf(database, 'analyze fw_jobs')
    const { rows } = await database.query<{ 'QUERY PLAN': string }>({
      sql: `explain (analyze, costs off, timing off) ${jobSql.claim}`,
      parameters: [['default'], [5], 10, null, ['one'], 'worker', 30_000, 0],
    })
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toMatch(/^Update on fw_jobs \(actual rows=5 /)
    expect(plan).not.toContain('Seq Scan')
  })
})
