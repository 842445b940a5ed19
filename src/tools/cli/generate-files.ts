/** `fw generate` and `fw destroy`: write or remove files, and print the outcome for each file. */
import { loadConfiguration } from '../../runtime/config.ts'
import {
  findGenerator,
  generators,
  openProject,
  readDatabaseSchema,
  removeFiles,
  writeFiles,
  type FileOutcome,
  type Generator,
  type GeneratorOptions,
  type Project,
  type WriteOptions,
} from '../generate.ts'
import {
  applicationRoot,
  withApplicationDatabase,
  type CommandOptions,
} from './load-application.ts'
import { undoMigrations } from './undo-migrations.ts'
import { printJson, printLine, withProgress } from './terminal.ts'

export type OutputOptions = WriteOptions & Pick<CommandOptions, 'json'>
type GenerateOptions = WriteOptions & CommandOptions & GeneratorOptions

const doneWidth = 'overwritten'.length

/** The maximum number of printed lines of a diff; a longer one, such as of `messages.yml`, would hide the other files. */
const longestDiff = 16

function formatOutcome({ path, done, diff }: FileOutcome, isShort: boolean): string {
  const line = `${done.padEnd(doneWidth)}  ${path}\n`
  if (diff === undefined) return line
  const lines = diff.split('\n')
  const hidden = isShort && done === 'modified' ? lines.length - longestDiff : 0
  const shown = hidden > 1 ? [...lines.slice(0, longestDiff), `… and ${hidden} more lines`] : lines
  return `${line}${shown.map((text) => `    ${text}\n`).join('')}`
}

/** Prints a line for each file, followed by the diff if an existing file was changed. */
export function printOutcomes(
  files: readonly FileOutcome[],
  { json, pretend }: OutputOptions,
  notes: readonly string[] = [],
): void {
  if (json === true) return printJson({ files, notes })
  const head = pretend === true ? 'Nothing is written. Without --pretend:\n' : ''
  process.stdout.write(
    head +
      files.map((file) => formatOutcome(file, pretend !== true)).join('') +
      notes.map((note) => `\n${note}\n`).join(''),
  )
}

export function generatorHelp(): string {
  const width = Math.max(...generators.map(({ name }) => name.length))
  const lines = generators.map(({ name, description }) => `  ${name.padEnd(width)}  ${description}`)
  const fields =
    '  name:Type, name:Type? or name:Option[Type], name:String:varchar(64), company:references, photo:attachment'
  return `\nGenerators:\n${lines.join('\n')}\n\nFields:\n${fields}`
}

const listGenerators = (command: 'generate' | 'destroy'): void =>
  printLine(`${generatorHelp().trimStart()}\n\n(fw ${command} --help shows options and examples)`)

async function readProject(root: string, generator: Generator): Promise<Project> {
  if (!generator.readsDatabase) return openProject(root)
  const source = { root, configuration: loadConfiguration({ root }) }
  return openProject(root, await withApplicationDatabase(source, readDatabaseSchema))
}

/** Runs `fw generate`. @throws FwError `generate.*`, `cli.no-application` */
export async function generateFiles(
  type: string | undefined,
  words: readonly string[],
  options: GenerateOptions,
): Promise<void> {
  if (type === undefined) return listGenerators('generate')
  const generator = findGenerator(type)
  const root = applicationRoot(options.app)
  // With hundreds of tables, this synchronous work takes seconds, during which the displayed time does not advance.
  const { outcomes, notes } = await withProgress('reading tables and writing code', async () => {
    const { files, notes } = generator.plan(await readProject(root, generator), words, options)
    return { outcomes: writeFiles(root, files, options), notes }
  })
  printOutcomes(outcomes, options, notes)
}

/** Runs `fw destroy`. @throws FwError `generate.*`, `cli.no-application` */
export async function destroyFiles(
  type: string | undefined,
  words: readonly string[],
  options: GenerateOptions,
): Promise<void> {
  if (type === undefined) return listGenerators('destroy')
  const generator = findGenerator(type)
  const root = applicationRoot(options.app)
  const { files, notes } = generator.removal(await readProject(root, generator), words, options)
  const planned = removeFiles(root, files, { ...options, pretend: true })
  const removed = planned.filter(({ done }) => done === 'removed').map(({ path }) => path)
  const undone = options.pretend === true ? [] : await undoMigrations(root, removed)
  const outcomes = removeFiles(root, files, options)
  const isKept = outcomes.some(({ done }) => done === 'kept')
  const hint = 'Files that were changed stay; --force removes them too.'
  printOutcomes(outcomes, options, [...notes, ...undone, ...(isKept ? [hint] : [])])
}
