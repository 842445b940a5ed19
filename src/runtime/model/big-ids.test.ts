/** Ids beyond 2^53, on every engine. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useDatabase } from '../db.ts'
import { engines, type OpenEngine } from '../db/engines.fixture.ts'
import { belongsTo, hasMany, model } from '../model.ts'
import { ParamType, permitValues } from '../params.ts'

const Event = model('events', {
  id: ParamType.BigInt,
  name: ParamType.String,
  parentId: ParamType.optional(ParamType.BigInt),
})
const eventParent = belongsTo(Event, 'parentId', Event)
const eventChildren = hasMany(Event, Event, 'parentId')
const NumberEvent = model('events', {
  id: ParamType.Long,
  name: ParamType.String,
  parentId: ParamType.optional(ParamType.Long),
})

/** Both become 2^53 + 2 as numbers. */
const first = 9_007_199_254_740_993n
const second = 9_007_199_254_740_995n
const largest = 9_223_372_036_854_775_807n

describe.each(engines)('64-bit ids on $name', (engine) => {
  let open: OpenEngine
  beforeAll(async () => {
    open = await engine.open()
    useDatabase(open.database)
    const run = (sql: string) => open.database.query({ sql, parameters: [] })
    await run(
      'create table events (id bigint primary key, name text not null, parent_id bigint references events)',
    )
    await run(
      `insert into events values (${first}, 'first', null), (${second}, 'second', ${first}), (${largest}, 'largest', ${first})`,
    )
  })
  afterAll(async () => {
    useDatabase(undefined)
    await open.close()
  })

  test('a column of type BigInt reads, writes and joins them without loss', async () => {
    expect((await Event.findById(second))?.name).toBe('second')
    expect((await Event.findById(largest))?.id).toBe(largest)
    const [child] = await Event.where({ name: 'largest' })
      .include({ parent: eventParent })
      .findAll()
    expect(child?.parent).toMatchObject({ id: first, name: 'first' })
    const [parent] = await Event.where({ id: first }).include({ children: eventChildren }).findAll()
    expect(parent?.children.map(({ id }) => id).toSorted()).toEqual([second, largest])
    await Event.updateById(second).withPermittedAttributes(permitValues({ name: 'new' }, 'name'))
    expect((await Event.findById(second))?.name).toBe('new')
    expect((await Event.findById(first))?.name).toBe('first')
  })

  test('a column of type Long has their text, and fails where code calculates with it', async () => {
    const rows = await NumberEvent.findAll()
    expect(rows.map(({ id }) => String(id))).toEqual([first, second, largest].map(String))
    expect(JSON.stringify(rows[0])).toContain(`"id":${first},`)
    expect(() => rows[0]!.id + 1).toThrow(
      expect.objectContaining({ code: 'db.value-out-of-range' }),
    )
    const [child] = await NumberEvent.where({ name: 'largest' })
      .include({ parent: belongsTo(NumberEvent, 'parentId', NumberEvent) })
      .findAll()
    expect(child?.parent?.name).toBe('first')
  })

  test('the parameter of a route is parsed without loss', () => {
    expect(ParamType.BigInt.parse(String(second))).toBe(second)
    expect(ParamType.Long.parse(String(second))).toBeUndefined()
  })
})
