/** `fw run` runs the jobs of the application, and shows them at `/_fw/jobs` to this machine. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { jobMigrationText } from '../../src/runtime/jobs.ts'
import { eventually } from '../support/data-app.ts'
import { runApplication } from '../support/running-application.ts'
import { temporaryFolder } from '../support/serve.ts'

const files = {
  'package.json': '{ "type": "module" }',
  'db/migration/V1__create_fw_jobs.sql': jobMigrationText(),
  'src/main/job/note.ts': `
import { ParamType } from 'fwjs'
import { job } from 'fwjs/jobs'
export const Note = job('note', { text: ParamType.String }, ({ text }, ctx) => {
  if (text === 'refused') ctx.deadLetter('refused as asked')
  ctx.logger.info({}, 'noted ' + text)
})
`,
  'src/main/bootstrap.ts': `
import { FwLifeCycle, microServlet } from 'fwjs'
import { Note } from './job/note.ts'
export class Bootstrap extends FwLifeCycle {
  initFwApp(ctx) {
    microServlet((r) => ({
      note: r.get('/note/:text', async (c) => String(await Note.enqueue({ text: c.params.get('text') }))),
    })).mount(ctx)
  }
}
`,
}

test('jobs run, and the page shows dead letters', async () => {
  const root = temporaryFolder(files)
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(root, 'node_modules'))
  const { url, output } = await runApplication(root, '--no-check')
  await fetch(`${url}/note/hello`)
  await eventually(output).toContain('noted hello')
  await fetch(`${url}/note/refused`)
  const page = async () => (await fetch(`${url}/_fw/jobs`)).text()
  await eventually(page).toContain('refused as asked')
  const proxied = await fetch(`${url}/_fw/jobs`, { headers: { 'x-forwarded-for': '10.0.0.1' } })
  expect(proxied.status).toBe(403)
})
