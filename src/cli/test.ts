/** `fw test`: the application's tests on Node's own runner. */
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { generateSources } from '../app.ts'
import { FwError } from '../base.ts'
import { applicationRoot } from './load-life-cycle.ts'

interface TestOptions {
  readonly app: string
}

/**
 * Generates views and keys, then runs every `.test.ts` below `src/test`, or the files and options given.
 * @throws FwError `cli.no-tests`
 */
export async function test(given: readonly string[], { app }: TestOptions): Promise<void> {
  const root = applicationRoot(app)
  generateSources(root)
  const named = given.some((word) => !word.startsWith('-'))
  const files = named ? [] : globSync('src/test/**/*.test.ts', { cwd: root })
  if (!named && files.length === 0) {
    throw new FwError(
      'cli.no-tests',
      `${join(root, 'src/test')} holds no file that ends in .test.ts.`,
    )
  }
  process.exitCode = await runNode(root, ['--test', ...oneProcess(given), ...given, ...files])
}

/** All files in one process, which starts the application once and not for each; unless it is said otherwise. */
function oneProcess(given: readonly string[]): string[] {
  if (given.some((word) => word.includes('test-isolation'))) return []
  const isolation = process.allowedNodeEnvironmentFlags.has('--test-isolation')
    ? '--test-isolation'
    : '--experimental-test-isolation'
  return [`${isolation}=none`]
}

/** The flags of this process, its conditions among them, hold for the tests too. */
function runNode(root: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    // Lines are counted less exactly in code out of the cache.
    const counts = args.some((arg) => arg.includes('coverage')) || 'NODE_V8_COVERAGE' in process.env
    const uncached = counts ? { NODE_DISABLE_COMPILE_CACHE: '1' } : {}
    const env = { ...process.env, ...uncached, FW_ENV: 'test' }
    const child = spawn(process.execPath, [...process.execArgv, ...args], {
      cwd: root,
      env,
      stdio: 'inherit',
    })
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? 1))
  })
}
