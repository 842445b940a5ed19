/** Checks what can be checked without running it: format, lint, types. A failed one shows its own words. */
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
    `Not run further: ${failed.map((step) => `npm run ${step}`).join(', ')} must pass first.`,
  )
  process.exitCode = 1
}
