/** `fw check` and `fw build`: generates `.fw`, then checks the types of code and templates, messages and settings. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { basename, join, relative, resolve } from 'node:path'
import { programFile } from '../../runtime/base.ts'
import {
  ConfigurationError,
  writeParsedKeyFiles,
  type ConfigProblem,
} from '../../runtime/config.ts'
import {
  checkProject,
  formatDiagnostic,
  readFrame,
  type ViewDiagnostic,
} from '../../templates/check.ts'
import { generateKeys } from '../../templates/compile.ts'
import { FileWatcher } from '../dev.ts'
import { applicationRoot } from './load-application.ts'
import { buildWithVite, usesVite } from './vite.ts'
import { printJson, printLine, withProgress } from './terminal.ts'

interface CheckOptions {
  readonly app: string
  readonly json?: boolean
  readonly watch?: boolean
}

export interface CheckResult {
  readonly diagnostics: readonly ViewDiagnostic[]
  /** How many templates were checked. */
  readonly templates: number
}

function findKeyProblems(root: string): readonly ConfigProblem[] {
  try {
    return generateKeys(root)
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems
    throw error
  }
}

/** A line of settings whose value must not reach the log of a build. */
const secretLine = /secret|password|token|key|url/i

function toDiagnostic({ origin, text }: ConfigProblem, root: string): ViewDiagnostic {
  const { file, line, column } = origin ?? { file: root, line: 1, column: 1 }
  const path = relative(root, resolve(file)).replaceAll('\\', '/')
  const frame = readFrame(file, { line, column })
  const isPublic = basename(file).startsWith('messages')
  const isShown = frame !== undefined && (isPublic || !secretLine.test(frame))
  return {
    file: path,
    line,
    column,
    code: 'config.invalid',
    message: text,
    ...(isShown ? { frame } : {}),
  }
}

export async function checkApplication(root: string, signal?: AbortSignal): Promise<CheckResult> {
  const problems = findKeyProblems(root).map((problem) => toDiagnostic(problem, root))
  const { diagnostics, templates } = await checkProject({ root }, signal && { signal })
  return { diagnostics: [...problems, ...diagnostics], templates }
}

const count = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? '' : 's'}`

function printResult({ diagnostics, templates }: CheckResult, json = false): void {
  if (json) return printJson(diagnostics)
  for (const diagnostic of diagnostics) printLine(formatDiagnostic(diagnostic))
  printLine(`${count(templates, 'template')}, ${count(diagnostics.length, 'mistake')}`)
}

/** Writes `.fw`, and sets the exit code to 1 for any mistake. */
async function checkOnce({ app, json }: CheckOptions): Promise<void> {
  const root = applicationRoot(app)
  const result = await withProgress('checking code and templates', () => checkApplication(root))
  writeParsedKeyFiles(root, join(root, 'src/main/resources'))
  printResult(result, json)
  if (result.diagnostics.length > 0) process.exitCode = 1
}

/** Milliseconds for an application whose modules never finish loading. */
const fillTimeout = 30_000

/** Writes the files that production needs in addition to the sources: the front end, `.fw`, and the compile cache for fast starts. */
export async function build(options: CheckOptions): Promise<void> {
  const root = applicationRoot(options.app)
  if (usesVite(root)) await buildWithVite(root)
  await checkOnce(options)
  const filler = spawn(
    process.execPath,
    [...process.execArgv, programFile('tools/cli/fill-compile-cache'), root],
    { stdio: 'ignore', timeout: fillTimeout, env: { ...process.env, FW_ENV: 'production' } },
  )
  // A start without the cache is slower, not wrong: any failure is ignored.
  await once(filler, 'close').catch(() => {})
}

/** Does the same as `build` without the compile cache; with `watch` again after each change, until a signal. */
export async function check(options: CheckOptions): Promise<void> {
  if (options.watch !== true) return checkOnce(options)
  const root = applicationRoot(options.app)
  let changed = Promise.withResolvers<void>()
  // The watcher stays open, which keeps the process alive.
  void new FileWatcher([join(root, 'src')], () => changed.resolve(), { persistent: true })
  for (;;) {
    printResult(await checkApplication(root), options.json)
    // A change during the check leads to one more check.
    await changed.promise
    changed = Promise.withResolvers<void>()
  }
}
