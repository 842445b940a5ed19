/** `fw console` as a process: piped lines, the sandbox, and a database that another process uses. */
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../../src/runtime/db.ts'
import { jobMigration } from '../../src/runtime/jobs.ts'
import { emptyFolder, linkSources, removeFolder, visibleEnvironment } from '../generate/folder.ts'
import { fwCommand } from '../support/environment.ts'

const root = emptyFolder()
afterAll(() => removeFolder(root))

linkSources(root)
const write = (path: string, text: string): void => {
  mkdirSync(resolve(root, path, '..'), { recursive: true })
  writeFileSync(join(root, path), text)
}

write(
  'package.json',
  JSON.stringify({ type: 'module', imports: { '#model/*': './src/main/model/*.ts' } }),
)
write(
  'src/main/resources/application.yml',
  'db: { default: { folder: db/data }, reports: { folder: memory } }\n',
)
write('src/main/resources/messages.yml', 'hello: Hello {0}\n')
write(
  'src/main/model/note.ts',
  `import { model } from 'fwjs/model'
import { ParamType } from 'fwjs'
export const Note = model('notes', { id: ParamType.Long, text: ParamType.String })\n`,
)
write(
  'src/main/job/greeting.ts',
  `import { job } from 'fwjs/jobs'
import { ParamType } from 'fwjs'
export const Greeting = job('greeting', { name: ParamType.String }, () => {})\n`,
)
write(
  'src/main/controller/controllers.ts',
  `import { FwController, routes } from 'fwjs'
class NotesController extends FwController {
  show() { return this.params.get('id') }
}
export const notes = routes(NotesController, (r) => ({ showUrl: r.get('/notes/:id', 'show') }))
export const controllers = { notes }\n`,
)
write(
  'src/main/bootstrap.ts',
  `import { FwLifeCycle } from 'fwjs'
import { notes } from './controller/controllers.ts'
export class Bootstrap extends FwLifeCycle {
  initFwApp(ctx) { notes.mount(ctx, '/a') }
}\n`,
)

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly said: string
}

function piped(lines: readonly string[], ...options: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [...fwCommand, 'console', '--app', root, ...options], {
    env: visibleEnvironment(),
  })
  let out = ''
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  child.stdin.end(lines.map((line) => `${line}\n`).join(''))
  return new Promise((done, failed) => {
    child.once('error', failed)
    child.once('close', (code) => done({ code, out, said }))
  })
}

const open = () => openDatabase({ kind: 'pglite', folder: join(root, 'db/data') })

test('defines models and helpers, rolls a sandbox back, and refuses a database in use', async () => {
  const before = await open()
  for (const sql of ['create table notes (id serial primary key, text text)', ...jobMigration.up])
    await before.query({ sql, parameters: [] })
  await before.close()

  const { code, out, said } = await piped(
    [
      "const text: string = 'first'",
      'await sql`insert into notes (text) values (${text})`',
      'Note.findAll()',
      "(await Note.create(permitValues({ text: 'second' }, 'text'))).text",
      '(await app.get(url(routes.notes.showUrl, { id: 7 }))).body',
      "t('hello', 'Ann')",
      "await Greeting.enqueue({ name: 'Ann' }, { in: '5 minutes' })",
      'await sql`select name, arguments from fw_jobs`',
      "(await import('#model/note')).Note === Note",
      "const reports = (await import('fwjs/db')).currentDatabase('reports')",
      // Its clock stands still in a transaction, and every database of a sandbox is in one.
      "const clock = 'select now() < statement_timestamp() as undone'",
      '(await reports.query({ sql: clock, parameters: [] })).rows',
      'db.engine',
      'nope',
      "'not reached'",
    ],
    '--sandbox',
  )
  expect(out.replace(/'[\da-f-]{36}'/, 'UUID')).toBe(
    `[]\nid  text\n 1  first\n(1 row)\n'second'\n'7'\n'Hello Ann'\nUUID\nname      arguments\ngreeting  { name: 'Ann' }\n(1 row)\ntrue\nundone\ntrue\n(1 row)\n'pglite'\n`,
  )
  expect(said).toContain('Sandbox: all writes are rolled back at the end.')
  expect(said).toContain('fw: ReferenceError: nope is not defined')
  expect(code).toBe(1)

  const after = await open()
  try {
    for (const table of ['notes', 'fw_jobs']) {
      const { rows } = await after.query({ sql: `select * from ${table}`, parameters: [] })
      expect(rows).toEqual([])
    }
    const refused = await piped([])
    expect(refused.code).toBe(1)
    expect(refused.said).toContain(`in use by the process ${process.pid}. Stop it first`)
  } finally {
    await after.close()
  }
})
