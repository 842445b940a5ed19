/** A generated application with `--distributed-by tenant` on a cluster of Citus: migrations, sessions, jobs, pages, unique rules. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase, type Database } from '../../src/runtime/db.ts'
import type { EmptyDatabase } from '../../src/runtime/db/test-server.fixture.ts'
import { sessionMigrationText } from '../../src/runtime/session.ts'
import { newDistributedApplication } from '../generate/distributed-application.ts'
import { fw, generate, removeFolder, visibleEnvironment } from '../generate/folder.ts'
import { sourceFlags } from '../support/environment.ts'
import { hasCitus, newCitusDatabase, run } from './cluster.ts'

/** Two users of two tenants use the application; prints what they see. */
const program = `
import { createApp, FwSessionInitializer, permitValues, ParamType, routes, type ServletContext } from 'fwjs'
import { currentDatabase } from 'fwjs/db'
import { runJobs } from 'fwjs/testing'
import { ApplicationController } from '#controller/application-controller'
import { TouchNote } from '#main/job/touch-note'
import { Bootstrap } from '#main/bootstrap'
import { Comment } from '#model/comment'
import { commentNote } from '#model/comment-relations'
import { Country } from '#model/country'
import { Folder } from '#model/folder'
import { Note } from '#model/note'
import { noteCountry, noteFolder } from '#model/note-relations'
import { Tenant } from '#model/tenant'
import { User } from '#model/user'

class LoginController extends ApplicationController {
  logIn() {
    this.session.set('userId', this.params.getAs('id', ParamType.Long)!)
    return 'in'
  }
  async touch() {
    const tenantId = this.currentUser!.tenantId
    const [note] = await Note.scoped(tenantId).query().limit(1).findAll()
    await TouchNote.enqueue({ tenantId, noteId: note!.id })
    return 'enqueued'
  }
}
const login = routes(LoginController, (r) => ({
  logIn: r.get('/login/:id', 'logIn'),
  touch: r.get('/touch', 'touch'),
}))
class Application extends Bootstrap {
  override initFwApp(ctx: ServletContext) {
    new FwSessionInitializer().mount(ctx, '/*')
    super.initFwApp(ctx)
    login.mount(ctx)
  }
}

const app = await createApp(Application)
const same = { 'sec-fetch-site': 'same-origin' }
async function logIn(name: string) {
  const tenantId = (await Tenant.create(permitValues({ name }))).id
  const { id } = await User.create(permitValues({ name, tenantId }))
  const entered = await app.fetch(new Request('http://localhost/login/' + id))
  const cookie = entered.headers.get('set-cookie')!.split(';')[0]!
  const send = async (method: string, path: string, json?: object) => {
    const headers = { cookie, ...same, 'content-type': 'application/json' }
    const body = json && JSON.stringify(json)
    const response = await app.fetch(new Request('http://localhost' + path, { method, headers, body }))
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  return { tenantId, send }
}
const seen: Record<string, unknown> = {}
const ann = await logIn('Ann')
const bob = await logIn('Bob')
const japan = await Country.create(permitValues({ name: 'Japan' }))
const made = await ann.send('POST', '/folders.json', { name: 'Letters' })
const folderId = JSON.parse(made.text).id
seen.created = made.status
const twice = await ann.send('POST', '/folders.json', { name: 'Letters' })
seen.twice = [twice.status, JSON.parse(twice.text)]
seen.ofOtherTenant = (await bob.send('POST', '/folders.json', { name: 'Letters' })).status
const wrong = await bob.send('POST', '/notes.json', { title: 'Stolen', folderId })
seen.folderOfOther = [wrong.status, JSON.parse(wrong.text)]
for (let at = 0; at < 45; at++) {
  const title = 'Note ' + String(at).padStart(2, '0')
  const saved = await ann.send('POST', '/notes.json', { title, folderId, countryId: japan.id })
  if (saved.status !== 201) throw new Error(saved.text)
}
const pages: string[][] = []
let path: string | undefined = '/notes.json?sort=title'
while (path !== undefined) {
  const page = await ann.send('GET', path)
  pages.push(JSON.parse(page.text).map(({ title }: { title: string }) => title))
  path = /<([^>]*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]?.replace(/^https?:[/][/][^/]*/, '')
}
seen.pages = pages.map((titles) => [titles.length, titles[0], titles.at(-1)])
seen.html = (await ann.send('GET', '/notes')).text.includes('Letters')
const notes = Note.scoped(ann.tenantId)
const [first] = await notes.include({ folder: noteFolder, country: noteCountry }).orderBy('title').limit(1).findAll()
seen.included = [first!.folder?.name, first!.country?.name]
seen.related = await notes.where(noteFolder, { name: 'Letters' }).count()
const record = '/notes/' + first!.id
seen.changed = (await ann.send('PUT', record + '.json', { title: 'Changed', folderId })).status
seen.stranger = [(await bob.send('GET', record + '.json')).status, (await bob.send('PUT', record + '.json', { title: 'x', folderId })).status]
seen.comment = (await ann.send('POST', record + '/comments.json', { body: 'Well' })).status
seen.comments = (await Comment.scoped(ann.tenantId).include({ note: commentNote }).findAll()).map(({ body, note }) => [body, note?.title])
seen.kept = (await ann.send('DELETE', '/folders/' + folderId + '.json')).status
const folders = Folder.scoped(ann.tenantId)
const upsert = () => folders.upsert(permitValues({ tenantId: ann.tenantId, name: 'Letters' }), { by: ['tenantId', 'name'] })
seen.upserted = (await upsert()).id === folderId
const found = await folders.createUnlessThere(permitValues({ tenantId: ann.tenantId, name: 'Letters' }), { by: ['tenantId', 'name'] })
seen.unlessThere = [found.isNew, found.row.id === folderId]
seen.updatedAll = await notes.where({ title: 'Note 01' }).updateAll(permitValues({ title: 'Note 1' }))
seen.locked = await currentDatabase().transaction(async () => (await folders.findByIdForUpdate(folderId))?.name)
const streamed: string[] = []
for await (const { title } of notes.query().orderBy('title').stream()) streamed.push(title)
seen.streamed = streamed.length
seen.all = await Note.unscoped.count()
seen.enqueued = (await ann.send('GET', '/touch')).text
seen.jobs = await runJobs()
const [comment] = await Comment.scoped(ann.tenantId).findAll()
seen.deleted = (await ann.send('DELETE', record + '/comments/' + comment!.id + '.json')).status
seen.gone = (await ann.send('DELETE', record + '.json')).status
console.log(JSON.stringify(seen))
await app.close()
`

