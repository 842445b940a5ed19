/** The terminal of `fw run`: migrations, statements, the line of an error, folded frames; the log of production. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Configuration } from '../../src/runtime/config.ts'
import { FwLifeCycle, startApplication } from '../../src/runtime/app.ts'
import type { Logger } from '../../src/runtime/base.ts'
import { emptyFolder, fw, linkSources, removeFolder } from '../generate/folder.ts'
import { runApplication } from '../support/running-application.ts'

const bootstrap = `
import { FwController, FwLifeCycle, routes } from 'fwjs'
import { currentDatabase } from 'fwjs/db'
class NotesController extends FwController {
  async count() {
    const { rows } = await currentDatabase().query({ sql: 'select count(*)::int as n from notes where text <> $1', parameters: ['hidden'] })
    return String(rows[0].n)
  }
  missing() {
    return [this.i18n.get('members.headin'), this.i18n.getOrKey('members.more')]
  }
  fail() {
    throw new Error('not today')
  }
}
const notes = routes(NotesController, (r) => ({ count: r.get('/', 'count'), fail: r.get('/fail', 'fail'), missing: r.get('/missing', 'missing') }))
export class Bootstrap extends FwLifeCycle {
  initFwApp(ctx) {
    notes.mount(ctx)
  }
}
`

function folderWith(files: Readonly<Record<string, string>>): string {
  const root = emptyFolder()
  onTestFinished(() => removeFolder(root))
  for (const folder of ['src/main/resources', 'db/migration'])
    mkdirSync(join(root, folder), { recursive: true })
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text)
  return root
}

test('fw run --sql logs migrations and statements with durations, and shows the line of an error', async () => {
  const root = folderWith({
    'package.json': '{"type":"module"}',
    'src/main/bootstrap.ts': bootstrap,
    'src/main/resources/application.yml': 'db: { default: { folder: memory } }\n',
    'db/migration/V1__create_notes.sql': 'create table notes (text varchar(20));\n',
  })
  linkSources(root)
  const { url, output } = await runApplication(root, '--sql')
  expect(output()).toMatch(/INFO +applied V1__create_notes\.sql\n/)
  await (await fetch(url)).text()
  expect(output()).toMatch(
    /INFO +select count\(\*\)::int as n from notes where text <> \$1 millis=[\d.]+\n/,
  )
  expect(output()).not.toContain('hidden')
  const missing = await (await fetch(`${url}/missing`)).text()
  expect(missing).toContain('["[members.headin]","members.more"]')
  await (await fetch(`${url}/missing`)).text()
  expect(output().match(/WARN +messages\.yml has no members\.headin/g)).toHaveLength(1)
  await (await fetch(`${url}/fail`)).text()
  await expect
    .poll(output)
    .toMatch(/src\/main\/bootstrap\.ts:13:11\n[^]*> 13 \| +throw new Error\('not today'\)/)
}, 60_000)

class Boot extends FwLifeCycle {
  lines: string[] = []
  override createLogger(): Logger {
    const log = (_fields: object, message: string) => void this.lines.push(message)
    return { debug: log, info: log, warn: log, error: log }
  }
  override initFwApp(ctx: { readonly logger: Logger }): void {
    ctx.logger.info({}, 'from the application')
  }
}

test('a life cycle can bring its own logger', async () => {
  const lifeCycle = new Boot()
  const application = await startApplication(lifeCycle, {
    root: folderWith({}),
    configuration: Configuration.from({}),
    database: false,
  })
  await application.close()
  expect(lifeCycle.lines).toContain('from the application')
})

test('level and format of the log are settings, in production too', async () => {
  const root = folderWith({
    'package.json': '{"type":"module"}',
    'src/main/bootstrap.ts': `
      import { FwLifeCycle } from 'fwjs'
      export class Bootstrap extends FwLifeCycle {
        initFwApp(ctx) {
          ctx.logger.info({}, 'not urgent')
          ctx.logger.warn({}, 'urgent')
          throw new Error('stop here')
        }
      }`,
    'src/main/resources/application.yml':
      'log: { level: warn, format: pretty }\ndb: { default: { folder: memory } }\n' +
      `server: { hosts: a.example }\nsecretKeyBase: ${'0123456789abcdef'.repeat(4)}\n`,
  })
  linkSources(root)
  const { code, said } = await fw({ cwd: root, env: { FW_ENV: 'production' } }, 'start')
  expect(code).toBe(1)
  expect(said).toMatch(/^[\d:.]+ WARN +urgent$/m)
  expect(said).not.toContain('not urgent')
})
