/**
 * Reads vitest's reports of a CI run.
 * `.ci/sum.ts failed-files FOLDER RUN` prints the files to run again, `.ci/sum.ts total FOLDER RUNS` prints the total.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

/** If more files fail, the cause is not a busy machine, so none is run again. */
const mostRepeated = 6
const [command, folder = '.', number = '0'] = process.argv.slice(2)

function readReport(name: string): Report | undefined {
  const file = join(folder, `${name}.json`)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : undefined
}

const failedFiles = ({ testResults }: Report) =>
  testResults.filter(({ status }) => status === 'failed')

const failedTests = (report: Report) =>
  failedFiles(report).flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
  )

/** Also counts files that failed to load, which contain no failed test. */
function countFailures(report: Report): number {
  const broken = failedFiles(report).filter(
    ({ assertionResults }) => !assertionResults.some(({ status }) => status === 'failed'),
  )
  return report.numFailedTests + broken.length
}

/** The failures of a run that remain after its failed files were run again. */
function countRemaining(run: number, report: Report): number {
  const failures = countFailures(report)
  const again = readReport(`again-${run}`)
  if (again === undefined || again.numPassedTests === 0) return failures
  const failedAgain = new Set(failedTests(again))
  for (const name of failedTests(report))
    console.log(`run ${run}: failed ${failedAgain.has(name) ? 'twice' : 'once'}: ${name}`)
  return countFailures(again)
}

function printFailedFiles(run: string): void {
  const report = readReport(`report-${run}`)
  const files = report === undefined ? [] : failedFiles(report)
  if (files.length > mostRepeated) return
  for (const { name } of files) console.log(relative('.', name))
}

function printTotal(runs: number): void {
  const total = {
    passed: 0,
    failed: existsSync(join(folder, 'failed-launcher')) ? 1 : 0,
    skipped: 0,
  }
  for (let run = 1; run <= runs; run += 1) {
    const report = readReport(`report-${run}`)
    const found = report === undefined ? 0 : countFailures(report)
    const remaining = report === undefined ? 0 : countRemaining(run, report)
    const hasFailed = existsSync(join(folder, `failed-${run}`))
    total.passed += (report?.numPassedTests ?? 0) + found - remaining
    total.skipped += report?.numPendingTests ?? 0
    const failedOutside = found === 0 && (hasFailed || report === undefined)
    if (failedOutside) console.log(`run ${run}: ended with an error outside of its tests`)
    total.failed += failedOutside ? 1 : remaining
  }
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : ''
  console.log(`${total.passed} passed, ${total.failed} failed${skipped}`)
  process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1
}

if (command === 'failed-files') printFailedFiles(number)
else printTotal(Number(number))
