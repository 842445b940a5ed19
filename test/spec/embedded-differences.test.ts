/** The table "What differs from a server" of docs/data.md: each row is checked on the embedded database and on a server. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  currentDatabase,
  isRetryable,
  outsideTransaction,
  sentStatements,
  logStatements,
  useDatabase,
  type Database,
} from '../../src/runtime/db.ts'
import { engines } from '../../src/runtime/db/engines.fixture.ts'
import { model } from '../../src/runtime/model.ts'
import { ParamType } from '../../src/runtime/params.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/data.md'), 'utf8')
const section = page.slice(
  page.indexOf('### What differs from a server'),
  page.indexOf('### Connections'),
)
const rows = [...section.matchAll(/^\| (.+?) \| (.+?) \| (.+?) \|$/gm)].map(
  ([, subject]) => subject!,
)

const sql = (text: string) => ({ sql: text, parameters: [] })
const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (isRetryable(error) ? 'conflict' : (error as { code?: string }).code),
  )
const insert = (n: number) => currentDatabase().query(sql(`insert into t values (${n})`))
const T = model('t', { n: ParamType.Int }, { primaryKey: 'n' })

/** A transaction that has written, until `end` is called. */
async function hold(database: Database) {
  const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const ended = database.transaction(async () => {
    await insert(1)
    begun.resolve()
    await over.promise
  })
  await begun.promise
  return {
    end: () => {
      over.resolve()
      return ended
    },
  }
}

/** The first column of the table → what is observed on the embedded database, on a server, and how. */
const differences: Readonly<
  Record<string, readonly [unknown, unknown, (database: Database) => unknown]>
> = {
  connections: [1, 3, ({ pool }) => pool.size],
  'a transaction': [
    ['transaction', 'other'],
    ['other', 'transaction'],
    async (database) => {
      const order: string[] = []
      const { end } = await hold(database)
      const other = insert(2).then(() => order.push('other'))
      if (database.pool.size > 1) await other
      await end()
      order.push('transaction')
      await other
      return order
    },
  ],
  '[`outsideTransaction`](transactions.md#savepoints) after its first write': [
    ['db.only-connection', 'done'],
    ['done', 'done'],
    async (database) => {
      let later: Promise<unknown> | undefined
      const awaited = await database.transaction(async () => {
        await insert(1)
        return outcome(outsideTransaction(() => insert(2)))
      })
      await database.transaction(async () => {
        await insert(3)
        later = outsideTransaction(() => insert(4))
      })
      return [awaited, await outcome(later!)]
    },
  ],
  'the write of a session in a read-only route': [
    [[], [1]],
    [[], []],
    (database) =>
      database.transaction(
        async () => {
          const before = await T.query().findAll()
          await outsideTransaction(() => insert(1))
          const after = await T.query().findAll()
          return [before, after.map(({ n }) => n)]
        },
        { readOnly: true, isolation: 'repeatable read' },
      ),
  ],
  'conflicts, deadlocks, waits for locks': [
    ['done', 'done'],
    ['done', 'conflict'],
    async (database) => {
      const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
      const run = (own: 0 | 1) =>
        outcome(
          database.transaction(
            async () => {
              await T.query().findAll()
              both[own].resolve()
              // Both have read, if both can be open at the same time.
              if (database.pool.size > 1) await both[1 - own]!.promise
              await insert(own)
            },
            { isolation: 'serializable' },
          ),
        )
      return (await Promise.all([run(0), run(1)])).toSorted().toReversed()
    },
  ],
  '`statementTimeout`, a disconnect, `server.handlerTimeout`': [
    'done',
    'db.statement-timeout',
    (database) => outcome(database.query(sql('select pg_sleep(0.4)'))),
  ],
  '[`stream()`](#large-exports) of a model': [
    1,
    3,
    async () => {
      for (let n = 0; n < 4; n++) await insert(n)
      return logStatements(async () => {
        for await (const row of T.query().stream({ batchSize: 2 })) expect(row.n).toBeLessThan(4)
        return sentStatements().filter(({ sql: text }) => /^(select|fetch)/.test(text)).length
      })
    },
  ],
  '`listen` and `notify`': [false, true, ({ connectListener }) => connectListener !== undefined],
}

const first = async <T>(text: string) =>
  Object.values((await currentDatabase().query<Record<string, T>>(sql(text))).rows[0]!)[0]

/** The rows that only the embedded database determines: that of a server depends on its installation. */
const embedded: Readonly<Record<string, readonly [unknown, () => unknown]>> = {
  role: [true, () => first('select rolsuper from pg_roles where rolname = current_user')],
  'order of texts': [true, () => first("select 'B' < 'a'")],
  'a crash of the machine': ['off', () => first("select current_setting('fsync')")],
}

/** The rows that other files test. */
const elsewhere: Readonly<Record<string, string>> = {
  'another process, such as `fw console --sandbox`': 'test/cli/shared-database.test.ts',
  '`COPY` from or to a `PROGRAM`; from `stdin` without rows below it':
    'src/runtime/db/embedded-limits.test.ts',
}

test('the table of the page equals the ones here', () => {
  const all = [...Object.keys(differences), ...Object.keys(embedded), ...Object.keys(elsewhere)]
  expect(rows.filter((row) => row !== '---').toSorted()).toEqual(all.toSorted())
})

describe.each(engines)('$name', ({ name, open }) => {
  let own: Awaited<ReturnType<typeof open>>
  beforeEach(async () => {
    own = await open({ poolSize: 3, statementTimeout: 200 })
    useDatabase(own.database)
    await own.database.query(sql('create table t (n int primary key)'))
  })
  afterEach(async () => {
    useDatabase(undefined)
    await own.close()
  })

  test.each(Object.entries(differences))('%s', async (_row, [alone, server, observe]) => {
    expect(await observe(own.database)).toEqual(name === 'pglite' ? alone : server)
  })

  test.skipIf(name !== 'pglite').each(Object.entries(embedded))(
    '%s',
    async (_row, [expected, observe]) => {
      expect(await observe()).toBe(expected)
    },
  )
})
