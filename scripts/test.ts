/** `./fw test` in this repository: every check, then every suite; with arguments, only the suites, narrowed by them. */
import { spawnSync } from 'node:child_process'
import { findChromium } from '../src/testing/chromium.ts'

function run(command: string, ...args: string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' })
  if (error !== undefined) throw error
  if (status !== 0) process.exit(status ?? 1)
}

const filters = process.argv.slice(2)
const suites = ['unit', 'package', 'browser']

if (findChromium() === undefined) {
  console.log('No Chromium on PATH and no CHROMIUM: the browser tests are left out.')
  suites.pop()
}
if (filters.length === 0) {
  run(process.execPath, 'scripts/check.ts')
  run('npm', 'run', '--silent', 'test:example')
}
run('node_modules/.bin/vitest', 'run', ...suites.map((suite) => `--project=${suite}`), ...filters)
