/** `fw g scaffold … --distributed-by tenant`, on a database without Citus; `test/citus` runs the same application on a cluster. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { loginFiles, newDistributedApplication } from './distributed-application.ts'
import { change, fw, generate, newFolder, planned, removeFolder } from './folder.ts'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 120_000 })

let root: string
beforeAll(() => {
  root = newDistributedApplication()
})
afterAll(() => removeFolder(root))

const read = (path: string) => readFileSync(join(root, path), 'utf8')
function migration(name: string): string {
  const file = readdirSync(join(root, 'db/migration')).find((each) => each.endsWith(`${name}.sql`))
  return read(`db/migration/${file}`)
}

it('puts the tenant into each key, and distributes the table if the database has Citus', () => {
  const folders = migration('create_folders')
  expect(folders).toContain('  id bigserial,\n')
  expect(folders).toContain('primary key (tenant_id, id)')
  expect(folders).toContain('unique (tenant_id, name)')
  expect(folders).not.toContain('not null unique')
  const notes = migration('create_notes')
  expect(notes).toContain('foreign key (tenant_id, folder_id) references folders (tenant_id, id)')
  // A note that references another one has the tenant in its key, too, and notes are not copied to all nodes.
  expect(notes).toContain(
    'alter table notes add foreign key (tenant_id, previous_id) references notes (tenant_id, id);',
  )
  expect(notes).toContain("if exists (select from pg_extension where extname = 'citus') then")
  expect(notes).toContain("unnest(array['tenants', 'countries'])")
  expect(notes).toContain("perform create_distributed_table('notes', 'tenant_id');")
  expect(migration('create_countries')).not.toContain('citus')
})

it('restricts controllers to the tenant of the user who is logged in', () => {
  const controller = read('src/main/controller/notes-controller.ts')
  expect(controller).toContain('scope: (c) => c.currentUser.tenantId,')
  expect(controller).toContain('this.findOptions(Folder.scoped(this.currentUser.tenantId)')
  expect(read('src/main/model/note.ts')).toContain("{ scopedBy: 'tenantId' }")
})

it('compiles, and its tests pass without Citus', async () => {
  const checked = await fw(root, 'check')
  expect([checked.code, checked.said]).toEqual([0, expect.anything()])
  const tested = await fw(root, 'test')
  expect([tested.code, tested.said]).toEqual([0, expect.stringContaining('fail 0')])
})

it('refuses what cannot be distributed, and a user without a tenant', () => {
  const plan = (line: string) => () => planned(root, line)
  const scaffold = 'scaffold files file name:String'
  expect(plan(`${scaffold} photo:attachment --distributed-by tenant`)).toThrow(
    'without attachments',
  )
  expect(plan(`${scaffold} --scope user --distributed-by tenant`)).toThrow('name two owners')
  expect(plan(`${scaffold} --parent folders --scope folder`)).toThrow('is their parent')
  expect(plan(`model file name:String --distributed-by tenant`)).toThrow(
    '--distributed-by is for scaffold',
  )
  expect(plan(`${scaffold} --distributed-by team`)).toThrow('src/main/model/team.ts')
  change(root, 'src/main/model/user.ts', 'tenantId: ParamType.Long,', '')
  expect(plan(`${scaffold} --distributed-by tenant`)).toThrow(
    'src/main/model/user.ts has no required field tenantId',
  )
})

describe('the user of an API', () => {
  const api = 'src/main/controller/api-controller.ts'
  const line = 'api-resource tasks task title:String --scope tenant'
  let folder: string
  beforeEach(() => {
    folder = newFolder()
    onTestFinished(() => removeFolder(folder))
    generate(folder, 'model tenant name:String')
  })

  /** Returns the scope of the generated controller, where `currentUser` is declared like this. */
  function scopeOf(currentUser: string, user = 'tenant:references'): string | undefined {
    generate(folder, `model user name:String ${user}`)
    const [, text] = loginFiles.find(([path]) => path === api)!
    expect(text).toContain('get currentUser(): User {')
    writeFileSync(join(folder, api), text.replace('get currentUser(): User', currentUser))
    const { files } = planned(folder, line)
    const controller = files.find(({ path }) => path.endsWith('tasks-controller.ts'))
    return /scope: .*/.exec(String(controller?.text))?.[0]
  }

  it.each([
    'get currentUser(): User',
    'get currentUser(): Readonly<User>',
    'declare currentUser: User',
  ])('has the tenant: %s', (declared) => {
    expect(scopeOf(declared)).toBe('scope: (c) => c.currentUser.tenantId,')
  })

  it('is the owner if it is named', () => {
    expect(scopeOf('get currentUser(): Guest | Tenant')).toBe('scope: (c) => c.currentUser.id,')
  })

  it('is refused if it is no model', () => {
    expect(() => scopeOf('get currentUser(): Account')).toThrow(
      'the type of currentUser names no model',
    )
  })

  it('is refused if its tenant is optional', () => {
    expect(() => scopeOf('get currentUser(): User', 'tenant:references?')).toThrow(
      'src/main/model/user.ts has no required field tenantId',
    )
  })
})
