/** `fw check`: the types of code and templates in one run of the compiler. */
import { checkProject, formatDiagnostic } from '../view.ts'
import { applicationRoot } from './load-life-cycle.ts'

interface CheckOptions {
  readonly app: string
  readonly json?: boolean
}

/** Prints every mistake with its place; the exit code is 1 when there is one. */
export async function check({ app, json }: CheckOptions): Promise<void> {
  const { diagnostics, templates } = await checkProject({ root: applicationRoot(app) })
  if (json === true) process.stdout.write(`${JSON.stringify(diagnostics, undefined, 2)}\n`)
  else {
    for (const diagnostic of diagnostics) process.stdout.write(`${formatDiagnostic(diagnostic)}\n`)
    process.stdout.write(`${templates} templates, ${diagnostics.length} mistakes\n`)
  }
  if (diagnostics.length > 0) process.exitCode = 1
}
