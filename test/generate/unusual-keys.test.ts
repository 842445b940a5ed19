/** Keys that are no primary key and no plain unique constraint: the reverse generators know them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { currentTransaction } from '../../src/runtime/db.ts'
import { openInMemory } from '../../src/runtime/db/engines.fixture.ts'
import { generateFromDatabase, newFolder, removeFolder } from './folder.ts'

const ddl = `create table users (id serial primary key, name text not null);
  create unique index on users (lower(name));
  create table plans (id serial primary key, code text not null, note text, deleted_at timestamptz);
  create unique index on plans (code) where deleted_at is null and note is null;
  create table "order.slugs" (slug varchar(40) not null unique, title text not null, other text unique);
  create unique index on "order.slugs" (upper(title))`

const root = newFolder()
let files: ReadonlyMap<string, string>
beforeAll(async () => {
  const database = await openInMemory()
  await database.transaction(() => currentTransaction()!.script(ddl))
  const plan = await generateFromDatabase(root, database)
  await database.close()
  files = new Map(plan.files.map(({ path, text }) => [path, text]))
})
afterAll(() => removeFolder(root))

test('the values of a unique index with an expression or a condition differ in a factory', () => {
  expect(files.get('src/test/factory/user.ts')).toMatch(/name: `.*\$\{count\}`,/)
  const plan = files.get('src/test/factory/plan.ts')
  expect(plan).toMatch(/code: `.*\$\{count\}`,/)
  expect(plan).not.toMatch(/note: .*count/)
  expect(files.get('src/test/factory/order-slug.ts')).toMatch(/title: `.*\$\{count\}`,/)
})

test('a unique column without NULL is the key of a table without a primary key', () => {
  expect(files.get('src/main/model/order-slug.ts')).toContain("primaryKey: 'slug'")
  expect(files.has('src/main/webapp/WEB-INF/views/order_slugs/show.html.ssp')).toBe(true)
})
