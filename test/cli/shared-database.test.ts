/** Commands use the embedded database while `fw run` has it. */
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  emptyFolder,
  fw,
  linkSources,
  removeFolder,
  visibleEnvironment,
} from '../generate/folder.ts'
import { fwCommand } from '../support/environment.ts'
import { runApplication } from '../support/running-application.ts'

const slow = 120_000

const bootstrap = `
import { FwLifeCycle, microServlet } from 'fwjs'
import { currentDatabase } from 'fwjs/db'
const notes = microServlet((r) => ({
  count: r.get('/', async () => {
    const { rows } = await currentDatabase().query({ sql: 'select count(*)::int as n from notes', parameters: [] })
    return String(rows[0].n)
  }),
}))
export class Bootstrap extends FwLifeCycle {
  initFwApp(ctx) {
    notes.mount(ctx)
  }
}
`

const slowPoll = { timeout: 30_000, interval: 200 }

test(
  'the console, the db commands, the doctor and the generators that read tables',
  async () => {
    const root = emptyFolder()
    onTestFinished(() => removeFolder(root))
    mkdirSync(join(root, 'src/main/model'), { recursive: true })
    mkdirSync(join(root, 'db/migration'), { recursive: true })
    writeFileSync(join(root, 'package.json'), '{"type":"module"}')
    writeFileSync(join(root, 'src/main/bootstrap.ts'), bootstrap)
    writeFileSync(
      join(root, 'db/migration/V1__create_notes.sql'),
      'create table notes (id serial primary key, text varchar(20) not null);\n-- down\ndrop table notes;\n',
    )
    linkSources(root)
    const { url } = await runApplication(root)
    const ask = async () => (await fetch(url)).text()
    expect(await ask()).toBe('0')
    expect(await fw(root, 'db:status')).toMatchObject({
      code: 0,
      said: expect.stringContaining('applied   1  create_notes') as string,
    })
    writeFileSync(join(root, 'db/seed.sql'), "insert into notes (text) values ('a'), ('b');\n")
    expect(await fw(root, 'db:seed')).toMatchObject({ code: 0 })
    expect(await ask()).toBe('2')
    const model = await fw(root, 'g', 'reverse-model', 'notes', '--pretend')
    expect(model.said).toContain('src/main/model/note.ts')
    const doctor = await fw(root, 'doctor', '--json')
    expect(doctor.said).toContain('every migration is applied (1)')
    expect(await ask()).toBe('2')
  },
  slow,
)

test(
  'a resource can be generated, destroyed and generated again while fw run is on',
  async () => {
    const folder = emptyFolder()
    onTestFinished(() => removeFolder(folder))
    await fw(folder, 'new', 'shop', '--fwjs', '0.1.0')
    const root = join(folder, 'shop')
    linkSources(root)
    const { url } = await runApplication(root)
    const isServed = async () => (await fetch(`${url}/notes`)).status
    await fw(root, 'g', 'scaffold', 'notes', 'note', 'text:String')
    await expect.poll(isServed, slowPoll).toBe(200)
    const destroyed = await fw(root, 'd', 'scaffold', 'notes', 'note', 'text:String')
    expect(destroyed.said).toMatch(/Rolled back the migration \d+ create_notes\./)
    await expect.poll(isServed, slowPoll).toBe(404)
    await fw(root, 'g', 'scaffold', 'notes', 'note', 'text:String', 'more:Int?')
    await expect.poll(isServed, slowPoll).toBe(200)
  },
  slow,
)

