/** The stack of a failed statement names the line that sent it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { model } from '../model.ts'
import { ParamType, permitValues } from '../params.ts'
import { logStatements, useDatabase, type Database } from '../db.ts'
import { engines, type OpenEngine } from './engines.fixture.ts'

const Missing = model('no_such_table', { id: ParamType.Long, name: ParamType.String })
const values = permitValues({ name: 'Ann' }, 'name')
const statement = { sql: 'select 1 from no_such_table', parameters: [] }

async function stackOf(work: () => unknown): Promise<string> {
  try {
    await work()
  } catch (error) {
    return (error as Error).stack!
  }
  throw new Error('no error')
}

describe.each(engines)('on $name', ({ open }) => {
  let engine: OpenEngine
  let database: Database
  beforeAll(async () => {
    engine = await open()
    database = engine.database
    useDatabase(database)
  })
  afterAll(async () => {
    useDatabase(undefined)
    await engine.close()
  })

  /** An action of an application: an asynchronous function that awaits the statement. */
  const awaited: Readonly<Record<string, () => Promise<unknown>>> = {
    findAll: async () => await Missing.findAll(),
    findById: async () => await Missing.findById(1),
    findBy: async () => await Missing.findBy({ name: 'Ann' }),
    count: async () => await Missing.count(),
    where: async () => await Missing.where({ name: 'Ann' }).findFirst(),
    'count of a query': async () => await Missing.where({ name: 'Ann' }).count(),
    create: async () => await Missing.createWithPermittedAttributes(values),
    update: async () => await Missing.updateById(1).withPermittedAttributes(values),
    delete: async () => await Missing.deleteById(1),
    kysely: async () => await database.kysely.selectFrom('no_such_table').selectAll().execute(),
    'a transaction': async () =>
      await database.transaction(async () => await database.query(statement)),
  }

  test.each(Object.entries(awaited))('%s', async (_name, work) => {
    const stack = await stackOf(work)
    expect(stack).toContain('no_such_table')
    expect(stack).toContain('call-site.test.ts')
    expect(stack.match(/^QueryError: /gm)).toHaveLength(1)
  })

  test('where statements are logged, also a call that is not awaited in its function', async () => {
    const notAwaited = (): Promise<unknown> => database.query(statement)
    const stack = await logStatements(() => stackOf(notAwaited))
    expect(stack).toContain('at notAwaited (')
  })

  test('the driver’s error stays the cause', async () => {
    const error = await Missing.findAll().catch((caught: unknown) => caught)
    expect((error as Error).cause).toMatchObject({ code: '42P01' })
  })
})
