/** The pages of jobs: refused by default, escaped, and their buttons. */
import { expect, onTestFinished, test } from 'vitest'
import { FwServer } from '../app.ts'
import { silentLogger } from '../base.ts'
import { Configuration } from '../config.ts'
import { engines } from '../db/engines.fixture.ts'
import { ParamType } from '../params.ts'
import { temporaryFolder } from '../../../test/support/serve.ts'
import { TestClient } from '../../tools/testing.ts'
import { job } from './job.ts'
import { JobsController, type JobsControllerOptions } from './jobs-controller.ts'
import { rowsOf, useJobs } from './runner.fixture.ts'
import { runJobs } from './run-jobs.ts'

const opened = useJobs(engines[0]!)
const hostile = '<script>alert("1")</script>'
const Refused = job('refused', { name: ParamType.String, password: ParamType.String }, (_, ctx) =>
  ctx.deadLetter(hostile),
)

async function serve(options?: JobsControllerOptions, contextPath = '') {
  const root = temporaryFolder({ 'package.json': '{}' })
  const pages = new JobsController(options)
  const configuration = Configuration.from({ contextPath })
  const parts = { root, configuration, database: opened(), logger: silentLogger }
  const server = new FwServer(parts)
  const app = await server.mount(pages, '/admin/jobs').start()
  onTestFinished(() => app.close(0))
  return new TestClient(app.fetch)
}

const same = { headers: { 'sec-fetch-site': 'same-origin' } }

test('they refuse every client without allow', async () => {
  const app = await serve()
  await Refused.enqueue({ name: 'a', password: 'b' })
  expect((await app.get('/admin/jobs')).status).toBe(403)
  expect((await app.post('/admin/jobs/1/discard', same)).status).toBe(403)
  expect(await rowsOf(opened(), 'select count(*)::int as n from fw_jobs')).toEqual([{ n: 1 }])
})

test('they show the jobs of each state as text, without secrets', async () => {
  const app = await serve({ allow: () => true })
  await Refused.enqueue({ name: hostile, password: 'hush' })
  await expect(runJobs()).rejects.toThrow()
  await Refused.enqueue({ name: 'later', password: 'hush' }, { in: '1 hour' })
  const page = await app.get('/admin/jobs')
  expect(page.status).toBe(200)
  expect(page.all('h2')).toEqual(['Queues', 'Dead letters', 'Delayed'])
  expect(page.all('tbody tr:first-child td:nth-child(2)')).toEqual(['0', 'refused', 'refused'])
  expect(page.body).not.toContain('<script')
  expect(page.body).not.toContain('hush')
  expect(page.html('summary')).toBe(hostile)
})

test('the newest dead letters are first', async () => {
  const app = await serve({ allow: () => true })
  for (const name of ['older', 'newer']) {
    await Refused.enqueue({ name, password: 'b' })
    await expect(runJobs()).rejects.toThrow()
  }
  const page = await app.get('/admin/jobs')
  expect(page.body.indexOf('newer')).toBeGreaterThan(0)
  expect(page.body.indexOf('newer')).toBeLessThan(page.body.indexOf('older'))
})

test('buttons run a dead letter again, and remove jobs; forms of other sites are refused', async () => {
  const app = await serve({ allow: () => true })
  await Refused.enqueue({ name: 'a', password: 'b' })
  await expect(runJobs()).rejects.toThrow()
  const form = (await app.get('/admin/jobs')).body
  const [retry, discard] = [...form.matchAll(/action="([^"]+)"/g)].map(([, action]) => action!)
  expect((await app.post(retry!, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403)
  const answer = await app.post(retry!, same)
  expect({ status: answer.status, location: answer.location }).toEqual({
    status: 303,
    location: '/admin/jobs/',
  })
  expect(await rowsOf(opened(), 'select attempt, dead_at from fw_jobs')).toEqual([
    { attempt: 0, dead_at: null },
  ])
  await app.post(discard!, same)
  expect(await rowsOf(opened(), 'select 1 from fw_jobs')).toEqual([])
})

test('their links contain the context path', async () => {
  const app = await serve({ allow: () => true }, '/shop')
  const id = await Refused.enqueue({ name: 'a', password: 'b' })
  const page = await app.get('/shop/admin/jobs')
  expect(page.body).toContain(`action="/shop/admin/jobs/${id}/discard"`)
  const { location } = await app.post(`/shop/admin/jobs/${id}/discard`, same)
  expect(location).toBe('/shop/admin/jobs/')
  expect((await app.get(location!)).status).toBe(200)
})