test(
  'the page of a failed migration has its line, and buttons for this machine that run, undo and start over',
  async () => {
    const folder = emptyFolder()
    onTestFinished(() => removeFolder(folder))
    await fw(folder, 'new', 'shop', '--fwjs', '0.1.0')
    const root = join(folder, 'shop')
    linkSources(root)
    const migration = join(root, 'db/migration/V1__create_notes.sql')
    writeFileSync(migration, 'create table notes (\n  id serial,\n  text varchr(20)\n);\n')
    const { url } = await runApplication(root)
    const page = await (await fetch(url)).text()
    expect(page).toContain('db/migration/V1__create_notes.sql:3:8')
    expect(page).toMatch(/<mark>&gt; 3 \| +text varchr/)
    const token = /name="token" value="([^"]+)"/.exec(page)![1]!
    const press = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
      fetch(`${url}/_fw/database`, {
        method: 'POST',
        headers,
        body: new URLSearchParams(fields),
        redirect: 'manual',
      })
    expect((await press({ token: 'x', run: 'db:migrate' })).status).toBe(403)
    expect((await press({ token, run: 'db:seed' })).status).toBe(403)
    const proxied = { 'x-forwarded-for': '192.0.2.1' }
    expect((await press({ token, run: 'db:migrate' }, proxied)).status).toBe(403)
    const failed = await press({ token, run: 'db:migrate' })
    expect(failed.status).toBe(303)
    const again = await (await fetch(url)).text()
    expect(again).toContain('type &quot;varchr&quot; does not exist')
    expect(again).toContain('value="db:rollback"')

    const shown = async () => (await fetch(url)).text()
    writeFileSync(migration, 'create table notes (id serial);\n')
    await expect.poll(shown, slowPoll).toContain('<title>Shop')
    writeFileSync(migration, 'create table notes (id serial, text text);\n')
    await expect.poll(shown, slowPoll).toContain('value="db:reset"')
    const foreign = { 'sec-fetch-site': 'cross-site' }
    expect((await press({ token, run: 'db:reset' }, foreign)).status).toBe(403)
    expect((await press({ token, run: 'db:reset' })).status).toBe(303)
    await expect.poll(shown, slowPoll).toContain('<title>Shop')
  },
  slow,
)

test(
  'a page and a command say within two seconds which process has the embedded database',
  async () => {
    const root = emptyFolder()
    onTestFinished(() => removeFolder(root))
    mkdirSync(join(root, 'src/main'), { recursive: true })
    mkdirSync(join(root, 'db/migration'), { recursive: true })
    writeFileSync(join(root, 'package.json'), '{"type":"module"}')
    writeFileSync(join(root, 'src/main/bootstrap.ts'), bootstrap)
    const migration = join(root, 'db/migration/V1__create_notes.sql')
    writeFileSync(migration, 'create table notes (id int);\n')
    linkSources(root)
    const { url } = await runApplication(root)
    expect(await (await fetch(url)).text()).toBe('0')
    const console = spawn(process.execPath, [...fwCommand, 'console', '--sandbox'], {
      cwd: root,
      env: visibleEnvironment(),
    })
    onTestFinished(() => void console.kill())
    let output = ''
    console.stdout.on('data', (text) => (output += String(text)))
    const lines = [
      "await sql`insert into notes values (1)`; 'inserted'",
      'await new Promise(() => setInterval(() => {}, 1000))',
    ]
    console.stdin.end(`${lines.join('\n')}\n`)
    await expect.poll(() => output, slowPoll).toContain('inserted')
    const holder = `fw console --sandbox (process ${console.pid}) has the embedded database, in a transaction`
    const ask = async () => {
      const start = performance.now()
      const page = await fetch(url, { headers: { accept: 'text/html' } })
      return { status: page.status, text: await page.text(), millis: performance.now() - start }
    }
    for (let at = 0; at < 2; at++) {
      const page = await ask()
      expect(page).toMatchObject({ status: 503, text: expect.stringContaining(holder) as string })
      expect(page.millis).toBeLessThan(2000)
    }
    const migrated = await fw(root, 'db:migrate')
    expect(migrated).toMatchObject({ code: 1, said: expect.stringContaining(holder) as string })
    console.kill()
    await expect.poll(async () => (await ask()).text, slowPoll).toBe('0')
  },
  slow,
)
