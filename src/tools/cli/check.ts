/** `fw check` and `fw build`: generate `.fw`, then check messages, settings, and the types of code and templates. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { FwError, moduleFile } from '../../runtime/base.ts'
import { ConfigurationError, type ConfigProblem } from '../../runtime/config.ts'
import {
  applyFixes,
  checkProject,
  formatDiagnostic,
  readFrame,
  type ViewDiagnostic,
} from '../../templates/check.ts'
import { generateKeys } from '../../templates/compile.ts'
import { FileWatcher } from '../dev.ts'
import { ProjectCheck } from '../workspace.ts'
import { applicationRoot, type CommandOptions } from './load-application.ts'
import { messageHints } from './check-messages.ts'
import { buildWithVite, usesVite } from './vite.ts'
import { count, printJson, printLine, withProgress } from './terminal.ts'

interface CheckOptions extends CommandOptions {
  readonly watch?: boolean
  readonly fix?: boolean
}

type CheckProjectOptions = NonNullable<Parameters<typeof checkProject>[1]>
type CheckResult = Awaited<ReturnType<typeof checkApplication>>

/** Returns the problems that `read` returns or throws. */
export function findProblems(
  read: () => readonly ConfigProblem[] | undefined,
): readonly ConfigProblem[] {
  try {
    return read() ?? []
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems
    throw error
  }
}

/** Matches a line of settings whose value may be secret, so that the build log must not contain it. */
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

const findKeyProblems = (root: string): readonly ViewDiagnostic[] =>
  findProblems(() => generateKeys(root)).map((one) => toDiagnostic(one, root))

export async function checkApplication(root: string, options: CheckProjectOptions = {}) {
  const problems = findKeyProblems(root)
  const { diagnostics, templates } = await checkProject({ root }, options)
  return { diagnostics: [...problems, ...diagnostics], templates }
}

/** Checks an application again after each change, with the result of `checkApplication`. */
export class RepeatedCheck {
  readonly #root: string
  readonly #project: ProjectCheck

  constructor(root: string) {
    this.#root = root
    this.#project = new ProjectCheck(root)
  }

  /** Checks the files that the changed ones affect. `changed` are absolute paths. @throws the errors of `ProjectCheck.check` */
  async check(changed: Iterable<string>, signal?: AbortSignal): Promise<CheckResult> {
    const problems = findKeyProblems(this.#root)
    const { diagnostics, templates } = await this.#project.check(changed, signal)
    return { diagnostics: [...problems, ...diagnostics], templates }
  }

  close(): void {
    this.#project.close()
  }
}

const countOf = (
  diagnostics: readonly ViewDiagnostic[],
  wanted: ViewDiagnostic['severity'],
): number => diagnostics.filter(({ severity }) => severity === wanted).length

const countMistakes = (diagnostics: readonly ViewDiagnostic[]): number =>
  countOf(diagnostics, undefined)

/** Adds the hints about messages. Files that cannot be read are mistakes already. */
function addHints(result: CheckResult, root: string): CheckResult {
  let hints: readonly ViewDiagnostic[] = []
  findProblems(() => {
    hints = messageHints(root)
    return undefined
  })
  return { ...result, diagnostics: [...result.diagnostics, ...hints] }
}

/** `corrected` is the number of mistakes that `--fix` has corrected. */
function printResult({ diagnostics, templates }: CheckResult, json = false, corrected = 0): void {
  if (json) return printJson(diagnostics)
  for (const diagnostic of diagnostics) printLine(formatDiagnostic(diagnostic))
  const fixable = diagnostics.filter(({ fix }) => fix !== undefined).length
  const mistakes = countMistakes(diagnostics)
  const [warnings, hints] = [countOf(diagnostics, 'warning'), countOf(diagnostics, 'hint')]
  printLine(
    `${count(templates, 'template')}, ${count(mistakes, 'mistake')}` +
      (warnings > 0 ? `, ${count(warnings, 'warning')}` : '') +
      (hints > 0 ? `, ${count(hints, 'hint')}` : '') +
      (corrected > 0 ? `, ${corrected} corrected` : '') +
      (fixable > 0 ? `; fw check --fix corrects ${fixable}` : ''),
  )
}

/** The compiler reports one kind of mistakes of a template at once, so that corrections can reveal further mistakes. */
const maximumRounds = 10

/** Checks the application, corrects the mistakes that have a fix, and checks again. Returns their number as well. */
async function checkAndFix(root: string): Promise<CheckResult & { readonly corrected: number }> {
  let corrected = 0
  for (let round = 1; ; round++) {
    const result = await checkApplication(root)
    const files = Map.groupBy(
      result.diagnostics.filter(({ fix }) => fix !== undefined),
      ({ file }) => join(root, file),
    )
    if (files.size === 0 || round === maximumRounds) return { ...result, corrected }
    for (const [path, mistakes] of files) {
      writeFileSync(path, applyFixes(readFileSync(path, 'utf8'), mistakes))
      corrected += mistakes.length
    }
  }
}

/** Generates `.fw` and checks the application once; sets the exit code to 1 if there is a mistake. */
async function checkOnce({ app, json, fix }: Omit<CheckOptions, 'watch'>): Promise<void> {
  const root = applicationRoot(app)
  const { corrected, ...result } = await withProgress('checking code and templates', async () =>
    fix === true ? checkAndFix(root) : { ...(await checkApplication(root)), corrected: 0 },
  )
  printResult(addHints(result, root), json, corrected)
  if (countMistakes(result.diagnostics) > 0) process.exitCode = 1
}

/** The milliseconds after which filling the compile cache is stopped: the application's modules may never finish loading. */
const fillTimeout = 30_000

/**
 * Writes the files that production needs in addition to the sources: the front end, `.fw`, and the compile cache for fast
 * starts.
 */
export async function build(options: CommandOptions): Promise<void> {
  const root = applicationRoot(options.app)
  if (usesVite(root)) await buildWithVite(root)
  await checkOnce(options)
  const filler = spawn(
    process.execPath,
    [...process.execArgv, moduleFile('tools/cli/fill-compile-cache'), root],
    { stdio: 'ignore', timeout: fillTimeout, env: { ...process.env, FW_ENV: 'production' } },
  )
  // Ignore any failure: without the cache the application still starts, only more slowly.
  await once(filler, 'close').catch(() => {})
}

/**
 * Checks the application. With `watch`, repeats the check after each change until a signal ends the process.
 * @throws FwError `cli.option-invalid` for `watch` with `fix`
 */
export async function check(options: CheckOptions): Promise<void> {
  if (options.watch !== true) return checkOnce(options)
  if (options.fix === true)
    throw new FwError(
      'cli.option-invalid',
      '--watch does not correct files, because you are editing them: run fw check --fix, then fw check --watch.',
    )
  const root = applicationRoot(options.app)
  const repeated = new RepeatedCheck(root)
  const changed = new Set<string>()
  let nextChange = Promise.withResolvers<void>()
  // Never close the watcher, because it keeps the process alive.
  void new FileWatcher(
    [join(root, 'src')],
    (paths) => {
      for (const path of paths) changed.add(path)
      nextChange.resolve()
    },
    { persistent: true },
  )
  for (;;) {
    const paths = [...changed]
    changed.clear()
    // A change during the check resolves this promise, so that the check is repeated.
    nextChange = Promise.withResolvers<void>()
    printResult(addHints(await repeated.check(paths), root), options.json)
    await nextChange.promise
  }
}
