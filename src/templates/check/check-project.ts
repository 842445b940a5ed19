/** Checks the types of an application's code and templates in one run of `tsc`. */
import { execFile, type ExecFileException } from 'node:child_process'
import { createRequire } from 'node:module'
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

/**
 * Generates the modules of all templates, runs `tsc --noEmit` once, and maps its errors to the templates. `diagnostics`
 * is empty if there are no errors and warnings.
 * @throws FwError `view.check-failed` if the compiler is not installed, or fails without reporting type errors
 */
export async function checkProject(
  project: ViewProject,
  options: { readonly signal?: AbortSignal } = {},
): Promise<CheckResult> {
  const paths = projectPaths(project)
  const { templates, errors, prove } = generateViews(project, { proof: 'later' })
  // The compiler runs in a child process, so the proof of the escaping runs at the same time.
  const compiler = runCompiler(paths.root, options.signal)
  const unsafe = prove()
  const types = mapReport(parseReport(await compiler), templates, paths)
  return {
    diagnostics: [...errors, ...unsafe]
      .map((error) => syntaxDiagnostic(error, paths))
      .concat(types, policyWarnings(templates, project)),
    templates: templates.length + new Set(errors.map(({ file }) => file)).size,
  }
}

function compilerPath(root: string): string {
  try {
    return join(
      dirname(createRequire(join(root, 'package.json')).resolve('typescript/package.json')),
      'bin/tsc',
    )
  } catch (cause) {
    throw new FwError(
      'view.check-failed',
      `The TypeScript compiler is not installed in ${root}: npm install --save-dev typescript`,
      { cause },
    )
  }
}

async function runCompiler(root: string, signal: AbortSignal | undefined): Promise<string> {
  // Without `--noErrorTruncation`, `tsc` shortens long lists of possible values, in which `clarify` searches for the most
  // similar one.
  const options = ['-p', 'tsconfig.json', '--noEmit', '--noErrorTruncation', '--pretty', 'false']
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [compilerPath(root), ...options],
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
