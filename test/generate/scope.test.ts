/** `fw g scaffold … --scope user`: the generated application reaches the records of the user who is logged in alone. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { loginFiles } from './distributed-application.ts'
import {
  change,
  contents,
  destroy,
  fw,
  generate,
  linkSources,
  newFolder,
  planned,
  removeFolder,
} from './folder.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 120_000 })

const headersOf = `  override headersOf(user: User) {
    return { authorization: \`Bearer \${createToken(user)}\` }
  }
`

/** A test of the generated application: two accounts, which log in by their forms. */
const strangers = `import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
import { Note } from '#model/note'
import { createVisitor } from '#test/log-in'

const app = await testApp(Bootstrap)
const headers = { 'sec-fetch-site': 'same-origin' }

it('is a stranger to the notes of another account, whose owner logs in by a password', async () => {
  const { visitor: owner } = await createVisitor(app)
  const { visitor: stranger } = await createVisitor(app)
  await owner.get('/notes/new')
  const saved = await owner.post('/notes', { form: { title: 'mine' } })
  const path = saved.location ?? ''
  await stranger.get('/notes/new')
  for (const suffix of ['', '.json', '.xml']) {
    assert.equal((await owner.get(path + suffix)).status, 200)
    assert.equal((await stranger.get(path + suffix)).status, 404)
    assert.equal((await stranger.delete(path + suffix, { headers })).status, 404)
    const form = { title: 'taken' }
    assert.equal((await stranger.put(path + suffix, { form, headers })).status, 404)
    assert.ok(!(await stranger.get('/notes' + suffix)).body.includes('mine'))
  }
  const notes = await Note.unscoped.query().findAll()
  assert.deepEqual(notes.map(({ title }) => title), ['mine'])
})
`

const notes = 'scaffold notes note title:String folder:references photo:attachment? --scope user'

describe('a scope by hand', () => {
  let root: string
  const read = (path: string) => readFileSync(join(root, path), 'utf8')

  beforeAll(() => {
    root = newFolder()
    linkSources(root)
    generate(root, 'model user name:String')
    for (const [path, text] of loginFiles) writeFileSync(join(root, path), text)
    const bootstrap = 'src/main/bootstrap.ts'
    change(
      root,
      bootstrap,
      'import type',
      "import { createToken } from '#controller/api-controller'\nimport type",
    )
    const sessionOf = '  override sessionOf'
    change(root, bootstrap, sessionOf, `${headersOf}\n${sessionOf}`)
    generate(root, 'scaffold folders folder name:String --scope user')
    generate(root, notes)
    generate(root, 'scaffold comments comment body:text --parent notes --scope user')
    generate(root, 'api-resource tasks task title:String --scope user')
  })
  afterAll(() => removeFolder(root))

  it('writes a model without finders, a controller with the scope, and keys that contain the owner', () => {
    expect(read('src/main/model/note.ts')).toContain("{ scopedBy: 'userId' }")
    const controller = read('src/main/controller/notes-controller.ts')
    expect(controller).toContain('mix(ApplicationController, requireLogin, FileUploadFeature)')
    expect(controller).toContain('scope: (c) => c.currentUser.id,')
    expect(controller).toContain('this.findOptions(Folder.scoped(this.currentUser.id)')
    expect(controller).not.toContain('userId: ParamType')
    const folder = 'db/migration'
    const file = readdirSync(join(root, folder)).find((name) => name.endsWith('create_notes.sql'))
    const migration = read(`${folder}/${file}`)
    expect(migration).toContain('unique (user_id, id)')
    expect(migration).toContain('foreign key (user_id, folder_id) references folders (user_id, id)')
    expect(migration).toContain('create index on notes (user_id, title, id);')
  })

  it('compiles, and its tests pass; they find one finder that forgets the scope', async () => {
    generate(root, 'mailer reminder note:references')
    const checked = await fw(root, 'check')
    expect([checked.code, checked.said]).toEqual([0, expect.anything()])
    const tested = await fw(root, 'test')
    expect([tested.code, tested.said]).toEqual([0, expect.stringContaining('fail 0')])
    const path = 'src/main/controller/notes-controller.ts'
    const before = read(path)
    writeFileSync(
      join(root, path),
      before.replace(
        /\n}\n\nexport const notes/,
        '\n\n  override findResource(id: number) {\n    return Note.unscoped.findById(id)\n  }\n}\n\nexport const notes',
      ),
    )
    const mutant = await fw(root, 'test', 'src/test/controller/notes-controller.test.ts')
    writeFileSync(join(root, path), before)
    expect(mutant.code).not.toBe(0)
    expect(mutant.said).toContain('reaches no record of another user, in HTML, JSON and XML')
  })
})

describe('beside the accounts of fw g authentication', () => {
  let root: string
  beforeAll(() => {
    root = newFolder()
    linkSources(root)
    generate(root, 'authentication')
    generate(root, 'scaffold notes note title:String --scope user')
    generate(root, 'api-resource tasks task text:String --scope user')
    writeFileSync(join(root, 'src/test/strangers.test.ts'), strangers)
  })
  afterAll(() => removeFolder(root))

  it('has no mistakes, and all its tests pass: those of accounts, and of the records of another user', async () => {
    const checked = await fw(root, 'check')
    expect([checked.code, checked.said]).toEqual([0, expect.stringContaining(' 0 mistakes')])
    const { code, said } = await fw(root, 'test')
    expect([code, said]).toEqual([0, expect.stringMatching(/fail 0\b/)])
    const passed = said.split('\n').filter((line) => /^\s*✔ /.test(line))
    for (const name of [
      'reaches no record of another user, in HTML, JSON and XML',
      'reaches no record of another user, in JSON and XML',
      'is a stranger to the notes of another account, whose owner logs in by a password',
      'leads back to the page that required it',
      'allows what its scopes contain',
    ])
      expect(passed.filter((line) => line.includes(name))).toHaveLength(1)
  })
})

describe('without an owner', () => {
  let root: string
  beforeAll(() => {
    root = newFolder()
  })
  afterAll(() => removeFolder(root))

  it('says what is missing', () => {
    const plan = (line: string) => () => planned(root, line)
    const scaffold = 'scaffold notes note title:String --scope user'
    expect(plan(scaffold)).toThrow('There is no model in src/main/model/user.ts')
    generate(root, 'model user name:String')
    expect(plan(scaffold)).toThrow('application-controller.ts has no currentUser')
    expect(plan(scaffold)).toThrow('./fw g authentication')
    expect(plan('api-resource notes note title:String --scope user')).toThrow('api-controller.ts')
    for (const [path, text] of loginFiles) writeFileSync(join(root, path), text)
    const before = contents(root)
    generate(root, scaffold)
    destroy(root, scaffold)
    expect(Object.keys(contents(root))).toEqual(Object.keys(before))
    generate(root, scaffold)
    expect(plan('scaffold files file note:references')).toThrow('--scope user')
    expect(plan('scaffold files file name:String --parent notes')).toThrow('--scope user')
    expect(plan('model file name:String --scope user')).toThrow('--scope is for scaffold')
  })
})
