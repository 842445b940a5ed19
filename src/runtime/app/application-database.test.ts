import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger } from '../base.ts'
import { Configuration, FwConfig, FwEnv } from '../config.ts'
import { currentDatabase, openDatabase, useDatabase, type Database } from '../db.ts'
import {
  additionalDatabaseNames,
  openAdditionalDatabases,
  openApplicationDatabase,
} from './application-database.ts'
import { FwLifeCycle } from './servlet-context.ts'
import { startApplication } from './start-application.ts'

// No server listens there; the first query would connect.
const url = 'postgres://postgres@127.0.0.1:1/none'
const configured = (db: object) => Configuration.from({ db }, new FwEnv('test'))
const reports = configured({ reports: { url } })

class Boot extends FwLifeCycle {
  override initFwApp(): void {}
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'fw-databases-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

const source = (root: string, configuration: Configuration) => ({
  root,
  configuration,
  logger: silentLogger,
})
const opened = (): Promise<Database> => openDatabase({ kind: 'postgres', url })
const start = async (configuration: Configuration, database?: Database | false) =>
  startApplication(new Boot(), {
    root: folder(),
    configuration,
    logger: silentLogger,
    ...(database === undefined ? {} : { database }),
  })

afterEach(() => {
  vi.unstubAllEnvs()
  FwConfig.use(undefined)
  useDatabase(undefined)
  useDatabase(undefined, 'reports')
})

describe('the embedded database in production', () => {
  const production = (db: object) => Configuration.from({ db }, new FwEnv('production'))

  test('is refused where no setting names its folder, with both remedies', async () => {
    vi.stubEnv('DATABASE_URL', '')
    const root = folder()
    const refused = openApplicationDatabase(source(root, production({ default: {} })))
    await expect(refused).rejects.toMatchObject({
      code: 'db.embedded-in-production',
      message: expect.stringMatching(/DATABASE_URL .* set db\.default\.folder\.$/) as string,
    })
    const others = openAdditionalDatabases(source(root, production({ reports: {} })))
    await expect(others).rejects.toMatchObject({ code: 'db.embedded-in-production' })
    expect(existsSync(join(root, 'db'))).toBe(false)
  })

  test('is opened where a setting names its folder, on purpose', async () => {
    vi.stubEnv('DATABASE_URL', '')
    const configuration = production({ default: { folder: 'memory' } })
    const database = await openApplicationDatabase(source(folder(), configuration))
    expect(database.engine).toBe('pglite')
    await database.close()
  })
})

describe('databases on demand', () => {
  const onDemand = (lifeCycle: FwLifeCycle, root: string) => {
    vi.stubEnv('DATABASE_URL', '')
    const configuration = configured({ default: {} })
    return startApplication(lifeCycle, { ...source(root, configuration), database: 'on-demand' })
  }

  test('open at the first query of the life cycle, and close with the application', async () => {
    const root = folder()
    class Querying extends FwLifeCycle {
      rows: readonly object[] = []
      override async initFwApp(): Promise<void> {
        const statement = { sql: 'select 1 as one', parameters: [] }
        this.rows = (await currentDatabase().query(statement)).rows
      }
    }
    const lifeCycle = new Querying()
    const app = await onDemand(lifeCycle, root)
    expect(lifeCycle.rows).toEqual([{ one: 1 }])
    await app.close()
    await (await onDemand(lifeCycle, root)).close()
  })

  test('stay closed without a query', async () => {
    const root = folder()
    const app = await onDemand(new Boot(), root)
    await app.close()
    expect(existsSync(join(root, 'db'))).toBe(false)
  })
})

describe('the global state of an application', () => {
  test('close() removes its database and its configuration', async () => {
    vi.stubEnv('DATABASE_URL', url)
    const app = await start(configured({}))
    expect(currentDatabase()).toBe(app.database)
    expect(FwConfig.current).toBe(app.configuration)
    await app.close()
    expect(() => currentDatabase()).toThrow("No database 'default' is open")
    expect(FwConfig.current).not.toBe(app.configuration)
  })

  test('close() keeps a database and a configuration that replaced its own', async () => {
    vi.stubEnv('DATABASE_URL', url)
    const app = await start(configured({}))
    const later = configured({})
    FwConfig.use(later)
    const own = await opened()
    useDatabase(own)
    await app.close()
    expect(currentDatabase()).toBe(own)
    expect(FwConfig.current).toBe(later)
    await own.close()
  })

  test('a failed start removes both', async () => {
    vi.stubEnv('DATABASE_URL', url)
    const wrong = Configuration.from({ csrf: { trustedOrigins: ['no origin'] } }, new FwEnv('test'))
    await expect(start(wrong)).rejects.toMatchObject({ code: 'session.origin-invalid' })
    expect(() => currentDatabase()).toThrow("No database 'default' is open")
    expect(FwConfig.current).not.toBe(wrong)
  })
})

describe('additional databases', () => {
  test('are opened with their settings, and closed with the application', async () => {
    vi.stubEnv('DATABASE_URL', 'postgres://postgres@127.0.0.1:1/default')
    const app = await start(reports, await opened())
    const database = currentDatabase('reports')
    expect(database.engine).toBe('postgres')
    await app.close()
    expect(() => currentDatabase('reports')).toThrow('Give db.reports.url')
    await expect(database.query({ sql: 'select 1', parameters: [] })).rejects.toMatchObject({
      code: 'db.closed',
    })
  })

  test('are not opened when no request will be sent', async () => {
    const app = await start(reports, false)
    expect(() => currentDatabase('reports')).toThrow("No database 'reports' is open")
    await app.close()
  })

  test('a registered name keeps its database, which stays open', async () => {
    const own = await opened()
    useDatabase(own, 'reports')
    const further = await openAdditionalDatabases(source(folder(), reports))
    expect(further.names).toEqual([])
    await further.close()
    expect(currentDatabase('reports')).toBe(own)
    await own.close()
  })

  test('if one cannot be opened, the others are closed', async () => {
    const taken = folder()
    const holder = await openDatabase({ kind: 'pglite', folder: join(taken, 'db/data-other') })
    onTestFinished(() => holder.close())
    const both = configured({ reports: { url }, other: {} })
    expect(additionalDatabaseNames(both)).toEqual(['reports', 'other'])
    await expect(openAdditionalDatabases(source(taken, both))).rejects.toMatchObject({
      code: 'db.folder-locked',
    })
    expect(() => currentDatabase('reports')).toThrow("No database 'reports' is open")
  })
})

describe('migrations of additional databases', () => {
  const stored = (root: string, more: object = {}) =>
    configured({ reports: { folder: join(root, 'data'), ...more } })
  const migration = 'create table sales (id bigint)'
  function prepared(): string {
    const root = folder()
    mkdirSync(join(root, 'db/migration/reports'), { recursive: true })
    writeFileSync(join(root, 'db/migration/reports/V1__create_sales.sql'), migration)
    return root
  }
  const startIn = (root: string, configuration: Configuration, migrate: boolean) =>
    startApplication(new Boot(), { root, configuration, logger: silentLogger, migrate })

  test('the start applies them in development, and checks them elsewhere', async () => {
    vi.stubEnv('DATABASE_URL', undefined)
    const root = prepared()
    const strict = stored(root, { pendingMigrations: 'error' })
    await expect(startIn(root, strict, false)).rejects.toMatchObject({
      code: 'db.migrations-pending',
      message: expect.stringContaining('fw db:migrate --database reports'),
    })
    const app = await startIn(root, strict, true)
    const sql = 'select count(*)::int as count from sales'
    expect((await currentDatabase('reports').query({ sql, parameters: [] })).rows).toEqual([
      { count: 0 },
    ])
    await app.close()
    await (await startIn(root, strict, false)).close()
  })

  test('in development, a file without a statement waits until it has one', async () => {
    vi.stubEnv('DATABASE_URL', undefined)
    const root = prepared()
    const file = join(root, 'db/migration/reports/V2__add_year.sql')
    writeFileSync(file, '-- Migration: add year\n\n-- down\n')
    await (await startIn(root, stored(root), true)).close()
    writeFileSync(file, 'alter table sales add year int;\n-- down\n')
    const app = await startIn(root, stored(root), true)
    const sql = 'select count(year)::int as count from sales'
    expect((await currentDatabase('reports').query({ sql, parameters: [] })).rows).toEqual([
      { count: 0 },
    ])
    await app.close()
  })
})
