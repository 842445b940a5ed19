/** `fw generate` and `fw destroy`. */
import { openApplicationDatabase } from '../app.ts'
import { silentLogger } from '../base.ts'
import { loadConfiguration } from '../config.ts'
import {
  folderSite,
  generatorOf,
  generators,
  readDatabase,
  removeDrafts,
  writeDrafts,
  type Generator,
  type GeneratorOptions,
  type Site,
  type WriteOptions,
} from '../generate.ts'
import { applicationRoot } from './load-life-cycle.ts'
import { withProgress } from './progress.ts'
import { tellOutcomes } from './tell-outcomes.ts'

interface GenerateOptions extends WriteOptions, GeneratorOptions {
  readonly app: string
  readonly json?: boolean
}

/** For the help: each generator, and how it is written. */
export function generatorHelp(): string {
  const width = Math.max(...generators.map(({ name }) => name.length))
  const lines = generators.map(({ name, description }) => `  ${name.padEnd(width)}  ${description}`)
  const types =
    '  name:Type, name:Type? or name:Option[Type], name:String:varchar(64), company:references'
  return `\nGenerators:\n${lines.join('\n')}\n\nFields:\n${types}`
}

/** The application, with its database for a generator that reads it. */
async function siteOf(root: string, generator: Generator): Promise<Site> {
  if (!generator.readsDatabase) return folderSite(root)
  const database = await openApplicationDatabase(root, loadConfiguration({ root }), silentLogger)
  try {
    return folderSite(root, await readDatabase(database))
  } finally {
    await database.close()
  }
}

/** @throws FwError `generate.*`, `cli.no-application` */
export async function generateFiles(
  type: string,
  words: readonly string[],
  options: GenerateOptions,
): Promise<void> {
  const generator = generatorOf(type)
  const root = applicationRoot(options.app)
  // Planning a schema of some hundred tables takes seconds, and does not wait for anything: what is shown stands meanwhile.
  const { outcomes, notes } = await withProgress('reading tables and writing code', async () => {
    const { drafts, notes } = generator.plan(await siteOf(root, generator), words, options)
    return { outcomes: writeDrafts(root, drafts, options), notes }
  })
  tellOutcomes(outcomes, options, notes)
}

/** @throws FwError `generate.*`, `cli.no-application` */
export async function destroyFiles(
  type: string,
  words: readonly string[],
  options: GenerateOptions,
): Promise<void> {
  const generator = generatorOf(type)
  const root = applicationRoot(options.app)
  const { drafts, notes } = generator.removal(await siteOf(root, generator), words, options)
  const outcomes = removeDrafts(root, drafts, options)
  const kept = outcomes.some(({ done }) => done === 'kept')
  const hint = 'Files that were changed stay; --force removes them too.'
  tellOutcomes(outcomes, options, kept ? [...notes, hint] : notes)
}
