/** Checks the types of an application's code and templates in one run of `tsc`. */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { FwError } from '../../runtime/base.ts'
import { mapReport, parseReport, syntaxDiagnostic, type ViewDiagnostic } from './diagnostics.ts'
import { generateViews } from '../compile.ts'
import { projectPaths, type ViewProject } from '../../runtime/view.ts'

/** The options of a check. */
export interface CheckOptions {
  /** The path of the configuration file relative to the project's root; default `tsconfig.json`. */
  readonly tsconfig?: string
  readonly signal?: AbortSignal
}

/** The result of a check. */
export interface CheckResult {
  /** The errors of templates, then the type errors, each sorted by file. */
  readonly diagnostics: readonly ViewDiagnostic[]
  readonly templates: number
  /** The time that the generation of the modules and the type check took, in milliseconds. */
  readonly elapsed: { readonly generate: number; readonly check: number }
}

/**
 * Generates the modules of all templates, runs `tsc --noEmit` once, and maps its errors to the templates. `diagnostics`
 * is empty if there are no errors.
 * @throws FwError `view.check-failed` if the compiler is not installed, or fails without reporting type errors
 */
export async function checkProject(
  project: ViewProject,
  options: CheckOptions = {},
): Promise<CheckResult> {
  const paths = projectPaths(project)
  const begun = performance.now()
  const { templates, errors, prove } = generateViews(project, { proof: 'later' })
  const generated = performance.now()
  // The compiler runs in a child process, so the proof of the escaping runs at the same time.
  const compiler = runCompiler(paths.root, options)
  const unsafe = prove()
  const types = mapReport(parseReport(await compiler), templates, paths)
  return {
    diagnostics: [...errors, ...unsafe]
      .map((error) => syntaxDiagnostic(error, paths))
      .concat(types),
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
    // Without this flag, `tsc` shortens long lists of possible values, in which `clarify` searches for the most similar
    // one.
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
