/** Runs the static checks (format, lint, types), and prints the output of those that fail. */
import { spawnSync } from 'node:child_process'

const steps = ['format:check', 'lint', 'typecheck', 'typecheck:example']

function passes(step: string): boolean {
  const started = performance.now()
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', step], {
    encoding: 'utf8',
  })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${status === 0 ? '✓' : '✗'} ${step} (${seconds} s)`)
  if (status !== 0) console.log(`${stdout}${stderr}`)
  return status === 0
}

const failed = steps.filter((step) => !passes(step))
if (failed.length > 0) {
  console.log(
    `Stopped before the tests: fix ${failed.map((step) => `npm run ${step}`).join(', ')} first.`,
  )
  process.exitCode = 1
}
