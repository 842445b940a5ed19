/**
 * Loaded by `fw test` before the test files. Fails a run that Node's test runner would pass although tests are missing. The runner
 * drops an error at the top level of a file if a test of that file is already registered: the tests below the error then do not
 * exist. It also passes a run whose process a file ends by `process.exit`.
 */
import { after } from 'node:test'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'

const files = JSON.parse(process.env['FW_TEST_FILES'] ?? '[]') as readonly string[]

function fail(file: string, error: unknown): void {
  process.stderr.write(
    `${file} was not loaded to its end, so tests are missing: ${inspect(error)}\n`,
  )
  // The runner sets the exit code at its end, and a failing hook of the whole run does not change it.
  process.once('exit', () => {
    process.exitCode = 1
  })
}

let isComplete = false
process.once('exit', () => {
  if (isComplete) return
  process.stderr.write(
    'The process ended before its tests, perhaps by process.exit in a test file.\n',
  )
  process.exitCode ||= 1
})

// A module is evaluated only once: importing it again rejects with the error of that evaluation.
after(async () => {
  for (const file of files)
    await import(pathToFileURL(file).href).catch((error: unknown) => fail(file, error))
  isComplete = true
})
