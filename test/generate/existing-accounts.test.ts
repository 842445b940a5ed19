/** `fw g authentication --over users`: accounts in an existing table, and the tables that it refuses. */
import { readdirSync, readFileSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { openDatabase, type Database } from '../../src/runtime/db.ts'
import {
  findGenerator,
  openProject,
  readDatabaseSchema,
  removeFiles,
  writeFiles,
} from '../../src/tools/generate.ts'
import { change, contents, fw, generate, linkSources, newFolder, removeFolder } from './folder.ts'

let root: string
beforeEach(() => {
  root = newFolder()
})
afterEach(() => removeFolder(root))

const generator = findGenerator('authentication')
const migrationsOf = (name: string) =>
  readdirSync(join(root, 'db/migration'))
    .filter((file) => file.includes(name))
    .map((file) => readFileSync(join(root, 'db/migration', file), 'utf8').split('\n-- down')[0]!)

let opened: Database
beforeAll(async () => {
  opened = await openDatabase({ kind: 'pglite', folder: 'memory' })
})
afterAll(() => opened.close())

async function run(statements: string): Promise<void> {
  for (const sql of statements.split(';').filter((one) => one.trim() !== ''))
    await opened.query({ sql, parameters: [] })
}
const project = async () => openProject(root, await readDatabaseSchema(opened))

/** Empties the database, and runs the statements. */
const prepare = (sql: string) => run(`drop schema public cascade; create schema public; ${sql}`)

const over = { over: 'users' }
const id = 'id bigint primary key'
const email = 'email text not null unique'

it(
  'adds what the table and its model lack, once, and takes it away',
  { timeout: 400_000 },
  async () => {
    generate(root, 'model user email:email:unique nick:String?')
    await prepare(migrationsOf('create_users')[0]!)
    await run(
      "insert into users (email, created_at, updated_at) values (E'\\t\\u00a0Ann@EXAMPLE.com\\u3000\\n ', now(), now()), ('ÄNNE@example.com', now(), now())",
    )
    const before = contents(root)
    writeFiles(root, generator.plan(await project(), [], over).files)
    const model = readFileSync(join(root, 'src/main/model/user.ts'), 'utf8')
    expect(model).toContain(`  passwordHash: ParamType.optional(ParamType.String),
  linkUsedAt: ParamType.optional(ParamType.DateTime),
}, { hidden: ['passwordHash'] })`)
    await run(migrationsOf('add_accounts_to_users')[0]!)
    await run(migrationsOf('create_logins')[0]!)
    const emails = await opened.query({
      sql: 'select email from users order by id',
      parameters: [],
    })
    const [ann, anne] = emails.rows.map((row) => (row as { email: string }).email)
    expect([ann, anne?.toLowerCase()]).toEqual(['ann@example.com', 'änne@example.com'])
    expect(anne).toMatch(/nne@example\.com$/)
    const again = writeFiles(root, generator.plan(await project(), ['user'], over).files)
    expect([...new Set(again.map(({ done }) => done))]).toEqual(['unchanged'])
    linkSources(root)
    expect(await fw(root, 'check')).toMatchObject({ code: 0 })
    const tested = await fw(root, 'test')
    expect([tested.code, tested.said]).toEqual([0, expect.stringMatching(/fail 0\b/)])
    unlinkSync(join(root, 'node_modules'))
    removeFiles(root, generator.removal(await project(), [], over).files)
    const after = contents(root)
    for (const path of ['src/main/model/user.ts', 'src/test/factory/user.ts'])
      expect(after[path]).toBe(before[path])
    expect(Object.keys(after).filter((path) => /accounts_to|account|logins/.test(path))).toEqual([])
  },
)

it('keeps columns, options and the factory that exist', async () => {
  generate(root, 'model user email:email:unique')
  const columns = 'id int primary key, email text not null unique, password_hash text, secret text'
  await prepare(`create table users (${columns})`)
  const path = 'src/main/model/user.ts'
  const text = `import { model, ParamType } from 'fwjs'

export const User = model(
  'users',
  {
    id: ParamType.Int,
    email: ParamType.String,
    passwordHash: ParamType.optional(ParamType.String),
    secret: ParamType.optional(ParamType.String),
  },
  { hidden: ['secret'] },
)
`
  const files = [{ path, text }]
  writeFiles(root, files, { force: true })
  writeFiles(root, generator.plan(await project(), [], over).files)
  const edited = text
    .replace("['secret']", "['secret', 'passwordHash']")
    .replace(
      'secret: ParamType.optional(ParamType.String),\n',
      '$&    linkUsedAt: ParamType.optional(ParamType.DateTime),\n',
    )
  expect(contents(root)[path]).toBe(edited)
  expect(migrationsOf('add_accounts_to_users')[0]).not.toContain('password_hash')
  removeFiles(root, generator.removal(await project(), [], over).files)
  expect(contents(root)[path]).toBe(edited.replace(/ +linkUsedAt.*\n/, ''))
})

it('quotes the name of a table that is a reserved word', async () => {
  await prepare(
    'create table "user" (id bigint generated always as identity primary key, email text not null unique)',
  )
  const path = 'src/main/model/user.ts'
  const text = "export const User = model('user', { id: ParamType.Long, email: ParamType.Email, })"
  writeFiles(root, [{ path, text }])
  writeFiles(root, generator.plan(await project(), [], { over: 'user' }).files)
  await run('insert into "user" (email) values (\'Ann@example.com\')')
  const names = ['add_accounts_to_user', 'logins', 'second_factors', 'passkeys', 'api_tokens']
  for (const name of names) await run(migrationsOf(name)[0]!)
  await run(
    "insert into logins (user_id, user_agent, created_at, updated_at) values (1, '', now(), now())",
  )
  const { rows } = await opened.query({
    sql: 'select email from "user" join logins on user_id = "user".id',
    parameters: [],
  })
  expect(rows).toEqual([{ email: 'ann@example.com' }])
})

it('finds a hidden field in quotes of both kinds', async () => {
  generate(root, 'model user email:email:unique')
  await prepare(`create table users (${id}, ${email}, password_hash text)`)
  const path = 'src/main/model/user.ts'
  const text =
    'export const User = model("users", { id: ParamType.Long, email: ParamType.Email, passwordHash: ParamType.String }, { hidden: ["passwordHash"] })'
  writeFiles(root, [{ path, text }], { force: true })
  writeFiles(root, generator.plan(await project(), [], over).files)
  expect(contents(root)[path]?.match(/passwordHash['"]/g)).toHaveLength(1)
})

it('adds no column for mailed links in an application without pages', async () => {
  await removeFolder(root)
  root = newFolder({ api: true })
  generate(root, 'model user email:email:unique')
  await prepare(migrationsOf('create_users')[0]!)
  writeFiles(root, generator.plan(await project(), [], over).files)
  expect(migrationsOf('add_accounts_to_users')[0]).not.toContain('link_used_at')
  expect(contents(root)['src/main/model/user.ts']).not.toContain('linkUsedAt')
})

it.each([
  ['no table', 'create table members (id int)', "no table 'users'"],
  ['a view', `create table t (${id}, ${email}); create view users as select * from t`, 'no table'],
  [
    'a key of another type',
    `create table users (id uuid primary key, ${email})`,
    'a number named id',
  ],
  ['another key', `create table users (no bigint primary key, ${email})`, 'a number named id'],
  ['no address', `create table users (${id})`, 'no text column email'],
  [
    'an address that is no text',
    `create table users (${id}, email bytea not null unique)`,
    'no text column email',
  ],
  [
    'addresses of NULL',
    `create table users (${id}, email text unique)`,
    'alter column email set not null',
  ],
  [
    'addresses that repeat',
    `create table users (${id}, email text not null)`,
    'add unique (email)',
  ],
  [
    'addresses unique with another column',
    `create table users (${id}, email text not null, n int, unique (email, n))`,
    'add unique (email)',
  ],
  [
    'a required column',
    `create table users (${id}, ${email}, nick text not null)`,
    'The column nick of users needs a value',
  ],
  [
    'a short column of hashes',
    `create table users (${id}, ${email}, password_hash varchar(60))`,
    'password_hash of users is of the type',
  ],
  [
    'another table of accounts',
    `create table users (${id}, ${email}); create table logins (id int)`,
    'already has a table logins',
  ],
])('refuses %s', async (_what, sql, message) => {
  generate(root, 'model user email:email:unique')
  await prepare(sql)
  const changed = await project()
  expect(() => generator.plan(changed, [], over)).toThrow(
    expect.objectContaining({
      code: 'generate.over-invalid',
      message: expect.stringContaining(message),
    }),
  )
})

it('refuses a table without a model, and other names', async () => {
  await prepare(`create table users (${id}, ${email})`)
  const changed = await project()
  expect(() => generator.plan(changed, [], over)).toThrow('./fw g reverse-model users')
  const path = 'src/main/model/user.ts'
  const owned = "export const User = model('users', {}, { scopedBy: 'teamId' })"
  writeFiles(root, [{ path, text: owned }])
  expect(() => generator.plan(changed, [], over)).toThrow('have owners')
  generate(root, 'model user address:email:unique', { force: true })
  expect(() => generator.plan(changed, [], over)).toThrow('needs the fields id')
  generate(root, 'model user email:email:unique', { force: true })
  expect(() => generator.plan(changed, ['member'], over)).toThrow('is user, not member')
  const clock = 'created_at timestamptz not null, updated_at timestamptz not null'
  await prepare(`create table users (${id}, ${email}, ${clock})`)
  const timed = await project()
  expect(() => generator.plan(timed, [], over)).not.toThrow()
  for (const [column, field] of [
    ['created_at', 'createdAt'],
    ['updated_at', 'updatedAt'],
  ] as const) {
    change(root, path, `  ${field}: ParamType.DateTime,\n`, '')
    const act = () => generator.plan(timed, [], over)
    expect(act).toThrow(`column ${column} of users needs a value, but the model in ${path}`)
    expect(act).toThrow(expect.objectContaining({ code: 'generate.over-invalid' }))
    generate(root, 'model user email:email:unique', { force: true })
  }
  const job = findGenerator('job')
  expect(() => job.plan(changed, ['clean'], over)).toThrow('--over is for authentication')
})
