/** `insertOwned`: the owner and the condition of each call. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useDatabase, type Database } from '../db.ts'
import { openInMemory } from '../db/engines.fixture.ts'
import { ParamType } from '../params.ts'
import { insertOwned } from './insert-owned.ts'
import { model } from './create-model.ts'

const User = model('users', { id: ParamType.Long })
const Admin = model('admins', { id: ParamType.Long })
const Lock = model('locks', { id: ParamType.Long, userId: ParamType.Long })
const Note = model('notes', {
  id: ParamType.Long,
  userId: ParamType.Long,
  title: ParamType.String,
  body: ParamType.String,
})

let database: Database
beforeAll(async () => {
  database = await openInMemory()
  await database.transaction(() =>
    database.currentTransaction()!.script(`
      create table users (id bigint primary key);
      create table admins (id bigint primary key);
      create table locks (id bigserial primary key, user_id bigint not null);
      create table notes (id bigserial primary key, user_id bigint not null, title text, body text);
      insert into users values (1), (2);
      insert into admins values (2);
      insert into locks (user_id) values (1);`),
  )
  useDatabase(database)
})
afterAll(async () => {
  useDatabase(undefined)
  await database.close()
})

test('the owner exists, no row prevents the insertion, and the text is that of the call', async () => {
  const insert = (owners: object, owner: number, field: string, unless?: object) =>
    insertOwned(Note, { owners, field: 'userId', unless }, owner, { field, value: field })
  expect(await insert(User, 1, 'title')).toBe(1)
  expect(await insert(Admin, 1, 'title')).toBeUndefined()
  expect(await insert(Admin, 2, 'title')).toBe(2)
  expect(await insert(User, 2, 'body')).toBe(3)
  expect(await insert(User, 1, 'body', Lock)).toBeUndefined()
  expect(await insert(User, 2, 'body', Lock)).toBe(4)
  const rows = await Note.findAll()
  expect(rows.map(({ userId, title, body }) => [userId, title ?? null, body ?? null])).toEqual([
    [1, 'title', null],
    [2, 'title', null],
    [2, null, 'body'],
    [2, null, 'body'],
  ])
})
