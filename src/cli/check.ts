/** `fw check`: the types of code and templates in one run of the compiler, keys of messages and settings among them. */
import { join, relative, resolve } from 'node:path'
import { generateKeys } from '../app.ts'
import { ConfigurationError, type ConfigProblem } from '../config.ts'
import { FileChanges } from '../dev.ts'
import { checkProject, formatDiagnostic, type ViewDiagnostic } from '../view.ts'
import { applicationRoot } from './load-life-cycle.ts'
import { withProgress } from './progress.ts'

interface CheckOptions {
  readonly app: string
  readonly json?: boolean
  readonly watch?: boolean
}

/** What a check of a whole application found. */
export interface Checked {
  readonly diagnostics: readonly ViewDiagnostic[]
  readonly templates: number
}

/** What is wrong with the files of messages and settings. */
function problemsOf(root: string): readonly ConfigProblem[] {
  try {
    return generateKeys(root)
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems
    throw error
  }
}

function diagnosticOf({ origin, text }: ConfigProblem, root: string): ViewDiagnostic {
  const { file, line, column } = origin ?? { file: root, line: 1, column: 1 }
  const shown = relative(root, resolve(file)).replaceAll('\\', '/')
  return { file: shown, line, column, code: 'config.invalid', message: text }
}

/** Generates what is generated, and checks all of it. */
export async function checkApplication(root: string): Promise<Checked> {
  const problems = problemsOf(root).map((problem) => diagnosticOf(problem, root))
  const { diagnostics, templates } = await checkProject({ root })
  return { diagnostics: [...problems, ...diagnostics], templates }
}

/** As `checkApplication`, for somebody who waits. */
export const checkWithProgress = (root: string): Promise<Checked> =>
  withProgress('checking code and templates', () => checkApplication(root))

/** Prints every mistake with its place. */
export function tellChecked({ diagnostics, templates }: Checked, json = false): void {
  if (json) process.stdout.write(`${JSON.stringify(diagnostics, undefined, 2)}\n`)
  else {
    for (const diagnostic of diagnostics) process.stdout.write(`${formatDiagnostic(diagnostic)}\n`)
    process.stdout.write(
      `${counted(templates, 'template')}, ${counted(diagnostics.length, 'mistake')}\n`,
    )
  }
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

/** The exit code is 1 when there is a mistake. With `watch` it goes on until it is stopped. */
export async function check({ app, json, watch }: CheckOptions): Promise<void> {
  const root = applicationRoot(app)
  if (watch === true) return watchApplication(root, json)
  const checked = await checkWithProgress(root)
  tellChecked(checked, json)
  if (checked.diagnostics.length > 0) process.exitCode = 1
}

/** Checks now and after each change of a file below `src`; changes during a check lead to one more. */
async function watchApplication(root: string, json: boolean | undefined): Promise<void> {
  let changed = Promise.withResolvers<void>()
  // Never closed: it keeps the process alive until a signal ends it.
  void new FileChanges([join(root, 'src')], () => changed.resolve(), {
    persistent: true,
  })
  for (;;) {
    tellChecked(await checkApplication(root), json)
    await changed.promise
    changed = Promise.withResolvers<void>()
  }
}
