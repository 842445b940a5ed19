/** Checks the types of an application's code and templates in one run of `tsc`. */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { FwError } from '../../runtime/base.ts'
import { mapReport, parseReport, syntaxDiagnostic, type ViewDiagnostic } from './diagnostics.ts'
import { generateViews } from '../compile.ts'
import { projectPaths, type ViewProject } from '../../runtime/view.ts'

/** How a project is checked. */
export interface CheckOptions {
  /** Relative to the project's root; `tsconfig.json` by default. */
  readonly tsconfig?: string
  readonly signal?: AbortSignal
}

/** The result of a check. */
export interface CheckResult {
  /** The errors of templates, then the type errors; both in the order of files. */
  readonly diagnostics: readonly ViewDiagnostic[]
  readonly templates: number
  /** Milliseconds for generating and for type checking. */
  readonly elapsed: { readonly generate: number; readonly check: number }
}

/**
 * Generates the views, runs `tsc --noEmit` once, and maps its errors to the templates. Without errors, `diagnostics` is
 * empty.
 *
 * @throws FwError `view.check-failed` when the compiler is not installed, or fails for another reason than type errors
 */
export async function checkProject(
  project: ViewProject,
  options: CheckOptions = {},
): Promise<CheckResult> {
  const paths = projectPaths(project)
  const begun = performance.now()
  const { templates, errors, prove } = generateViews(project, { proof: 'later' })
  const generated = performance.now()
  // The compiler is a child process, so the proof runs concurrently.
  const compiler = runCompiler(paths.root, options)
  const refuted = prove()
  const types = mapReport(parseReport(await compiler), templates, paths)
  return {
    diagnostics: [...errors, ...refuted].map(syntaxDiagnostic).concat(types),
    templates: templates.length + errors.length,
    elapsed: { generate: generated - begun, check: performance.now() - generated },
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

async function runCompiler(root: string, options: CheckOptions): Promise<string> {
  const values = [
    compilerPath(root),
    '-p',
    options.tsconfig ?? 'tsconfig.json',
    '--noEmit',
    // A suggestion needs every possible value.
    '--noErrorTruncation',
    '--pretty',
    'false',
  ]
  const child = spawn(process.execPath, values, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(options.signal && { signal: options.signal }),
  })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve)
  })
  if (status !== 0 && parseReport(output).length === 0) {
    throw new FwError(
      'view.check-failed',
      `The TypeScript compiler stopped with status ${status}:\n${(output + errors).trim()}`,
    )
  }
  return output
}
