/** `fw jobs`: runs jobs without pages, answers probes, and refuses what it cannot run. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/runtime/db.ts'
import { emptyDatabaseOn, hasTestServer } from '../../src/runtime/db/test-server.fixture.ts'
import { jobMigration } from '../../src/runtime/jobs.ts'
import { FwProcess } from '../support/fw-process.ts'
import { temporaryFolder } from '../support/serve.ts'

const files = {
  'package.json': '{ "type": "module" }',
  'src/main/resources/application.yml': `
secretKeyBase: ${'0123456789abcdef'.repeat(3)}
server: { hosts: '*' }
`,
  'src/main/bootstrap.ts': `
import { FwLifeCycle } from 'fwjs'
export class Bootstrap extends FwLifeCycle {
  initFwApp() {}
}
`,
  'src/main/job/note.ts': `
import { job } from 'fwjs/jobs'
export const Note = job('note', {}, (_, ctx) => ctx.logger.info({}, 'noted'))
`,
}

function createApplication(): string {
  const root = temporaryFolder(files)
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(root, 'node_modules'))
  return root
}

test.skipIf(!(await hasTestServer()))('--port answers probes, and no pages', async () => {
  const own = await emptyDatabaseOn('jobs')
  onTestFinished(own.drop)
  const database = await openDatabase({ kind: 'postgres', url: own.url, poolSize: 1 })
  for (const sql of jobMigration.up) await database.query({ sql, parameters: [] })
  await database.close()
  const args = ['jobs', '--port', '0', '--host', '127.0.0.1']
  const jobs = new FwProcess(createApplication(), args, { DATABASE_URL: own.url })
  await jobs.logs('running jobs')
  const status = async (path: string) => (await fetch(jobs.url + path)).status
  expect(await status('/up')).toBe(200)
  const ready = await fetch(`${jobs.url}/ready`)
  expect(await ready.json()).toMatchObject({ checks: { jobs: 'ok' } })
  expect(await status('/')).toBe(404)
  jobs.child.kill('SIGTERM')
  expect(await jobs.exited).toEqual([0, null])
})

test('an application without a database is an error', async () => {
  const jobs = new FwProcess(createApplication(), ['jobs'], {})
  expect(await jobs.exited).toEqual([1, null])
  expect(jobs.output).toMatch(/has no jobs: write one with fw g job.*\(cli\.no-jobs\)/)
})
