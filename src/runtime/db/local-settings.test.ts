/** Local settings on every engine: each statement has exactly those of its async context, and no other statement has them. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { randomBytes } from 'node:crypto'
import {
  isolateDatabase,
  runInTransaction,
  Transaction,
  withLocalSettings,
  type Database,
} from '../db.ts'
import { recordingLogger, type LogLine } from '../../../test/support/serve.ts'
import { PolicyCheck } from './policy-check.ts'
import { enginesAndPooler, hosted, type OpenEngine } from './engines.fixture.ts'
import { LocalSettings, runWithLocalSettings, type LocalSettingValues } from './local-settings.ts'

const sql = (text: string, parameters: unknown[] = []) => ({ sql: text, parameters })

const allEngines = [...enginesAndPooler, hosted]

describe.each(allEngines)('local settings on $name', ({ name: engine, open }) => {
  let own: OpenEngine
  let database: Database
  const role = `fw_role_${process.pid}_${randomBytes(4).toString('hex')}`

  beforeAll(async () => {
    own = await open({ poolSize: 3 })
    database = own.database
    for (const text of [
      'create table t (n int primary key deferrable initially deferred, tenant text)',
      'alter table t enable row level security',
      `create policy own on t using (tenant = current_setting('app.tenant'))`,
      `create role ${role}`,
      `grant all on t to ${role}`,
      `insert into t values (1, 'ann'), (2, 'bob')`,
    ])
      await database.query(sql(text))
  })
  afterAll(async () => {
    await database.query(sql(`drop owned by ${role}`))
    await database.query(sql(`drop role ${role}`))
    await own.close()
  })

  const current = sql(
    "select current_setting('app.tenant', true) as tenant, current_setting('app.user', true) as user_name, current_user::text as role",
  )
  const read = async (on: Pick<Database, 'query'> = database) => {
    const { rows } = await on.query<{ tenant: string; user_name: string; role: string }>(current)
    const { tenant, user_name: user, role: as } = rows[0]!
    return [tenant || '-', user || '-', as === role ? 'role' : 'owner']
  }
  const none = ['-', '-', 'owner']
  const ann = <T>(work: () => T) => withLocalSettings({ 'app.tenant': 'ann' }, work)
  const bobAs = <T>(work: () => T) => withLocalSettings({ 'app.tenant': 'bob', role }, work)

  test('a single statement has them, and the next one on its connection does not', async () => {
    const found = await Promise.all(
      Array.from({ length: 20 }, () => [ann(read), read(), bobAs(read)]).flat(),
    )
    for (let at = 0; at < found.length; at += 3)
      expect(found.slice(at, at + 3)).toEqual([['ann', '-', 'owner'], none, ['bob', '-', 'role']])
  })

  test('policies apply to a role that they restrict', async () => {
    const rows = async () => (await database.query<{ n: number }>(sql('select n from t'))).rows
    expect(await bobAs(rows)).toEqual([{ n: 2 }])
    expect(await rows()).toHaveLength(2)
  })

  test('a nested call adds to those around it', async () => {
    const found = ann(() => withLocalSettings({ 'app.user': 7, 'app.tenant': undefined }, read))
    expect(await found).toEqual(['-', '7', 'owner'])
    expect(await ann(() => withLocalSettings({ 'app.user': true }, read))).toEqual([
      'ann',
      'true',
      'owner',
    ])
  })

  test.each([
    "O'Neil",
    'back\\slash\\',
    '"quoted"',
    "\\'; drop table t; --",
    'ä€😀',
    '$1 $$',
    '',
    '\n',
  ])('the value %j arrives unchanged', async (value) => {
    for (const conforming of ['on', 'off']) {
      await database.transaction(async () => {
        await database.query(sql(`set local standard_conforming_strings = ${conforming}`))
        const found = await withLocalSettings({ 'app.tenant': value }, () =>
          database.query(current),
        )
        expect(found.rows).toMatchObject([{ tenant: value }])
      })
    }
    const found = await withLocalSettings({ 'app.tenant': value }, () => database.query(current))
    expect(found.rows).toMatchObject([{ tenant: value }])
  })

  test('a reserved word and a name with several parts are names', async () => {
    const values = { 'app.user': 'u', 'request.jwt.claims': '{}' }
    const { rows } = await withLocalSettings(values, () =>
      database.query(
        sql("select current_setting('app.user') as u, current_setting('request.jwt.claims') as c"),
      ),
    )
    expect(rows).toEqual([{ u: 'u', c: '{}' }])
  })

  test('in a transaction, each statement has those of its own context', async () => {
    await database.transaction(async () => {
      expect(await read()).toEqual(none)
      expect(await ann(read)).toEqual(['ann', '-', 'owner'])
      expect(await bobAs(read)).toEqual(['bob', '-', 'role'])
      expect(await ann(read)).toEqual(['ann', '-', 'owner'])
      expect(await read()).toEqual(none)
      const mixed = await Promise.all([ann(read), bobAs(read), read(), ann(read)])
      expect(mixed.map(([tenant]) => tenant)).toEqual(['ann', 'bob', '-', 'ann'])
    })
    expect(await read()).toEqual(none)
  })

  test('a transaction inside has them from its first statement on, also after failures and savepoints', async () => {
    await bobAs(() =>
      database.transaction(async () => {
        const undone = (text: string) =>
          database.transaction(() => database.query(sql(text))).catch(() => {})
        await undone('select 1 / 0')
        expect(await read()).toEqual(['bob', '-', 'role'])
        await ann(() => undone('select 1 / 0'))
        expect(await read()).toEqual(['bob', '-', 'role'])
        await database.transaction(() => ann(read))
        expect(await read()).toEqual(['bob', '-', 'role'])
      }),
    )
  })

  test('after an undone savepoint, a statement without settings has none', async () => {
    await database.transaction(async () => {
      await bobAs(read)
      const failing = database.transaction(async () => {
        await ann(read)
        throw new Error('undone')
      })
      await failing.catch(() => {})
      expect(await read()).toEqual(none)
    })
  })

  test('a transaction that begins at its first write has them before and after', async () => {
    const transaction = new Transaction(database, { beginsAtWrite: true })
    const inside = {
      query: <Row>(one: ReturnType<typeof sql>) =>
        bobAs(() => runInTransaction(transaction, () => database.query<Row>(one))),
    }
    const savepoint = await transaction.savepoint()
    expect(await read(inside)).toEqual(['bob', '-', 'role'])
    await inside.query(sql("insert into t values (9, 'bob')"))
    await savepoint.undo()
    expect(await read(inside)).toEqual(['bob', '-', 'role'])
    await transaction.rollback()
  })

  test("Kysely's statements, transactions and savepoints have them", async () => {
    const { kysely } = database
    const tenants = async (on = kysely) =>
      (await on.selectFrom('t').select('tenant').execute()).map(({ tenant }) => tenant)
    await bobAs(async () => {
      expect(await tenants()).toEqual(['bob'])
      await kysely
        .transaction()
        .execute(async (inner) => expect(await tenants(inner as never)).toEqual(['bob']))
      const outer = await kysely.startTransaction().execute()
      const saved = await outer.savepoint('a').execute()
      expect(await tenants(saved as never)).toEqual(['bob'])
      await saved.rollbackToSavepoint('a').execute()
      expect(await tenants(outer as never)).toEqual(['bob'])
      await outer.rollback().execute()
    })
  })

  test('statements and scripts that are sent to the transaction itself have them', async () => {
    await database.transaction(async () => {
      const transaction = database.currentTransaction()!
      await database.query(sql('create temporary table seen (tenant text, as_role text)'))
      await database.query(sql(`grant all on seen to ${role}`))
      const see = "insert into seen select current_setting('app.tenant', true), current_user"
      expect(await bobAs(() => read(transaction))).toEqual(['bob', '-', 'role'])
      expect(await read(transaction)).toEqual(none)
      await bobAs(() => transaction.script(`${see}; ${see}`))
      await ann(() => transaction.script(see))
      await ann(() => transaction.script('copy seen (tenant) from stdin', 'copied\n'))
      expect(await bobAs(() => read(transaction))).toEqual(['bob', '-', 'role'])
      await transaction.script(see)
      const { rows } = await database.query(
        sql('select tenant, as_role = $1 as is_role from seen', [role]),
      )
      expect(rows).toEqual([
        { tenant: 'bob', is_role: true },
        { tenant: 'bob', is_role: true },
        { tenant: 'ann', is_role: false },
        { tenant: 'copied', is_role: null },
        { tenant: '', is_role: false },
      ])
      const refused = withLocalSettings({ 'app.tenant': 'a\0b' }, () => transaction.query(current))
      await expect(refused).rejects.toMatchObject({ code: 'db.parameter-invalid' })
    })
  })

  test('a savepoint is undone after a failure, also where the settings cannot be read', async () => {
    const values = (): LocalSettingValues => {
      throw new Error('no tenant')
    }
    await database.transaction(async () => {
      const undone = runWithLocalSettings(values, () => database.transaction(() => read()))
      await expect(undone).rejects.toThrow('no tenant')
      await expect(
        bobAs(() => database.transaction(() => database.query(sql('select 1 / 0')))),
      ).rejects.toThrow('division')
      expect(await read()).toEqual(none)
    })
  })

  test('a callback of afterCommit has those with which it was registered', async () => {
    const found = Promise.withResolvers<string[]>()
    await database.transaction(async () => {
      await read()
      ann(() =>
        database.currentTransaction()!.afterCommit(() => read().then(found.resolve, found.reject)),
      )
    })
    expect(await found.promise).toEqual(['ann', '-', 'owner'])
  })

  test('the values are read for each statement; a statement that reading them sends has none of them', async () => {
    let tenant = 'ann'
    let inner: Promise<string[]> | undefined
    const values = (): LocalSettingValues => {
      inner ??= read()
      return { 'app.tenant': tenant }
    }
    await runWithLocalSettings(values, async () => {
      expect(await read()).toEqual(['ann', '-', 'owner'])
      tenant = 'bob'
      expect(await read()).toEqual(['bob', '-', 'owner'])
    })
    expect(await inner).toEqual(none)
  })

  test('an invalid name or value is refused', async () => {
    for (const invalid of [
      'tenant',
      'App.tenant',
      'app.',
      '.x',
      'app.a b',
      "app.x'",
      'search_path',
      'app."x',
    ])
      expect(() => withLocalSettings({ [invalid]: 1 }, read)).toThrow(`'${invalid}'`)
    for (const value of [{}, null, Promise.resolve('x'), Symbol('x'), 'a\0b', ['x']])
      await expect(withLocalSettings({ 'app.tenant': value as never }, read)).rejects.toMatchObject(
        {
          code: 'db.parameter-invalid',
          message: expect.stringContaining('app.tenant') as string,
        },
      )
    await expect(withLocalSettings({ role: undefined }, read)).rejects.toMatchObject({
      code: 'db.parameter-invalid',
    })
    const failing = runWithLocalSettings(() => {
      throw new Error('no tenant')
    }, read)
    await expect(failing).rejects.toThrow('no tenant')
  })

  test('settings that the server refuses are the error, which does not contain their values', async () => {
    const values = { 'app.tenant': 'secret', role: 'no_such_role' }
    const single = withLocalSettings(values, read)
    await expect(single).rejects.toThrow('role "no_such_role" does not exist')
    await expect(single).rejects.not.toThrow('secret')
    const inside = withLocalSettings(values, () => database.transaction(read))
    await expect(inside).rejects.toThrow('role "no_such_role" does not exist')
    await expect(inside).rejects.not.toThrow('secret')
    expect(await read()).toEqual(none)
  })

  test('a failure of the statement, or of its commit, is the error', async () => {
    await expect(ann(() => database.query(sql('select 1 / 0')))).rejects.toMatchObject({
      sqlState: '22012',
    })
    const twice = ann(() => database.query(sql('insert into t values (5), (5)')))
    await expect(twice).rejects.toMatchObject({ sqlState: '23505' })
    expect(await read()).toEqual(none)
  })

  test('a statement that refuses transactions does not run without the settings', async () => {
    await expect(ann(() => database.query(sql('vacuum t')))).rejects.toMatchObject({
      sqlState: '25001',
    })
    await database.query(sql('vacuum t'))
  })

  test('the database of a test resets them', async () => {
    const isolated = await isolateDatabase(database)
    onTestFinished(() => isolated.end())
    const inside = () => read(isolated.database)
    expect(await bobAs(inside)).toEqual(['bob', '-', 'role'])
    expect(await inside()).toEqual(none)
    await bobAs(() => isolated.database.transaction(inside))
    expect(await inside()).toEqual(none)
    await bobAs(() => isolated.database.query(sql('select 1 / 0'))).catch(() => {})
    expect(await inside()).toEqual(none)
    expect(await ann(inside)).toEqual(['ann', '-', 'owner'])
  })

  test('a warning says once that policies do not restrict the role', async () => {
    const lines: LogLine[] = []
    const check = async (values: LocalSettingValues) => {
      const isolated = await isolateDatabase(database)
      Object.assign(isolated.database, { logger: recordingLogger(lines) })
      for (let at = 0; at < 2; at++) await withLocalSettings(values, () => read(isolated.database))
      await isolated.end()
      return lines.splice(0)
    }
    expect(await check({ 'app.tenant': 'ann' })).toMatchObject([
      {
        level: 'warn',
        fields: { tables: ['t'] },
        message: expect.stringContaining('does not restrict') as string,
      },
    ])
    expect(await check({ 'app.tenant': 'ann', role })).toEqual([])
    expect(await check({})).toEqual([])
  })

  test('a failed check is repeated after a minute, not with each statement', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1000)
    onTestFinished(() => clock.mockRestore())
    const checks: Promise<unknown>[] = []
    const pool = {
      query: (statement: Parameters<Database['query']>[0]) => {
        checks.push(database.pool.query(statement))
        return checks.at(-1)
      },
    }
    const check = new PolicyCheck({ pool, logger: recordingLogger([]) } as never)
    const begin = async () => {
      check.begin(new LocalSettings({ role: 'no_such_role' }))
      await Promise.allSettled(checks)
      return checks.length
    }
    expect([await begin(), await begin()]).toEqual([1, 1])
    clock.mockReturnValue(62_000)
    expect([await begin(), await begin()]).toEqual([2, 2])
  })

  test.skipIf(engine !== 'postgres')('a schema change between two runs is no error', async () => {
    const statement = { ...sql('select * from changing'), name: 'changing' }
    await database.query(sql('create table changing (a int)'))
    for (let at = 0; at < 6; at++) await ann(() => database.query(statement))
    await database.query(sql('alter table changing alter a type text'))
    for (let at = 0; at < 6; at++)
      expect((await ann(() => database.query(statement))).rows).toEqual([])
  })
})
