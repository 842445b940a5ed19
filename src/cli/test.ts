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
  process.exitCode = await runNode(root, ['--test', ...given, ...files])
}

/** The flags of this process, its conditions among them, hold for the tests too. */
function runNode(root: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, FW_ENV: 'test' }
    const child = spawn(process.execPath, [...process.execArgv, ...args], {
      cwd: root,
      env,
      stdio: 'inherit',
    })
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? 1))
  })
}
