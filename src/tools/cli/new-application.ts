/** `fw new`: asks for the options that the command line lacks, writes an application, and prints the next steps. */
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { basename, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { FwError } from '../../runtime/base.ts'
import { findUrlProblem } from '../../runtime/db.ts'
import { applicationLanguages, generateApplication, writeFiles } from '../generate.ts'
import { printOutcomes, type OutputOptions } from './generate-files.ts'
import {
  isPublished,
  vendoredDependency,
  vendorTarball,
  withPackedFramework,
} from './vendor-framework.ts'
import { version } from './version.ts'

interface Choices {
  readonly git?: boolean
  readonly api?: boolean
  readonly database?: string
  readonly language?: string
}

interface NewOptions extends OutputOptions, Choices {
  readonly fwjs?: string
  readonly ask?: boolean
}

/** The streams on which questions are printed and answers are read. */
interface Terminal {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
}

/** The fwjs that a new application depends on: a text for package.json, and a tarball to copy into the application. */
interface Dependency {
  readonly text: string
  readonly tarball?: string
}

const vendored = (tarball: string): Dependency => ({ text: vendoredDependency(tarball), tarball })

/** Reads the option `--fwjs`: a version, a folder or a tarball. @throws FwError `cli.option-invalid` */
function readDependency(option: string, root: string): Dependency {
  if (/^[~^<>=v]?\d/.test(option) && !existsSync(option)) return { text: option }
  const path = option.replace(/^file:/, '')
  if (!existsSync(path))
    throw new FwError(
      'cli.option-invalid',
      `--fwjs ${option} is neither a version nor a file or folder.`,
    )
  if (statSync(path).isFile()) return vendored(path)
  return { text: `file:${relative(root, resolve(path)).replaceAll('\\', '/')}` }
}

const isDatabaseUrl = (text: string): boolean => findUrlProblem(text) === undefined

function checkChoices({ database, language }: Choices): void {
  if (database !== undefined && !isDatabaseUrl(database))
    throw new FwError(
      'cli.option-invalid',
      '--database is not the address of a PostgreSQL server: write postgres://user:password@host:5432/name, or leave it out for the embedded database.',
    )
  if (language === undefined || applicationLanguages.includes(language)) return
  throw new FwError(
    'cli.option-invalid',
    `--language ${language}: Fw has texts in the languages ${applicationLanguages.join(', ')} only. For another language, choose one of these and translate src/main/resources/messages.yml.`,
  )
}

/** Asks for each choice that the command line does not contain. An empty answer selects the default. */
export async function askChoices(given: Choices, { input, output }: Terminal): Promise<Choices> {
  const lines = createInterface({ input, output })
  const answers = lines[Symbol.asyncIterator]()
  const ask = async (question: string, isValid: (answer: string) => boolean): Promise<string> => {
    for (;;) {
      output.write(`${question} `)
      const { value, done } = await answers.next()
      const answer = done === true ? '' : value.trim()
      if (answer === '' || isValid(answer)) return answer
      output.write(`  '${answer}' is no answer to that.\n`)
    }
  }
  const isYesOrNo = (answer: string): boolean => /^(?:y|yes|n|no)$/i.test(answer)
  const languages = applicationLanguages.join(', ')
  try {
    const api = given.api ?? /^y/i.test(await ask('Only an API, without pages? (y/N)', isYesOrNo))
    const database =
      given.database ??
      (await ask('Address of a PostgreSQL server (empty: embedded database)?', isDatabaseUrl))
    const language =
      given.language ||
      (await ask(`Language of the texts (${languages}; en)?`, (answer) =>
        applicationLanguages.includes(answer),
      ))
    const git = given.git ?? !/^n/i.test(await ask('Create a git repository? (Y/n)', isYesOrNo))
    return {
      api,
      git,
      ...(database === '' ? {} : { database }),
      ...(language === '' ? {} : { language }),
    }
  } finally {
    lines.close()
  }
}

/** Creates a git repository, unless the folder is already in one. Returns a sentence about the result. */
function createRepository(root: string): string {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  if (git('rev-parse', '--is-inside-work-tree').status === 0)
    return 'The folder is in a git repository already.'
  const { status, error, stderr } = git('init', '--quiet')
  if (status === 0) return 'Created a git repository.'
  return `No git repository was created: ${(error?.message ?? stderr).trim()}`
}

/**
 * Returns a path as one argument of a shell command. On Windows, a backslash separates folders, and the path gets double quotes, in
 * which PowerShell still replaces `$`, and cmd `%`. Elsewhere, it gets single quotes, which keep every character.
 */
export function quoteForShell(path: string, isWindows = process.platform === 'win32'): string {
  if (/^[\p{L}\p{N}_./:-]+$/u.test(isWindows ? path.replaceAll('\\', '/') : path)) return path
  return isWindows ? `"${path}"` : `'${path.replaceAll("'", `'\\''`)}'`
}

function formatNextSteps(folder: string, { api, database }: Choices): string {
  const resource = api === true ? 'api-resource' : 'scaffold'
  const steps = [
    [`cd ${quoteForShell(folder)}`, ''],
    ...(database === undefined ? [] : [['./fw doctor', 'whether the database answers']]),
    ['./fw run', 'serves http://127.0.0.1:8080'],
    [`./fw g ${resource} members member name:String`, 'writes a first resource'],
    ['./fw test', 'runs its tests'],
  ]
  const width = Math.max(...steps.map(([line = '']) => line.length))
  const lines = steps.map(([line = '', meaning]) => `  ${line.padEnd(width)}  ${meaning}`.trimEnd())
  return `\nNext:\n${lines.join('\n')}\n\nThe guide is docs/${api === true ? 'apis' : 'getting-started'}.md of the package fwjs.\n`
}

function writeApplication(
  folder: string,
  choices: Choices,
  options: NewOptions,
  { text, tarball }: Dependency,
): void {
  const root = resolve(folder)
  const isWritten = options.pretend !== true
  const files = generateApplication({ ...choices, name: basename(root), fwjs: text })
  const outcomes = writeFiles(root, files, options)
  if (tarball !== undefined && isWritten) vendorTarball(tarball, root)
  const notes = [
    ...(tarball === undefined ? [] : [vendorNote]),
    ...(choices.git === true && isWritten ? [createRepository(root)] : []),
  ]
  printOutcomes(outcomes, options, notes)
  if (options.json !== true && isWritten) process.stdout.write(formatNextSteps(folder, choices))
}

const vendorNote =
  'The application contains its own copy of fwjs in the folder vendor, which belongs into version control.'

/**
 * Runs `fw new`.
 * @throws FwError `generate.file-exists`, `generate.name-invalid`, `cli.option-invalid`, `cli.package-failed`
 */
export async function newApplication(folder: string, options: NewOptions): Promise<void> {
  checkChoices(options)
  const given =
    options.fwjs === undefined ? undefined : readDependency(options.fwjs, resolve(folder))
  const choices =
    options.ask === true
      ? await askChoices(options, { input: process.stdin, output: process.stdout })
      : options
  const write = (dependency: Dependency): void =>
    writeApplication(folder, choices, options, dependency)
  if (given !== undefined) return write(given)
  if (isPublished()) return write({ text: version() })
  if (options.pretend === true) return write(vendored(`fwjs-${version()}.tgz`))
  await withPackedFramework((tarball) => write(vendored(tarball)))
}
