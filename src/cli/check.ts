/** `fw check`: the types of code and templates in one run of the compiler, keys of messages and settings among them. */
import { relative, resolve } from 'node:path'
import { generateKeys } from '../app.ts'
import { ConfigurationError, type ConfigProblem } from '../config.ts'
import { checkProject, formatDiagnostic, type ViewDiagnostic } from '../view.ts'
import { applicationRoot } from './load-life-cycle.ts'

interface CheckOptions {
  readonly app: string
  readonly json?: boolean
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

/** Prints every mistake with its place; the exit code is 1 when there is one. */
export async function check({ app, json }: CheckOptions): Promise<void> {
  const root = applicationRoot(app)
  const problems = problemsOf(root).map((problem) => diagnosticOf(problem, root))
  const { diagnostics: types, templates } = await checkProject({ root })
  const diagnostics = [...problems, ...types]
  if (json === true) process.stdout.write(`${JSON.stringify(diagnostics, undefined, 2)}\n`)
  else {
    for (const diagnostic of diagnostics) process.stdout.write(`${formatDiagnostic(diagnostic)}\n`)
    process.stdout.write(`${templates} templates, ${diagnostics.length} mistakes\n`)
  }
  if (diagnostics.length > 0) process.exitCode = 1
}
