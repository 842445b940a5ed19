/** What the console has at hand: the models, the application, its database. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  generateSources,
  openApplicationDatabase,
  openFurtherDatabases,
  startApplication,
  usesDatabase,
  type Application,
} from '../app.ts'
import { prettyLogger } from '../base.ts'
import { loadConfiguration, type Configuration } from '../config.ts'
import {
  currentDatabase,
  isolateDatabase,
  migrationStatus,
  useDatabase,
  type Database,
} from '../db.ts'
import { I18n } from '../i18n.ts'
import { fetchHandler } from '../server.ts'
import { Visitor } from '../testing.ts'
import { loadLifeCycle } from './load-life-cycle.ts'

/** An application opened for the console. */
export interface ConsoleSurroundings {
  readonly configuration: Configuration
  /** Values by the names they have in the console. */
  readonly names: Readonly<Record<string, unknown>>
  /** The names of the models among them. */
  readonly models: readonly string[]
  /** What the user should know before the first line. */
  readonly notes: readonly string[]
  /** Rolls a sandbox back, and closes what was opened. */
  close(): Promise<void>
}

const logger = prettyLogger((line) => void process.stderr.write(line), {
  colour: process.stderr.isTTY,
  level: 'warn',
})

/** `` sql`select * from members where id = ${1}` `` gives the rows; values are parameters. */
async function sql(texts: TemplateStringsArray, ...parameters: readonly unknown[]) {
  const text = texts.reduce((before, part, at) => `${before}$${at}${part}`)
  return (await currentDatabase().query({ sql: text, parameters })).rows
}

/** Everything that the files below a folder export. */
async function exportsOf(root: string, pattern: string): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {}
  for (const file of globSync(pattern, { cwd: root }).toSorted())
    Object.assign(all, await import(pathToFileURL(join(root, file)).href))
  return all
}

interface Opened {
  /** Absent when the application has none. */
  readonly database: Database | undefined
  close(): Promise<void>
}

/** In a sandbox each of the databases is isolated. */
async function openDatabase(
  root: string,
  configuration: Configuration,
  sandbox: boolean,
): Promise<Opened> {
  if (!usesDatabase(root, configuration))
    return { database: undefined, close: () => Promise.resolve() }
  const openings: (() => Promise<void>)[] = []
  const close = async (): Promise<void> => {
    for (const one of openings.splice(0).toReversed()) await one()
  }
  try {
    const real = await openApplicationDatabase(root, configuration, logger)
    openings.push(() => real.close())
    useDatabase(real)
    const further = await openFurtherDatabases(root, configuration, logger)
    openings.push(() => further.close())
    for (const name of sandbox ? ['default', ...further.names] : []) {
      const isolated = await isolateDatabase(currentDatabase(name))
      openings.push(() => isolated.end())
      useDatabase(isolated.database, name)
    }
    openings.push(() => Promise.resolve(useDatabase(undefined)))
    return { database: currentDatabase(), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function notesOf(root: string, { database }: Opened, sandbox: boolean): Promise<string[]> {
  if (database === undefined) return []
  const states = await migrationStatus(database, join(root, 'db/migration'))
  const pending = states.filter(({ state }) => state === 'pending').length
  return [
    ...(sandbox ? ['Sandbox: all that is written is rolled back at the end.'] : []),
    ...(pending === 0
      ? []
      : [`Migrations that are pending: ${pending}. Apply them with fw db:migrate.`]),
  ]
}

function helpers(application: Application, database: Database | undefined) {
  const { messages } = application
  const t = (key: string, ...args: readonly unknown[]): string =>
    new I18n(messages).getOrKey(key, ...args)
  return {
    app: new Visitor(fetchHandler(application.handle, { logger })),
    t,
    url: application.url,
    ...(database === undefined ? {} : { db: database, sql }),
  }
}

/** @throws FwError whatever makes a start senseless: `config.invalid`, `db.folder-locked`, … */
export async function openConsole(root: string, sandbox: boolean): Promise<ConsoleSurroundings> {
  const configuration = loadConfiguration({ root })
  if (configuration.env.isDevelopment()) generateSources(root)
  const lifeCycle = await loadLifeCycle(root)
  const opened = await openDatabase(root, configuration, sandbox)
  try {
    const notes = await notesOf(root, opened, sandbox)
    // Before the application, which would have to be closed if one of them cannot be read.
    const models = await exportsOf(root, 'src/main/model/**/*.ts')
    const { controllers } = await exportsOf(root, 'src/main/controller/controllers.ts')
    const application = await startApplication(lifeCycle, {
      root,
      configuration,
      logger,
      ...(opened.database === undefined ? {} : { database: opened.database }),
    })
    const names = { ...models, ...helpers(application, opened.database), routes: controllers }
    const close = async (): Promise<void> => {
      await application.close()
      await opened.close()
    }
    return { configuration, names, models: Object.keys(models), notes, close }
  } catch (error) {
    await opened.close()
    throw error
  }
}
