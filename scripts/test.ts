/**
 * Runs every check, then every test suite: `./fw test` in this repository. With arguments, runs only the tests that
 * they select, without the checks.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { findChromium } from '../src/tools/testing/chromium.ts'

type Output = 'inherit' | 'pipe'

/** Runs a command. Resolves to its exit code, and to its output if `output` is `pipe`. */
async function run(output: Output, command: string, ...args: string[]) {
  const child = spawn(command, args, { stdio: ['inherit', output, output] })
  const printed = [child.stdout, child.stderr].map(async (stream) => (stream ? text(stream) : ''))
  const status = await new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? 1))
  })
  return { status, printed: (await Promise.all(printed)).join('') }
}

function stopUnless(status: number): void {
  if (status !== 0) process.exit(status)
}

// All processes of the run share one compile cache, which the test suites use as well.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../node_modules/.cache/node')

const filters = process.argv.slice(2)
const suites = ['unit', 'package', 'browser']

if (findChromium() === undefined) {
  console.log('No Chromium on PATH or in CHROMIUM: skipping the browser tests.')
  suites.pop()
}
if (filters.length === 0) {
  const [checks, example] = await Promise.all([
    run('inherit', process.execPath, 'scripts/check.ts'),
    run('pipe', 'npm', 'run', '--silent', 'test:example'),
  ])
  console.log(example.printed)
  stopUnless(checks.status || example.status)
}
const projects = suites.map((suite) => `--project=${suite}`)
stopUnless(
  (await run('inherit', 'node_modules/.bin/vitest', 'run', ...projects, ...filters)).status,
)
