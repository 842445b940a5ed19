/** docs/jobs.md: its code compiles, and runs on the embedded database. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parseKeyFile } from '../src/runtime/config/parse-key-file.ts'
import { Configuration, readSettings } from '../src/runtime/config.ts'
import { jobMigration, jobSettings } from '../src/runtime/jobs.ts'
import { sourceFlags } from './support/environment.ts'

const repository = resolve(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'fw-docs-jobs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const page = readFileSync(join(repository, 'docs', 'jobs.md'), 'utf8')
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    (found) => found[1]!,
  )

/** Enqueues by a request and by each function of the page, runs all jobs, and prints what they wrote. */
const program = `
import { createApp, FwServer } from 'fwjs'
import { openDatabase, useDatabase } from 'fwjs/db'

const database = await openDatabase({ kind: 'pglite', folder: 'memory' })
useDatabase(database)
const tables = ['create table orders (id bigserial)', 'create table invoices (order_id bigint)',
  'create table rows (id int)', 'create table imports (file text)']
for (const sql of [...${JSON.stringify(jobMigration.up)}, ...tables]) await run(sql)
await testInvoices()
const server = new FwServer({ root: import.meta.dirname, database }).mount(orders)
const app = await server.start()
const post = { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } }
await app.fetch(new Request('http://localhost/orders', post))
await Import.enqueue({ file: 'abc' })
await CleanUp.enqueue()
console.log(JSON.stringify([
  await runJobs(),
  (await run('select order_id from invoices order by order_id')).rows,
  (await run('select id from rows order by id')).rows,
  (await run('select file from imports')).rows,
]))
class Logins extends FwController {
  create() {
    this.session.set('isAdmin', true)
    return 'logged in'
  }
}
const logins = routes(Logins, (r) => ({ create: r.post('/login', 'create') }))
class WithLogin extends Bootstrap {
  override initFwApp(ctx: ServletContext) {
    super.initFwApp(ctx)
    logins.mount(ctx)
  }
}
const admin = await createApp(WithLogin, { root: import.meta.dirname, database })
const status = async (Cookie: string) => (await admin.fetch(new Request('http://localhost/admin/jobs', { headers: { Cookie } }))).status
const login = await admin.fetch(new Request('http://localhost/login', post))
const cookie = login.headers.getSetCookie().map((one) => one.split(';', 1)[0]).join('; ')
console.log(JSON.stringify([await status(''), await status(cookie)]))
await admin.close()
await app.close()
await database.close()
`

test('its code compiles, and its jobs run', { timeout: 600_000 }, () => {
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'program.ts'), [...blocks('ts'), program].join('\n'))
  const base = join(repository, 'test/support/tsconfig.app.json')
  const tsconfig = { extends: base, files: ['program.ts'], include: [] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
  const tsc = join(repository, 'node_modules/.bin/tsc')
  expect(spawnSync(tsc, ['-p', folder], { encoding: 'utf8' }).stdout).toBe('')
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [...sourceFlags, join(folder, 'program.ts')],
    { cwd: folder, encoding: 'utf8', env: { PATH, NODE_COMPILE_CACHE, FW_ENV: 'test' } },
  )
  expect(stderr).toBe('')
  const [wrote, statuses] = stdout.trim().split('\n').slice(-2)
  expect(statuses).toBe('[403,200]')
  expect(JSON.parse(wrote!)).toEqual([
    3,
    [{ order_id: 1 }, { order_id: 7 }, { order_id: 8 }],
    [{ id: 0 }, { id: 1 }, { id: 2 }],
    [{ file: 'abc' }],
  ])
})

test('its settings exist', () => {
  const [text] = blocks('yaml')
  expect(parseKeyFile(text!, 'application.yml').problems).toEqual([])
  const own = { jobs: { run: true, concurrency: 5, queues: { slow: 1 } } }
  expect(readSettings(Configuration.from(own), jobSettings).jobs).toMatchObject({ concurrency: 5 })
})
