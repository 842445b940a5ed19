import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger } from '../base.ts'
import { Configuration, FwConfig, FwEnv } from '../config.ts'
import { currentDatabase, openDatabase, useDatabase, type Database } from '../db.ts'
import { furtherNames, openFurtherDatabases } from './application-database.ts'
import { FwLifeCycle } from './life-cycle.ts'
import { startApplication } from './start-application.ts'

// Nothing listens there: a server is reached by the first query.
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

describe('what an application makes the process’s own', () => {
  test('its database and its configuration end with it', async () => {
    vi.stubEnv('DATABASE_URL', url)
    const app = await start(configured({}))
    expect(currentDatabase()).toBe(app.database)
    expect(FwConfig.current).toBe(app.configuration)
    await app.close()
    expect(() => currentDatabase()).toThrow("No database 'default' is open")
    expect(FwConfig.current).not.toBe(app.configuration)
  })

  test('another one that has taken their place stays', async () => {
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

  test('a start that fails leaves neither', async () => {
    vi.stubEnv('DATABASE_URL', url)
    const wrong = Configuration.from({ csrf: { trustedOrigins: ['no origin'] } }, new FwEnv('test'))
    await expect(start(wrong)).rejects.toMatchObject({ code: 'session.origin-invalid' })
    expect(() => currentDatabase()).toThrow("No database 'default' is open")
    expect(FwConfig.current).not.toBe(wrong)
  })
})

describe('further databases', () => {
  test('are opened by their names and settings, and closed with the application', async () => {
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

  test('are not there where no request will be sent', async () => {
    const app = await start(reports, false)
    expect(() => currentDatabase('reports')).toThrow("No database 'reports' is open")
    await app.close()
  })

  test('a name that is in use stays as it is, and open', async () => {
    const own = await opened()
    useDatabase(own, 'reports')
    const further = await openFurtherDatabases(folder(), reports, silentLogger)
    expect(further.names).toEqual([])
    await further.close()
    expect(currentDatabase('reports')).toBe(own)
    await own.close()
  })

  test('when one cannot be opened, those before it are closed', async () => {
    const taken = folder()
    const holder = await openDatabase({ kind: 'pglite', folder: join(taken, 'db/data-other') })
    onTestFinished(() => holder.close())
    const both = configured({ reports: { url }, other: {} })
    expect(furtherNames(both)).toEqual(['reports', 'other'])
    await expect(openFurtherDatabases(taken, both, silentLogger)).rejects.toMatchObject({
      code: 'db.folder-locked',
    })
    expect(() => currentDatabase('reports')).toThrow("No database 'reports' is open")
  })
})
