/** `fw test`: runs the application's tests with Node's test runner. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { generateSources } from '../../templates/compile.ts'
import { FwError, moduleFile } from '../../runtime/base.ts'
import { applicationRoot } from './load-application.ts'

/**
 * Generates `.fw`, then runs Node's test runner with the given files and options; without files, with every `.test.ts` in
 * `src/test`.
 * @throws FwError `cli.no-tests`
 */
export async function test(
  args: readonly string[],
  { app }: { readonly app: string },
): Promise<void> {
  const root = applicationRoot(app)
  generateSources(root)
  const names = args.filter((arg) => !arg.startsWith('-'))
  const namesFiles = names.length > 0
  const files = namesFiles ? [] : globSync('src/test/**/*.test.ts', { cwd: root })
  if (!namesFiles && files.length === 0)
    throw new FwError(
      'cli.no-tests',
      `${join(root, 'src/test')} contains no file that ends in .test.ts.`,
    )
  const nodeArgs = ['--test', ...isolationFlag(args), ...reporterFlag(args), ...args, ...files]
  const loaded = namesFiles ? globSync(names, { cwd: root }) : files
  process.exitCode = loadsOnce(args)
    ? await runNode(
        root,
        ['--import', pathToFileURL(moduleFile('tools/cli/test-preload')).href, ...nodeArgs],
        {
          FW_TEST_FILES: JSON.stringify(loaded.map((file) => resolve(root, file))),
        },
      )
    : await runNode(root, nodeArgs)
}

/** Returns true if one process loads each named file once, so that the preloaded module can check all files at the end. */
const loadsOnce = (args: readonly string[]): boolean =>
  !args.some((arg) => /^--(?:(?:experimental-)?test-isolation|test-shard|watch)/.test(arg))

/**
 * Returns the flag that runs all files in one process, which starts the application once; none if the arguments contain one.
 */
function isolationFlag(args: readonly string[]): string[] {
  if (args.some((arg) => arg.includes('test-isolation'))) return []
  const flag = process.allowedNodeEnvironmentFlags.has('--test-isolation')
    ? '--test-isolation'
    : '--experimental-test-isolation'
  return [`${flag}=none`]
}

/** Returns the flag of the readable report, because Node 22 writes TAP into a pipe; none if the arguments contain one. */
const reporterFlag = (args: readonly string[]): string[] =>
  args.some((arg) => arg.startsWith('--test-reporter')) ? [] : ['--test-reporter=spec']

/** Runs Node with the flags of this process, such as `--conditions`, and resolves to the exit code. */
async function runNode(
  root: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  // Disable the compile cache for coverage, because V8 counts executed lines less exactly in cached code.
  const measures = args.some((arg) => arg.includes('coverage')) || 'NODE_V8_COVERAGE' in process.env
  const uncached = measures ? { NODE_DISABLE_COMPILE_CACHE: '1' } : {}
  const child = spawn(process.execPath, [...process.execArgv, ...args], {
    cwd: root,
    env: { ...process.env, ...uncached, ...env, FW_ENV: 'test' },
    stdio: 'inherit',
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return code ?? 1
}
