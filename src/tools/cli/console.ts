/** `fw console`: evaluates typed or piped TypeScript, in which the application's models and helpers are defined. */
import { createHash } from 'node:crypto'
import { globSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { REPLServer } from 'node:repl'
import { pathToFileURL } from 'node:url'
import {
  openAdditionalDatabases,
  openApplicationDatabase,
  startApplication,
  usesDatabase,
  type Application,
} from '../../runtime/app.ts'
import { prettyLogger } from '../../runtime/base.ts'
import { loadConfiguration } from '../../runtime/config.ts'
import {
  currentDatabase,
  isolateDatabase,
  migrationStatus,
  useDatabase,
  type Database,
} from '../../runtime/db.ts'
import { I18n } from '../../runtime/i18n.ts'
import { permitValues } from '../../runtime/params.ts'
import { fetchHandler } from '../../runtime/server.ts'
import { generateSources } from '../../templates/compile.ts'
import { Visitor } from '../testing.ts'
import { typeScriptRepl, TypeScriptScript } from './console-evaluator.ts'
import { formatValue, installInspectors } from './console-values.ts'
import { applicationRoot, loadLifeCycle, type CommandOptions } from './load-application.ts'
import { paint, terminalWidth } from './terminal.ts'
import { version } from './version.ts'

type ConsoleContext = Awaited<ReturnType<typeof openConsole>>

const logger = prettyLogger((line) => void process.stderr.write(line), {
  colour: process.stderr.isTTY,
  level: 'warn',
})

/** Runs SQL, such as `` sql`select * from members where id = ${1}` ``, and resolves to the rows; values become parameters. */
async function sql(texts: TemplateStringsArray, ...parameters: readonly unknown[]) {
  const text = texts.reduce((before, part, at) => `${before}$${at}${part}`)
  return (await currentDatabase().query({ sql: text, parameters })).rows
}

async function importExports(root: string, pattern: string): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {}
  for (const file of globSync(pattern, { cwd: root }).toSorted())
    Object.assign(all, await import(pathToFileURL(join(root, file)).href))
  return all
}

type Source = Parameters<typeof openApplicationDatabase>[0]
/** The functions that close the console, in the order in which its parts were opened. */
type Closers = (() => unknown)[]

/** Opens every database of the application. With `sandbox`, runs all statements in transactions, which are rolled back. */
async function openDatabases(source: Source, sandbox: boolean, closers: Closers) {
  const main = await openApplicationDatabase(source)
  closers.push(() => main.close())
  useDatabase(main)
  const additional = await openAdditionalDatabases(source)
  closers.push(() => additional.close())
  for (const name of sandbox ? ['default', ...additional.names] : []) {
    const isolated = await isolateDatabase(currentDatabase(name))
    closers.push(() => isolated.end())
    useDatabase(isolated.database, name)
  }
  closers.push(() => useDatabase(undefined))
  return currentDatabase()
}

async function collectNotes(root: string, database: Database, sandbox: boolean): Promise<string[]> {
  const states = await migrationStatus(database, join(root, 'db/migration'))
  const pending = states.filter(({ state }) => state === 'pending').length
  return [
    ...(sandbox ? ['Sandbox: all writes are rolled back at the end.'] : []),
    ...(pending === 0 ? [] : [`Pending migrations: ${pending}. Apply them with fw db:migrate.`]),
  ]
}

const createHelpers = (application: Application, database: Database | undefined) => ({
  app: new Visitor(fetchHandler(application.handle, { logger })),
  t: (key: string, ...args: readonly unknown[]): string =>
    new I18n(application.messages).getOrKey(key, ...args),
  url: application.url,
  ...(database && { db: database, permitValues, sql }),
})

/** Starts the application for the console. @throws FwError `config.invalid`, `db.folder-locked`, and other errors of a start */
async function openConsole(root: string, sandbox: boolean) {
  const configuration = loadConfiguration({ root })
  if (configuration.env.isDevelopment()) generateSources(root)
  const lifeCycle = await loadLifeCycle(root)
  const closers: Closers = []
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).toReversed()) await closer()
  }
  try {
    const source = { root, configuration, logger }
    const database = usesDatabase(root, configuration)
      ? await openDatabases(source, sandbox, closers)
      : undefined
    const notes = database === undefined ? [] : await collectNotes(root, database, sandbox)
    // Import before the application starts, so that a failed import leaves no running application.
    const models = await importExports(root, 'src/main/model/**/*.ts')
    const jobs = await importExports(root, 'src/main/{job,mail}/**/*.ts')
    const { controllers } = await importExports(root, 'src/main/controller/controllers.ts')
    const application = await startApplication(lifeCycle, {
      ...source,
      ...(database && { database }),
      jobs: false,
    })
    closers.push(() => application.close())
    const names = {
      ...jobs,
      ...models,
      ...createHelpers(application, database),
      routes: controllers,
    }
    return { configuration, names, models: Object.keys(models), notes, close }
  } catch (error) {
    await close()
    throw error
  }
}

const format = (value: unknown): string =>
  formatValue(value, terminalWidth(), process.stdout.isTTY && process.stdout.hasColors())

/**
 * Loads the history of earlier sessions; prints a warning if the history file cannot be written. The file is outside the
 * application's folder, because it may contain personal data.
 */
async function loadHistory(server: REPLServer, root: string): Promise<void> {
  const state = process.env['XDG_STATE_HOME'] || join(homedir(), '.local/state')
  const folder = join(state, 'fw', 'console')
  const hash = createHash('sha256').update(root).digest('hex').slice(0, 8)
  const file = join(folder, `${basename(root)}-${hash}`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    await new Promise<void>((ready) => server.setupHistory(file, () => ready()))
  } catch (error) {
    process.stderr.write(`The history is not saved: ${(error as Error).message}\n`)
  }
}

function greeting({ configuration, names, models, notes }: ConsoleContext): string {
  const others = Object.keys(names).filter((name) => !models.includes(name))
  return [
    `Fw ${version()}, ${configuration.env.name}. Defined: ${[...models, ...others].join(', ')}. Ctrl+D ends.`,
    ...notes.map((note) => paint('yellow', note)),
    '',
  ].join('\n')
}

/** Reads from the terminal until Ctrl+D, `.exit` or a signal. */
async function runInteractively(root: string, context: ConsoleContext): Promise<void> {
  const { configuration, names } = context
  process.stdout.write(greeting(context))
  const prompt = `${basename(root)} (${configuration.env.name})> `
  const server = typeScriptRepl({ prompt, writer: format })
  Object.assign(server.context, names)
  await loadHistory(server, root)
  await new Promise<void>((ended) => server.once('exit', ended))
}

/** Evaluates stdin line by line until the first failure. */
async function runInput({ names, notes }: ConsoleContext): Promise<void> {
  for (const note of notes) process.stderr.write(`${note}\n`)
  const script = new TypeScriptScript(names)
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === '.exit') break
    const value = await script.run(line)
    if (value !== undefined) process.stdout.write(`${format(value)}\n`)
  }
  script.end()
}

/** Runs `fw console`. @throws the errors of `startApplication` and of the piped lines */
export async function startConsole({
  app,
  sandbox = false,
}: CommandOptions & { readonly sandbox?: boolean }): Promise<void> {
  const root = applicationRoot(app)
  const context = await openConsole(root, sandbox)
  // Change the directory, because relative imports in the console are resolved from it.
  process.chdir(root)
  installInspectors()
  try {
    if (process.stdin.isTTY) await runInteractively(root, context)
    else await runInput(context)
  } finally {
    await context.close()
  }
}
