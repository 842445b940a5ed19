/** Checks the types of an application's code and templates in one run of `tsc`. */
import { execFile, type ExecFileException } from 'node:child_process'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { FwError } from '../../runtime/base.ts'
import { mapReport, parseReport, syntaxDiagnostic, type ViewDiagnostic } from './diagnostics.ts'
import { policyWarnings } from './policy-warnings.ts'
import { generateViews } from '../compile.ts'
import { projectPaths, type ViewProject } from '../../runtime/view.ts'

/** The result of a check. */
export interface CheckResult {
  /**
   * The syntax errors of templates, then their unsafe expressions, the type errors in the order of tsc's report, and warnings
   * about what the Content-Security-Policy blocks.
   */
  readonly diagnostics: readonly ViewDiagnostic[]
  readonly templates: number
}

interface CheckOptions {
  readonly signal?: AbortSignal
  /** The project file of the compiler, relative to the root. @default tsconfig.json */
  readonly project?: string
}

/**
 * Generates the modules of all templates, runs `tsc --noEmit` once, and maps its errors to the templates. `diagnostics`
 * is empty if there are no errors and warnings.
 * @throws FwError `view.check-failed` if the compiler is not installed, or fails without reporting type errors
 */
export async function checkProject(
  project: ViewProject,
  options: CheckOptions = {},
): Promise<CheckResult> {
  const paths = projectPaths(project)
  const { templates, errors, prove } = generateViews(project, { proof: 'later' })
  // The compiler runs in a child process, so the proof of the escaping runs at the same time.
  const compiler = runCompiler(paths.root, options)
  const unsafe = prove()
  const types = mapReport(parseReport(await compiler), templates, paths)
  return {
    diagnostics: [...errors, ...unsafe]
      .map((error) => syntaxDiagnostic(error, paths))
      .concat(types, policyWarnings(templates, project)),
    templates: templates.length + new Set(errors.map(({ file }) => file)).size,
  }
}

/**
 * TypeScript 7 checks with four checkers in parallel. Each repeats the types that files share, and the collection of garbage needs
 * cores as well: on two cores, one checker takes as long as two, with three quarters of their processor time and memory.
 */
const checkers = ['--checkers', String(Math.min(4, Math.ceil(availableParallelism() / 2)))]

/** Returns the program of the application's compiler, and the options that its version has. */
function findCompiler(root: string): readonly string[] {
  try {
    const require = createRequire(join(root, 'package.json'))
    const manifest = require.resolve('typescript/package.json')
    const { version } = require(manifest) as { readonly version: string }
    const program = join(dirname(manifest), 'bin/tsc')
    return Number.parseInt(version, 10) < 7 ? [program] : [program, ...checkers]
  } catch (cause) {
    throw new FwError(
      'view.check-failed',
      `The TypeScript compiler is not installed in ${root}: npm install --save-dev typescript`,
      { cause },
    )
  }
}

async function runCompiler(
  root: string,
  { signal, project = 'tsconfig.json' }: CheckOptions,
): Promise<string> {
  // Without `--noErrorTruncation`, `tsc` shortens long lists of possible values, in which `clarify` searches for the most
  // similar one.
  const options = ['-p', project, '--noEmit', '--noErrorTruncation', '--pretty', 'false']
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [...findCompiler(root), ...options],
      { cwd: root, maxBuffer: Infinity, signal },
    )
    return stdout
  } catch (error) {
    const { code, stdout, stderr } = error as ExecFileException &
      Record<'stdout' | 'stderr', string>
    // The code is the exit status, or a text such as `ABORT_ERR` if the compiler was not completed.
    if (typeof code === 'string') throw error
    if (parseReport(stdout).length > 0) return stdout
    throw new FwError(
      'view.check-failed',
      `The TypeScript compiler stopped with status ${code}:\n${(stdout + stderr).trim()}`,
    )
  }
}
