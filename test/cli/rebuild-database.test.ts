/** `fw db:create`, `db:drop`, `db:reset` and `db:redo` on a server and on the embedded database. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/runtime/db.ts'
import {
  databaseName,
  hasTestServer,
  runOnServer,
  testServerUrl,
} from '../../src/runtime/db/test-server.fixture.ts'
import { emptyFolder, fw, linkSources, removeFolder } from '../generate/folder.ts'

const slow = 120_000
const servers = (await hasTestServer()) ? ['postgres', 'embedded'] : ['embedded']

describe.each(servers)('the commands of a new database, %s', (kind) => {
  const root = emptyFolder()
  const name = databaseName('rebuild')
  const url = new URL(testServerUrl)
  url.pathname = `/${name}`
  const environment = kind === 'postgres' ? { DATABASE_URL: url.href } : { DATABASE_URL: '' }
  const run = async (...args: string[]) => {
    const { code, said } = await fw({ cwd: root, env: environment }, ...args)
    return { code, said: said.trim() }
  }
  const write = (path: string, text: string) => writeFileSync(join(root, path), text)
  const rows = async () => {
    const settings = kind === 'postgres' ? url.href : undefined
    const database = await openDatabase(
      settings === undefined
        ? { kind: 'pglite', folder: join(root, 'db/data') }
        : { kind: 'postgres', url: settings, poolSize: 1 },
    )
    try {
      const sql = 'select name from members order by name'
      return (await database.query({ sql, parameters: [] })).rows.map((row) => row['name'])
    } finally {
      await database.close()
    }
  }

  beforeAll(() => {
    linkSources(root)
    mkdirSync(join(root, 'db/migration'), { recursive: true })
    mkdirSync(join(root, 'src/main'), { recursive: true })
    write('src/main/bootstrap.ts', 'export class Bootstrap {}\n')
    write('package.json', '{ "type": "module" }')
    write(
      'db/migration/V1__create_members.sql',
      'create schema own;\ncreate table members (name text not null);\n-- down\ndrop table members;\ndrop schema own;\n',
    )
    write('db/seed.sql', "insert into members values ('Ann')")
    write('db/seed.development.sql', "insert into members values ('Bob')")
    write('db/seed.production.sql', "insert into members values ('Cid')")
    write('db/schema.sql', '-- old\n')
  })
  afterAll(async () => {
    await removeFolder(root)
    if (kind === 'postgres') await runOnServer(`drop database if exists ${name} with (force)`)
  })

  test(
    'create, migrate, empty, redo and drop it',
    async () => {
      expect(await run('db:create')).toMatchObject({
        code: 0,
        said: expect.stringMatching(/^created the /m),
      })
      expect((await run('db:create')).said).toMatch(/^nothing to do/m)
      const early = await run('db:seed')
      expect(early).toMatchObject({ code: 1, said: expect.stringContaining('run fw db:migrate') })
      expect((await run('db:migrate')).said).toContain('applied 1 create_members')
      expect(readFileSync(join(root, 'db/schema.sql'), 'utf8')).toMatch(/create table/i)
      write(
        'db/migration/V2__add_mail.sql',
        'alter table members add mail text;\n-- down\nalter table members drop mail;\n',
      )
      const reset = await run('db:reset')
      expect(reset).toMatchObject({ code: 0 })
      expect(reset.said).toMatch(
        /emptied the database\napplied 1 create_members\napplied 2 add_mail\nran db\/seed\.sql\nran db\/seed\.development\.sql\nwrote db\/schema\.sql$/,
      )
      expect(await rows()).toEqual(['Ann', 'Bob'])
      expect((await run('db:redo', '--steps', '1')).said).toMatch(/applied 2 add_mail again$/)
      for (const late of ['V4__newer', 'V3__late']) {
        write(`db/migration/${late}.sql`, '-- nothing\n')
        const { code, said } = await run('db:migrate')
        expect(code).toBe(0)
        expect(said.includes('warning: a migration is late')).toBe(late === 'V3__late')
        expect(said.includes('file V3__late.sql, newest 4')).toBe(late === 'V3__late')
      }
      for (const name of ['V4__newer', 'V3__late']) rmSync(join(root, `db/migration/${name}.sql`))
      const production = { cwd: root, env: { ...environment, FW_ENV: 'production' } }
      const refused = await fw(production, 'db:drop')
      expect(refused).toMatchObject({
        code: 1,
        said: expect.stringContaining('fw db:drop --force'),
      })
      expect(await rows()).toEqual(['Ann', 'Bob'])
      expect(await run('db:drop')).toMatchObject({
        code: 0,
        said: expect.stringMatching(/^dropped the /m),
      })
      if (kind === 'embedded') expect(existsSync(join(root, 'db/data'))).toBe(false)
    },
    slow,
  )

  test(
    'squash all migrations into one baseline',
    async () => {
      await run('db:create')
      write(
        'db/migration/V2__add_mail.sql',
        'alter table members add mail text;\nrevoke set\n  on parameter work_mem from public;\n-- down\nalter table members drop mail;\n',
      )
      write(
        'db/migration/V3__add_age.sql',
        'alter table members add age integer;\nupdate members set age = 1;\nalter table members enable row level security;\nalter table members owner to current_user;\n',
      )
      write('db/migration/U3__add_age.sql', 'alter table members drop age;\n')
      expect(await run('db:squash')).toMatchObject({
        code: 1,
        said: expect.stringContaining('1 create_members is pending'),
      })
      await run('db:reset')
      const squashed = await run('db:squash')
      expect(squashed.said).toContain(
        [
          'wrote db/migration/B4__squashed.sql',
          'removed db/migration/V1__create_members.sql',
          'removed db/migration/V2__add_mail.sql',
          'removed db/migration/V3__add_age.sql',
          'removed db/migration/U3__add_age.sql',
          'wrote db/schema.sql',
          'check V3__add_age.sql: rows that it wrote belong in db/seed.sql now',
          ...['V2__add_mail.sql', 'V3__add_age.sql'].map(
            (file) =>
              `check ${file}: the baseline lacks what it does to the server: owners, tablespaces, members and settings of roles, settings and privileges of the database and of parameters; repeat it in a new migration`,
          ),
        ].join('\n'),
      )
      expect(readdirSync(join(root, 'db/migration'))).toEqual(['B4__squashed.sql'])
      const baseline = readFileSync(join(root, 'db/migration/B4__squashed.sql'), 'utf8')
      expect(baseline).toContain('alter table members enable row level security;')
      expect((await run('db:status')).said).toBe('applied   4  squashed')
      expect((await run('db:migrate')).said).toContain('nothing to do')
      expect(await rows()).toEqual(['Ann', 'Bob'])
      expect((await run('db:reset')).said).toContain('applied 4 squashed')
      expect(await rows()).toEqual(['Ann', 'Bob'])
      expect((await run('db:squash')).said).toContain('nothing to do')
      await run('db:drop')
    },
    slow,
  )
})

describe('a named database', () => {
  const root = emptyFolder()
  const run = async (...args: string[]) => {
    const { code, said } = await fw({ cwd: root, env: { DATABASE_URL: '' } }, ...args)
    return { code, said: said.trim() }
  }
  beforeAll(() => {
    linkSources(root)
    mkdirSync(join(root, 'src/main/resources'), { recursive: true })
    writeFileSync(join(root, 'src/main/bootstrap.ts'), 'export class Bootstrap {}\n')
    writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
    writeFileSync(
      join(root, 'src/main/resources/application.yml'),
      'db:\n  reports:\n    folder: db/reports\n',
    )
  })
  afterAll(() => removeFolder(root))

  test(
    'has migrations of its own',
    async () => {
      const named = ['--database', 'reports']
      const sql = 'create table sales (id bigint);\n-- down\ndrop table sales;'
      expect((await run('g', 'migration', 'create_sales', sql, ...named)).said).toMatch(
        /^created +db\/migration\/reports\/V\d+__create_sales\.sql$/m,
      )
      expect((await run('db:status', ...named)).said).toMatch(/^pending +\d+ +create_sales$/m)
      expect((await run('db:status')).said).toContain('there are no migrations')
      expect((await run('db:migrate', ...named)).said).toMatch(/^applied \d+ create_sales$/m)
      expect((await run('db:dump', ...named)).said).toContain('wrote db/schema.reports.sql')
      const dumped = readFileSync(join(root, 'db/schema.reports.sql'), 'utf8')
      expect(dumped).toContain('create table sales')
      expect((await run('db:rollback', ...named)).said).toMatch(/^rolled back \d+ create_sales$/m)
      expect(await run('db:status', '--database', 'report')).toMatchObject({
        code: 1,
        said: expect.stringContaining("no database 'report' (did you mean reports?)"),
      })
      expect(await run('g', 'model', 'sale', 'total:Int', ...named)).toMatchObject({
        code: 1,
        said: expect.stringContaining('--database is for migration, not for model'),
      })
    },
    slow,
  )

  test(
    'keeps db/schema.sql, and the migration, if the dump is refused',
    async () => {
      mkdirSync(join(root, 'db/migration'), { recursive: true })
      writeFileSync(join(root, 'db/schema.sql'), '-- old\n')
      writeFileSync(
        join(root, 'db/migration/V1__unchecked.sql'),
        'create table one (id int primary key); create table two (one_id int references one); alter table two disable trigger all',
      )
      const migrated = await run('db:migrate')
      expect(migrated).toMatchObject({ code: 0 })
      expect(migrated.said).toContain('applied 1 unchecked')
      expect(migrated.said).toMatch(
        /^db\/schema\.sql is out of date: The dump cannot contain the constraint two_one_id_fkey/m,
      )
      expect(readFileSync(join(root, 'db/schema.sql'), 'utf8')).toBe('-- old\n')
      expect((await run('db:reset')).said).toMatch(
        /^emptied the database\napplied 1 unchecked\ndb\/schema\.sql is out of date: /m,
      )
      expect(await run('db:dump')).toMatchObject({ code: 1 })
    },
    slow,
  )
})
