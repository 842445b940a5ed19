/** docs/tenants.md: its SQL and its code run on the embedded database, and each visitor gets the rows of their tenant. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { jobMigrationText } from '../src/runtime/jobs.ts'
import { sourceFlags } from './support/environment.ts'

const repository = resolve(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'fw-docs-tenants-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const text = readFileSync(join(repository, 'docs', 'tenants.md'), 'utf8')
const blocks = (language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    (found) => found[1]!,
  )

/** Logs in by the path, lists the invoices in each way, and prints what visitors of two tenants and of none see. */
const program = `
import { FwServer } from 'fwjs'
import { migrate, openDatabase, useDatabase } from 'fwjs/db'
import { runJobs } from 'fwjs/testing'

class Login extends ApplicationController {
  logIn() {
    this.session.set('tenantId', Number(this.params.get('tenant')))
    return 'in'
  }
}
const login = routes(Login, (r) => ({ logIn: r.get('/login/:tenant', 'logIn') }))
const database = await openDatabase({ kind: 'pglite', folder: 'memory' })
useDatabase(database)
await migrate(database, 'db/migration')
const insert = "insert into invoices (tenant_id, number) values (1, 'A-1'), (1, 'A-2'), (2, 'B-1')"
await database.query({ sql: insert, parameters: [] })
const server = new FwServer({ root: import.meta.dirname, database }).mount(invoices).mount(login)
const app = await server.start()
const seen: unknown[] = []
for (const tenant of [1, 2, undefined]) {
  const get = (path: string, cookie = '') =>
    app.fetch(new Request('http://localhost' + path, { headers: { cookie } }))
  const login = tenant === undefined ? undefined : await get(\`/login/\${tenant}\`)
  const own = login?.headers.get('set-cookie')?.split(';')[0]
  seen.push(await (await get('/invoices', own)).json(), await (await get('/invoices/export', own)).text())
}
seen.push(await countInvoices(1), await countInvoices(2), await Invoice.count())
await asTenant(2, () => AddInvoice.enqueue({ tenantId: 2, number: 'B-2' }))
seen.push(await runJobs(), await countInvoices(1), await countInvoices(2))
console.log(JSON.stringify(seen))
await app.close()
await database.close()
`

test(
  'its code compiles and shows each visitor the rows of their tenant',
  { timeout: 600_000 },
  () => {
    symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    mkdirSync(join(folder, 'db/migration'), { recursive: true })
    writeFileSync(join(folder, 'db/migration/V001__create_invoices.sql'), blocks('sql').join('\n'))
    writeFileSync(join(folder, 'db/migration/V002__create_fw_jobs.sql'), jobMigrationText())
    writeFileSync(join(folder, 'program.ts'), [...blocks('ts'), program].join('\n'))
    const tsconfig = {
      extends: join(repository, 'test/support/tsconfig.app.json'),
      files: ['program.ts'],
      include: [],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
    const tsc = join(repository, 'node_modules/.bin/tsc')
    expect(spawnSync(tsc, ['-p', folder], { encoding: 'utf8' }).stdout).toBe('')
    const { PATH, NODE_COMPILE_CACHE } = process.env
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [...sourceFlags, join(folder, 'program.ts')],
      {
        cwd: folder,
        encoding: 'utf8',
        env: { PATH, NODE_COMPILE_CACHE, FW_ENV: 'test' },
      },
    )
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual([
      ['A-1', 'A-2'],
      'A-1\nA-2\n',
      ['B-1'],
      'B-1\n',
      [],
      '',
      2,
      1,
      3,
      1,
      2,
      2,
    ])
  },
)
