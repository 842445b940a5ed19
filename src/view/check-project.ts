/** Checks the types of an application's code and templates in one run of the stock compiler. */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { FwError } from '../base.ts'
import { mapReport, parseReport, syntaxDiagnostic, type ViewDiagnostic } from './diagnostics.ts'
import { generateViews } from './generate-views.ts'
import { projectPaths, type ViewProject } from './project.ts'

/** How a project is checked. */
export interface CheckOptions {
  /** Relative to the project's root; `tsconfig.json` by default. */
  readonly tsconfig?: string
  readonly signal?: AbortSignal
}

/** What a check found. */
export interface CheckResult {
  /** Templates' own mistakes first, then the type errors, each in the order of files. */
  readonly diagnostics: readonly ViewDiagnostic[]
  readonly templates: number
  /** Milliseconds of generating and of type checking. */
  readonly elapsed: { readonly generate: number; readonly check: number }
}

/**
 * Generates the views, runs `tsc --noEmit` once and maps what it says to the templates. No diagnostics means that
 * code and templates are right.
 *
 * @throws FwError `view.check-failed` when the compiler is not installed or stops for another reason than type errors.
 */
export async function checkProject(
  project: ViewProject,
  options: CheckOptions = {},
): Promise<CheckResult> {
  const paths = projectPaths(project)
  const begun = performance.now()
  const { templates, errors } = generateViews(project)
  const generated = performance.now()
  const output = await runCompiler(paths.root, options)
  const types = mapReport(parseReport(output), templates, paths)
  return {
    diagnostics: [...errors.map(syntaxDiagnostic), ...types],
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
