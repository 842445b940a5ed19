/** The table of statements in docs/data.md: what the pages of a generated resource send, with sessions in the database. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyDatabaseOn, hasTestServer } from '../../src/runtime/db/test-server.fixture.ts'
import { sessionMigrationText } from '../../src/runtime/session.ts'
import { runExample, type Running } from '../support/example.ts'
import { type Answer, ExampleVisitor } from '../support/example-visitor.ts'
import { PostgresProxy } from '../support/postgres-proxy.ts'
import { change, generate, linkSources, newFolder, removeFolder } from './folder.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/data.md'), 'utf8')
const section = /^## Statements of a page$([^]*?)^## /m.exec(page)![1]!
const rows = [...section.matchAll(/^\| (.*?) \| (.*?) \| (\d+) \|$/gm)].map(
  ([, request, statements, count]) => ({
    request: request!,
    statements: statements!.split(', '),
    count: Number(count),
  }),
)

const ann = { name: 'Ann', mail: 'ann@example.org' }
type Send = (visitor: ExampleVisitor) => Promise<Answer>
const requests: Readonly<Record<string, Send>> = {
  list: (visitor) => visitor.get('/members'),
  'list as JSON': (visitor) => visitor.get('/members.json'),
  show: (visitor) => visitor.get('/members/1'),
  new: (visitor) => visitor.get('/members/new'),
  edit: (visitor) => visitor.get('/members/1/edit'),
  'create, invalid': (visitor) => visitor.post('/members', { name: '' }),
  create: (visitor) => visitor.post('/members', { ...ann, mail: 'new@example.org' }),
  'the page after it': (visitor) => visitor.get('/members/2'),
  'create, refused by the database': (visitor) => visitor.post('/members', ann),
  'list of 20 with two references': (visitor) => visitor.get('/pets'),
  'show with two references': (visitor) => visitor.get('/pets/1'),
  'new with references to one table': (visitor) => visitor.get('/pets/new'),
  update: (visitor) => visitor.post('/members/1?_method=PUT', { ...ann, name: 'Anna' }),
}

const labels: readonly (readonly [RegExp, string])[] = [
  [/^(begin|commit|savepoint|release|rollback and chain)\b/, '$1'],
  // What a new connection of the pool sends.
  [/^show |^select current_setting\(/, ''],
  [/FROM servlet_sessions j/, 'session'],
  [/fw_session/, 'session write'],
  [/count\(\*\)/, 'count'],
  [/pg_constraint/, 'constraint'],
  [/= any\(/, 'related'],
  [/order by "\w+"\."name"(?: asc)? limit \$1$/, 'options'],
  [/^(insert|update|delete)/, '$1'],
  [/limit/, 'rows'],
  [/^select/, 'row'],
]
const label = (sql: string): string => {
  for (const [pattern, text] of labels) {
    const found = pattern.exec(sql.trim())
    if (found !== null) return text.replace('$1', () => found[1]!)
  }
  return sql
}

test('the table of the page equals this one', () => {
  expect(rows.map(({ request }) => request)).toEqual(Object.keys(requests))
})

describe.skipIf(!(await hasTestServer()))('the pages of a generated resource', () => {
  let root: string
  let drop: () => Promise<void>
  let proxy: PostgresProxy
  let running: Running
  let visitor: ExampleVisitor
  let sent: string[] = []

  beforeAll(async () => {
    root = newFolder()
    linkSources(root)
    const boot = 'src/main/bootstrap.ts'
    change(root, boot, 'FwLifeCycle,', 'FwLifeCycle, FwSessionInitializer,')
    change(root, boot, 'new Meth', "new FwSessionInitializer().mount(ctx, '/*')\n    new Meth")
    const sessions = 'db/migration/V20200101000000__sessions.sql'
    writeFileSync(join(root, sessions), sessionMigrationText())
    generate(root, 'scaffold members member name:String mail:String')
    generate(root, 'scaffold pets pet name:String member:references sitter:references?:member')
    const unique = 'db/migration/V29990101000000__unique.sql'
    writeFileSync(join(root, unique), 'create unique index on members (mail);')
    const database = await emptyDatabaseOn('statements')
    drop = database.drop
    proxy = new PostgresProxy(database.url)
    recordStatements(proxy)
    const url = await proxy.listen()
    running = await runExample(root, { DATABASE_URL: url })
    visitor = new ExampleVisitor(running.url)
    await visitor.get('/members/new')
    await visitor.post('/members', ann)
    for (let count = 0; count < 20; count++)
      await visitor.post('/pets', { name: `Pet ${count}`, memberId: '1', sitterId: '1' })
    await visitor.get('/members')
  })
  afterAll(async () => {
    await running?.process.end('SIGKILL')
    await proxy?.close()
    await drop?.()
    if (root !== undefined) await removeFolder(root)
  })

  /** Adds the label of each statement to `sent`. */
  function recordStatements(observed: PostgresProxy): void {
    const prepared = new Map<string, string>()
    observed.onClient = (type, text) => {
      const [first = '', second = ''] = text.split('\0')
      if (type === 'P') prepared.set(first, second)
      const sql = type === 'Q' ? first : type === 'B' ? prepared.get(second) : undefined
      const name = sql === undefined ? '' : label(sql)
      if (name !== '') sent.push(name)
      return 'pass'
    }
  }

  test.each(rows)('$request: $count', async ({ request, statements, count }) => {
    sent = []
    const { status } = await requests[request]!(visitor)
    expect(status).toBeLessThan(500)
    expect(sent).toEqual(statements)
    expect(sent).toHaveLength(count)
  })
})
