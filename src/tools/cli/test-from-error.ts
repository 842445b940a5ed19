/** `fw test:from-error`: writes and runs a test that repeats a failed request of `fw run` and fails with the same error. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { generateSources } from '../../templates/compile.ts'
import { FwError } from '../../runtime/base.ts'
import { nonErrorPrefix, requestRecords, type RequestRecord } from '../dev.ts'
import { generateErrorTest, writeFiles, type WriteOptions } from '../generate.ts'
import { printOutcomes } from './generate-files.ts'
import { applicationRoot, type CommandOptions } from './load-application.ts'
import { printJson, printLine, withProgress } from './terminal.ts'

type Options = WriteOptions & CommandOptions & { readonly run: boolean }

interface TestResult {
  /** `as-the-request`: the test fails with the request's error, as intended; `otherwise`: it fails with another error. */
  readonly result: 'as-the-request' | 'passed' | 'otherwise'
  /** The first line of the request's error. */
  readonly reason: string
  /** The output of the test, if its result is `otherwise`. */
  readonly output?: string
}

/**
 * Writes a test for the recorded error with this id, by default the last error. Sets the exit code to 1 if the test does not
 * fail with the request's error.
 * @throws FwError `cli.no-error`, `generate.file-exists`
 */
export async function testFromError(id: string | undefined, options: Options): Promise<void> {
  const root = applicationRoot(options.app)
  const record = readRecord(root, id)
  const file = generateErrorTest(record)
  const files = writeFiles(root, [file], options)
  const isJson = options.json === true
  if (!isJson) {
    printOutcomes(files, options)
    for (const what of record.omitted) printLine(`omitted or redacted: ${what}`)
  }
  const tried =
    options.run && options.pretend !== true
      ? await withProgress('running the test', () => runTest(root, file.path, record))
      : undefined
  if (tried !== undefined && tried.result !== 'as-the-request') process.exitCode = 1
  if (isJson) printJson({ files, omitted: record.omitted, tried: tried ?? null })
  else if (tried !== undefined) printResult(tried, file.path, record)
}

function readRecord(root: string, id: string | undefined): RequestRecord {
  const records = requestRecords(root)
  const wanted = id ?? records.ids()[0]
  const record = wanted === undefined ? undefined : records.read(wanted)
  if (record !== undefined) return record
  const known = records.ids().slice(0, 3).join(', ')
  throw new FwError(
    'cli.no-error',
    known === ''
      ? 'tmp/errors contains no error: only fw run records the requests that fail.'
      : `tmp/errors contains no error ${String(wanted)}; the last ones are ${known}.`,
  )
}

/**
 * Returns the first line of an error's message, or the error's name if that line is blank. A test whose output contains this
 * text reproduces the error.
 */
export function failureReason({
  name,
  message,
}: Pick<RequestRecord['error'], 'name' | 'message'>): string {
  const own = message.startsWith(nonErrorPrefix) ? message.slice(nonErrorPrefix.length) : message
  const [reason = ''] = own.split('\n')
  return reason.trim() === '' ? name : reason
}

async function runTest(root: string, path: string, { error }: RequestRecord): Promise<TestResult> {
  generateSources(root)
  const child = spawn(
    process.execPath,
    [...process.execArgv, '--test', '--test-reporter=spec', path],
    {
      cwd: root,
      env: { ...process.env, FW_ENV: 'test' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const [[code], output, errors] = await Promise.all([
    once(child, 'close') as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ])
  const reason = failureReason(error)
  if (code === 0) return { result: 'passed', reason }
  return output.includes(reason)
    ? { result: 'as-the-request', reason }
    : { result: 'otherwise', reason, output: output + errors }
}

function printResult(
  { result, reason, output }: TestResult,
  path: string,
  { error }: RequestRecord,
): void {
  if (result === 'as-the-request') {
    printLine(`\nIt fails as the request did: ${error.name}: ${reason}`)
    printLine(`Correct the code, then run: ./fw test ${path}`)
  } else if (result === 'passed')
    printLine(
      '\nIt passes: the request failed because of data that the test lacks, such as rows of its tables. Its comment names them.',
    )
  else printLine(`\nIt fails, but not as the request did:\n${output}`)
}
