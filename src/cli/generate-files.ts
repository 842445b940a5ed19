/** `fw generate` and `fw destroy`. */
import {
  folderSite,
  generatorOf,
  generators,
  removeDrafts,
  writeDrafts,
  type WriteOptions,
} from '../generate.ts'
import { applicationRoot } from './load-life-cycle.ts'
import { tellOutcomes } from './tell-outcomes.ts'

interface GenerateOptions extends WriteOptions {
  readonly app: string
  readonly json?: boolean
}

/** For the help: each generator, and how it is written. */
export function generatorHelp(): string {
  const width = Math.max(...generators.map(({ name }) => name.length))
  const lines = generators.map(({ name, description }) => `  ${name.padEnd(width)}  ${description}`)
  const types =
    '  name:Type, name:Type? or name:Option[Type], name:String:varchar(64), company:references'
  return `\nGenerators:\n${lines.join('\n')}\n\nFields:\n${types}\n`
}

/** @throws FwError `generate.*`, `cli.no-application` */
export function generateFiles(
  type: string,
  words: readonly string[],
  options: GenerateOptions,
): void {
  const generator = generatorOf(type)
  const root = applicationRoot(options.app)
  const { drafts, notes } = generator.plan(folderSite(root), words)
  tellOutcomes(writeDrafts(root, drafts, options), options, notes)
}

/** @throws FwError `generate.*`, `cli.no-application` */
export function destroyFiles(
  type: string,
  words: readonly string[],
  options: GenerateOptions,
): void {
  const generator = generatorOf(type)
  const root = applicationRoot(options.app)
  const { drafts, notes } = generator.removal(folderSite(root), words)
  const outcomes = removeDrafts(root, drafts, options)
  const kept = outcomes.some(({ done }) => done === 'kept')
  const hint = 'Files that were changed stay; --force removes them too.'
  tellOutcomes(outcomes, options, kept ? [...notes, hint] : notes)
}