describe.skipIf(!hasCitus)('a generated application on Citus', () => {
  let root: string
  let empty: EmptyDatabase
  let database: Database

  beforeAll(async () => {
    empty = await newCitusDatabase('citus_application')
    database = await openDatabase({ kind: 'postgres', url: empty.url, poolSize: 2 })
    root = newDistributedApplication()
    generate(root, `migration create_fw_sessions ${sessionMigrationText()}`)
  }, 120_000)
  afterAll(async () => {
    await database?.close()
    await empty?.drop()
    await removeFolder(root)
  })

  test('migrates: tables with owners are distributed together, the tables that they reference are on all nodes', async () => {
    const migrated = await fw({ cwd: root, env: { DATABASE_URL: empty.url } }, 'db:migrate')
    expect([migrated.code, migrated.said]).toEqual([0, expect.anything()])
    const kinds = await run(
      database,
      `select logicalrelid::text as name, partmethod::text as method, repmodel::text as copies, colocationid as group from pg_dist_partition order by 1`,
    )
    const of = (name: string) => kinds.find((each) => each['name'] === name)
    for (const name of ['notes', 'comments', 'tasks'])
      expect(of(name)).toMatchObject({ method: 'h', group: of('folders')!['group'] })
    for (const name of ['tenants', 'countries']) expect(of(name)).toMatchObject({ copies: 't' })
    for (const name of ['fw_jobs', 'fw_sessions']) expect(of(name)).toBeUndefined()
    const rows = await run(database, 'select name from fw_schema_migrations order by version')
    expect(rows.map(({ name }) => name)).toContain('create_notes')
  })

  test('serves two tenants: records, unique rules, pages by key, relations, locks, jobs, sessions', async () => {
    writeFileSync(join(root, 'program.ts'), program)
    const env = { ...visibleEnvironment(), DATABASE_URL: empty.url, FW_ENV: 'development' }
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [...sourceFlags, join(root, 'program.ts')],
      { cwd: root, env },
    )
    const seen = stdout.split('\n').find((line) => line.startsWith('{"created"'))
    expect(JSON.parse(seen ?? stdout)).toEqual({
      created: 201,
      twice: [400, { name: ['Name is already taken'] }],
      ofOtherTenant: 201,
      folderOfOther: [400, { folderId: ['Folder does not exist'] }],
      pages: [
        [20, 'Note 00', 'Note 19'],
        [20, 'Note 20', 'Note 39'],
        [5, 'Note 40', 'Note 44'],
      ],
      html: true,
      included: ['Letters', 'Japan'],
      related: 45,
      changed: 200,
      stranger: [404, 404],
      comment: 201,
      comments: [['Well', 'Changed']],
      kept: 409,
      upserted: true,
      unlessThere: [false, true],
      updatedAll: 1,
      locked: 'Letters',
      streamed: 45,
      all: 45,
      enqueued: 'enqueued',
      jobs: 1,
      deleted: 204,
      gone: 204,
    })
    const [sessions] = await run(database, 'select count(*)::int as count from fw_sessions')
    expect(sessions).toEqual({ count: 2 })
  })
})
