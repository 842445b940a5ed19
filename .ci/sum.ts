/** Adds up vitest's reports of a CI run and prints the total: `.ci/sum.ts FOLDER RUNS`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly testResults: readonly {
    readonly status: string
    readonly assertionResults: readonly { readonly status: string }[]
  }[]
}

const [folder = '.', runs = '0'] = process.argv.slice(2)

/** Also counts files that failed to load, which contain no failed test. */
function countFailures(report: Report): number {
  const broken = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((one) => one.status === 'failed'),
  )
  return report.numFailedTests + broken.length
}

const total = { passed: 0, failed: existsSync(join(folder, 'failed-launcher')) ? 1 : 0, skipped: 0 }
for (let run = 1; run <= Number(runs); run += 1) {
  const file = join(folder, `report-${run}.json`)
  const report = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : undefined
  const failures = report === undefined ? 0 : countFailures(report)
  const failed = readdirSync(folder).includes(`failed-${run}`)
  total.passed += report?.numPassedTests ?? 0
  total.skipped += report?.numPendingTests ?? 0
  total.failed += failures === 0 && (failed || report === undefined) ? 1 : failures
}

const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : ''
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`)
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1
