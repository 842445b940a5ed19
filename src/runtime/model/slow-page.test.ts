/** A slow page of a list is logged with the index that it needs. */
import { inspect } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../base.ts'
import { openDatabase, useDatabase } from '../db.ts'
import { engines } from '../db/engines.fixture.ts'
import { model } from '../model.ts'
import { ParamType } from '../params.ts'

const Item = model('items', {
  id: ParamType.Long,
  name: ParamType.String,
  isOpen: ParamType.Boolean,
  madeBy: ParamType.String,
})
const table =
  'create table items (id bigserial primary key, name text not null, is_open boolean not null, made_by text not null)'

async function openWith(threshold: number, { engine = engines[0]!, statementTimeout = 0 } = {}) {
  const indexes: unknown[] = []
  const logger = {
    ...silentLogger,
    warn: (fields: object, message: string) => {
      if (message.startsWith('slow page')) indexes.push((fields as { index: unknown }).index)
    },
  }
  const { database, settings, close } = await engine.open({
    logger,
    statementTimeout,
    slowQueries: { logger, threshold, values: false },
  })
  useDatabase(database)
  onTestFinished(() => useDatabase(undefined))
  onTestFinished(close)
  await database.query({ sql: table, parameters: [] })
  return { database, settings, indexes }
}

test('a slow page names the index of its filters and its order, or that of its search', async () => {
  const { indexes } = await openWith(0)
  await Item.paginate({ size: 5 })
  const sort = { field: 'name', direction: 'desc' } as const
  await Item.paginate({ size: 5, sort, filters: { isOpen: true } })
  await Item.paginate({ size: 5, sort, search: { text: 'a', fields: ['name', 'madeBy'] } })
  await Item.query().orderBy('name').orderBy('madeBy', 'desc').paginate({ size: 5 })
  expect(indexes).toEqual([
    'create index concurrently on "items" ("is_open", "name", "id")',
    'create extension if not exists pg_trgm; create index concurrently on "items" using gin ("name" gin_trgm_ops, "made_by" gin_trgm_ops)',
    'create index concurrently on "items" ("name", "made_by" desc, "id" desc)',
  ])
})

test('a slow page names no index that exists, and none for conditions that it does not know', async () => {
  const { indexes } = await openWith(0)
  await Item.paginate({ size: 5 })
  await Item.where({ madeBy: 'Ann' }).paginate({ size: 5, filters: { isOpen: true } })
  expect(indexes).toEqual([])
})

const server = engines.find(({ name }) => name === 'postgres')

test.runIf(server)(
  'a page that exceeds the time limit of statements names its index, too',
  async () => {
    const { settings, indexes } = await openWith(0, {
      engine: server!,
      statementTimeout: 100,
    })
    const other = await openDatabase(settings)
    const holder = await other.pool.reserve()
    try {
      for (const sql of ['begin', 'lock table items']) await holder.query({ sql, parameters: [] })
      const page = Item.paginate({ size: 5, filters: { isOpen: true } })
      await expect(page).rejects.toMatchObject({ code: 'db.statement-timeout' })
      expect(indexes).toEqual(['create index concurrently on "items" ("is_open", "id")'])
    } finally {
      await holder.query({ sql: 'rollback', parameters: [] })
      other.pool.release(holder)
      await other.close()
    }
  },
)

test('the console shows the rows of a page', async () => {
  const { database } = await openWith(0)
  await database.query({ sql: "insert into items values (7, 'Lamp', true, 'Ann')", parameters: [] })
  expect(inspect(await Item.paginate({ size: 5 }))).toContain("name: 'Lamp'")
})

test('a page below the limit is not logged', async () => {
  const { indexes } = await openWith(60_000)
  await Item.paginate({ size: 5 })
  expect(indexes).toEqual([])
})
