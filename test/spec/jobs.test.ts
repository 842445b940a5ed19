/** Jobs of an application: the ids of the request, the readiness probe, the metrics, and the stop. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { createApp, FwLifeCycle, type ServletContext } from '../../src/runtime/app.ts'
import { currentRequest } from '../../src/runtime/base.ts'
import { Configuration, FwEnv } from '../../src/runtime/config.ts'
import { FwController, mix, routes } from '../../src/runtime/controller.ts'
import { useDatabase, type Database } from '../../src/runtime/db.ts'
import { openInMemory } from '../../src/runtime/db/engines.fixture.ts'
import { TxPerRequestFilter } from '../../src/runtime/feature.ts'
import { job, jobMigration } from '../../src/runtime/jobs.ts'
import { ParamType } from '../../src/runtime/params.ts'
import { eventually } from '../support/data-app.ts'
import { recordingLogger, temporaryFolder, type LogLine } from '../support/serve.ts'

const requests: unknown[] = []
const Note = job('note', { text: ParamType.String }, ({ text }, { logger }) => {
  requests.push({ text, id: currentRequest()?.requestId })
  logger.info({}, 'noted')
  if (text === 'fails') throw new Error('not noted')
})

class Notes extends mix(FwController, TxPerRequestFilter) {
  async create() {
    await Note.enqueue({ text: this.params.get('text') ?? '' })
    return 'created'
  }
}
const notes = routes(Notes, (r) => ({ create: r.post('/notes/:text', 'create') }))

class Boot extends FwLifeCycle {
  override initFwApp(ctx: ServletContext): void {
    notes.mount(ctx)
  }
}

async function start(configuration: Readonly<Record<string, unknown>>, tables = jobMigration.up) {
  const database: Database = await openInMemory()
  onTestFinished(() => database.close())
  useDatabase(database)
  onTestFinished(() => useDatabase(undefined))
  for (const sql of tables) await database.query({ sql, parameters: [] })
  const lines: LogLine[] = []
  const app = await createApp(Boot, {
    root: temporaryFolder({ 'package.json': '{}' }),
    database,
    logger: recordingLogger(lines),
    configuration: Configuration.from(configuration, new FwEnv('test')),
  })
  onTestFinished(() => app.close(0))
  const post = (text: string) =>
    app.fetch(
      new Request(`http://localhost/notes/${text}`, {
        method: 'POST',
        headers: { 'sec-fetch-site': 'same-origin' },
      }),
    )
  const rows = async (sql: string) => (await database.query({ sql, parameters: [] })).rows
  return { app, lines, post, rows }
}

describe('an application with jobs.run', () => {
  test('runs jobs with the id of the request that enqueued them', async () => {
    const { post, lines, rows } = await start({ jobs: { run: true } })
    const id = (await post('one')).headers.get('x-request-id')
    await eventually(() => rows('select id from fw_jobs')).toEqual([])
    expect(requests).toContainEqual({ text: 'one', id })
    const line = lines.find(({ message }) => message === 'noted')
    expect(line?.fields).toMatchObject({ requestId: id, job: 'note' })
    expect(lines.find(({ message }) => message === 'job done')?.fields).toMatchObject({
      requestId: id,
    })
  })

  test('has a readiness check for jobs', async () => {
    const { app } = await start({ jobs: { run: true } })
    const { url } = await app.listen(0)
    expect(await (await fetch(`${url}/ready`)).json()).toMatchObject({ checks: { jobs: 'ok' } })
  })

  test('measures attempts', async () => {
    const { app, post, rows } = await start({
      jobs: { run: true },
      metrics: { enabled: true, port: 0 },
    })
    await post('fine')
    await post('fails')
    await eventually(() => rows('select attempt from fw_jobs where worker is null')).toEqual([
      { attempt: 1 },
    ])
    await eventually(async () => app.application.metrics!.format()).toMatch(
      /fw_job_duration_seconds_count\{job="note",queue="default",outcome="failed"\} 1/,
    )
    const text = await app.application.metrics!.format()
    expect(text).toMatch(/_count\{job="note",queue="default",outcome="done"\} 1/)
  })

  test('shows the numbers of jobs of each queue', async () => {
    const insert = (columns: string, values: string): string =>
      `insert into fw_jobs (name, queue, priority, arguments, created_at, run_at${columns})
       values ('unknown', 'slow', 0, '{}', now(), ${values})`
    const jobs = [
      insert('', `now() - interval '90 seconds'`),
      insert('', `now() - interval '80 seconds'`),
      insert('', `now() + interval '1 hour'`),
      insert(', worker', `now() + interval '1 minute', 'other'`),
      insert(', dead_at', `now(), now()`),
      insert(', dead_at', `now(), now()`),
      insert(', dead_at', `now(), now()`),
    ]
    const configuration = { jobs: { run: true }, metrics: { enabled: true, port: 0 } }
    const { app } = await start(configuration, [...jobMigration.up, ...jobs])
    const text = () => app.application.metrics!.format()
    await eventually(text).toMatch(/fw_jobs_waiting\{queue="slow"\} 2\n/)
    const numbers = await text()
    for (const [state, count] of Object.entries({ delayed: 1, running: 1, dead: 3 }))
      expect(numbers).toContain(`fw_jobs_${state}{queue="slow"} ${count}\n`)
    expect(numbers).toMatch(/fw_jobs_oldest_seconds\{queue="slow"\} 9\d\./)
  })

  test('does not start without the tables', async () => {
    await expect(start({ jobs: { run: true } }, [])).rejects.toMatchObject({
      code: 'jobs.tables-missing',
    })
  })
})

test('without jobs.run, an application enqueues jobs and runs none', async () => {
  const { app, post, rows } = await start({})
  expect((await post('kept')).status).toBe(200)
  expect(app.application.jobs).toBeUndefined()
  expect(await rows('select name, attempt from fw_jobs')).toEqual([{ name: 'note', attempt: 0 }])
})
