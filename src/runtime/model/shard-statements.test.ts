/** What Citus requires of a model's statements, on servers without it: no volatile function in an update, errors without names. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useDatabase, type Database } from '../db.ts'
import { engines, type OpenEngine } from '../db/engines.fixture.ts'
import { model } from '../model.ts'
import { ParamType, permitValues } from '../params.ts'
import { addMicrosecond } from './model-sql.ts'

const Note = model(
  'notes',
  {
    id: ParamType.Long,
    userId: ParamType.Long,
    title: ParamType.String,
    updatedAt: ParamType.DateTime,
    deletedAt: ParamType.optional(ParamType.DateTime),
  },
  { scopedBy: 'userId', softDelete: 'deletedAt' },
)
const tables = [
  `create table notes (id bigserial, user_id bigint not null, title text not null, updated_at timestamptz not null,
    deleted_at timestamptz, primary key (user_id, id), unique (user_id, title))`,
  'create table updates (id bigserial, sql text)',
  `create function record_update() returns trigger language plpgsql as
    $$ begin insert into updates (sql) values (current_query()); return new; end $$`,
  'create trigger record before update on notes for each row execute function record_update()',
  `create function refuse() returns trigger language plpgsql as
    $$ begin raise 'refused' using errcode = new.title, detail = 'Key (user_id, title)=(1, x) is refused.'; end $$`,
]

describe.each(engines)('on $name', ({ open }) => {
  let engine: OpenEngine
  let database: Database
  const run = (sql: string) => database.query<{ sql: string }>({ sql, parameters: [] })

  beforeAll(async () => {
    engine = await open()
    database = engine.database
    useDatabase(database)
    for (const sql of tables) await run(sql)
  })
  afterAll(async () => {
    useDatabase(undefined)
    await engine.close()
  })

  test('an update sets its time by a function that is not volatile', async () => {
    const notes = Note.scoped(1)
    const titled = (title: string) => permitValues({ title }, 'title')
    const by = { by: ['userId', 'title'] } as const
    const { id } = await notes.create(titled('one'))
    const { updatedAt } = await notes.upsert(titled('one'), by)
    await notes.updateById(id).withPermittedAttributes(titled('two'))
    await notes.touch(id)
    await notes.where({ title: 'two' }).updateAll(titled('three'))
    const found = await notes.findById(id)
    expect(found!.updatedAt.epochNanoseconds).toBeGreaterThan(updatedAt.epochNanoseconds)
    await notes.deleteById(id)
    await notes.create(titled('four'))
    await notes.where({ title: 'four' }).deleteAll()
    const { rows } = await run('select sql from updates order by id')
    expect(rows).toHaveLength(6)
    for (const { sql } of rows) expect(sql).not.toMatch(/\bset\b.*(clock_timestamp|random)/s)
  })

  test('an update has only immutable functions of its columns', async () => {
    // PostgreSQL refuses any other function in an index.
    await run(`create index next_time on notes ((${addMicrosecond('updated_at')}))`)
    await run('drop index next_time')
  })

  test('the time of a change is never before that of the last change, although a statement that waits began earlier', async () => {
    const notes = Note.scoped(2)
    const titled = (title: string) => permitValues({ title }, 'title')
    const { id } = await notes.create(titled('a'))
    // The last change of a transaction for which the next statement waits.
    await run("update notes set updated_at = '2100-01-01' where user_id = 2")
    const changes = [
      () => notes.updateById(id).withPermittedAttributes(titled('b')),
      () => notes.touch(id),
      () => notes.where({ title: 'b' }).updateAll(titled('c')),
    ]
    let last = (await notes.findById(id))!.updatedAt
    for (const change of changes) {
      await change()
      const { updatedAt } = (await notes.findById(id))!
      expect(updatedAt.epochNanoseconds).toBeGreaterThan(last.epochNanoseconds)
      last = updatedAt
    }
    const { updatedAt } = await notes.upsert(titled('c'), { by: ['userId', 'title'] })
    expect(updatedAt.epochNanoseconds).toBeGreaterThanOrEqual(last.epochNanoseconds)
    await run('truncate notes')
  })

  test('an error without names of table and constraint names the fields of its detail', async () => {
    const refusals = async (state: string, values: { title?: string }) => {
      const write = Note.scoped(1).create(permitValues({ title: state }, 'title'))
      const error: unknown = await write.catch((thrown: unknown) => thrown)
      return Note.refusals(error, permitValues(values, 'title'))
    }
    await run('create trigger refuse before insert on notes for each row execute function refuse()')
    const named = (reason: string) => [
      { field: 'userId', reason },
      { field: 'title', reason },
    ]
    expect(await refusals('23505', { title: 'x' })).toEqual(named('taken'))
    expect(await refusals('23503', { title: 'x' })).toEqual(named('missing'))
    expect(await refusals('23503', {})).toEqual(named('used'))
    await run('drop trigger refuse on notes')
  })
})
