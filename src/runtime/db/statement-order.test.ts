/** The statements of a transaction are sent in the order of their calls, also while the connection is being reserved. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from './database.ts'
import { enginesAndPooler, type OpenEngine } from './engines.fixture.ts'

describe.each(enginesAndPooler)('on $name', ({ open }) => {
  let engine: OpenEngine
  let database: Database
  const run = (sql: string) => database.query<{ n: number }>({ sql, parameters: [] })
  beforeAll(async () => {
    engine = await open()
    database = engine.database
    await run('create table kept (n int)')
  })
  afterAll(() => engine.close())

  // The savepoint is called in each of the first turns of the microtask queue, in which the writes still wait for the connection.
  test.each([...Array(16).keys()])(
    'the rollback to a savepoint that is set after %i turns keeps the writes before it',
    async (turns) => {
      for (const beginsAtWrite of [false, true]) {
        await run('delete from kept')
        const work = async () => {
          const written = [run('insert into kept values (1)'), run('insert into kept values (2)')]
          for (let at = 0; at < turns; at++) await Promise.resolve()
          const nested = database.transaction(async () => {
            await run('insert into kept values (3)')
            throw new Error('undone')
          })
          await expect(nested).rejects.toThrow('undone')
          await Promise.all(written)
        }
        await database.transaction(work, { beginsAtWrite })
        const { rows } = await run('select n from kept order by n')
        expect(rows.map(({ n }) => n)).toEqual([1, 2])
      }
    },
  )
})
