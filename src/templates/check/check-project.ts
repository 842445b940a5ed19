/** Checks the types of an application's code and templates in one run of `tsc`. */
import { execFile, type ExecFileException } from 'node:child_process'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { FwError } from '../../runtime/base.ts'
import {
  mapReport,
  parseReport,
  type ReportedError,
  syntaxDiagnostic,
  type ViewDiagnostic,
} from './diagnostics.ts'
import { policyWarnings } from './policy-warnings.ts'
import { generateViews } from '../compile.ts'
import type { CompiledTemplate } from '../emit.ts'
import type { TemplateError } from '../read.ts'
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

/** What a check of types has found, before it is explained. */
export interface ProjectReport {
  readonly templates: readonly CompiledTemplate[]
  /** The syntax errors of templates. */
  readonly errors: readonly TemplateError[]
  /** The expressions whose escaping is unsafe. */
  readonly unsafe: readonly TemplateError[]
  readonly types: readonly ReportedError[]
}

interface CheckOptions {
  readonly signal?: AbortSignal | undefined
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
  return describeReport(await reportProject(project, options), project)
}

/** Checks as `checkProject` does; `describeReport` explains the result. */
export async function reportProject(
  project: ViewProject,
  options: CheckOptions = {},
): Promise<ProjectReport> {
  const { templates, errors, prove } = generateViews(project, { proof: 'later' })
  const { root } = projectPaths(project)
  // The compiler runs in a child process, so the proof of the escaping runs at the same time.
  const compiler = runCompiler(root, checkOptions, options)
  const unsafe = prove()
  return { templates, errors, unsafe, types: parseReport(await compiler) }
}

/** Returns the absolute paths of the files that the compiler reads, without those of packages. */
export async function listProjectFiles(
  project: ViewProject,
  options: CheckOptions = {},
): Promise<readonly string[]> {
  const { root } = projectPaths(project)
  const output = await runCompiler(root, ['--listFilesOnly'], options)
  return output.split(/\r?\n/).filter((path) => path !== '' && !path.includes('/node_modules/'))
}

/** Explains what a check has found. */
export function describeReport(report: ProjectReport, project: ViewProject): CheckResult {
  const paths = projectPaths(project)
  const { templates, errors, unsafe, types } = report
  return {
    diagnostics: [...errors, ...unsafe]
      .map((error) => syntaxDiagnostic(error, paths))
      .concat(mapReport(types, templates, paths), policyWarnings(templates, project)),
    templates: templates.length + new Set(errors.map(({ file }) => file)).size,
  }
}

/**
 * One checker of TypeScript 7 for each two processors, at most four; its default is four. Each repeats the types that files share, and the
 * garbage collection also needs processors: on two, one checker takes as long as two, with three quarters of their processor time and
 * memory.
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

/**
 * Without `--noErrorTruncation`, `tsc` shortens long lists of possible values, in which `clarify` searches for the most similar
 * one.
 */
const checkOptions = ['--noEmit', '--noErrorTruncation', '--pretty', 'false']

async function runCompiler(
  root: string,
  args: readonly string[],
  { signal, project = 'tsconfig.json' }: CheckOptions,
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [...findCompiler(root), '-p', project, ...args],
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
