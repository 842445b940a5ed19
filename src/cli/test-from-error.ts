/** `fw test:from-error`: writes the test that fails as a request did under `fw run`. */
import { spawnSync } from 'node:child_process'
import { generateSources } from '../app.ts'
import { FwError } from '../base.ts'
import { recordsOf, thrownPrefix, type RequestRecord } from '../dev.ts'
import { errorTestDraft, writeDrafts, type WriteOptions } from '../generate.ts'
import { applicationRoot } from './load-life-cycle.ts'
import { tellOutcomes } from './tell-outcomes.ts'

interface Options extends WriteOptions {
  readonly app: string
  /** False writes the test and leaves it at that. */
  readonly run: boolean
}

/**
 * Without an id the last error is meant. The test is run once: the exit code is 1 when it does not fail as the request did.
 * @throws FwError `cli.no-error`, `generate.file-exists`
 */
export function testFromError(id: string | undefined, options: Options): void {
  const root = applicationRoot(options.app)
  const record = recordOf(root, id)
  const draft = errorTestDraft(record)
  tellOutcomes(writeDrafts(root, [draft], options), options)
  for (const left of record.left) process.stdout.write(`left out or hidden: ${left}\n`)
  if (options.run && options.pretend !== true) tryOut(root, draft.path, record)
}

function recordOf(root: string, id: string | undefined): RequestRecord {
  const records = recordsOf(root)
  const wanted = id ?? records.ids()[0]
  const record = wanted === undefined ? undefined : records.read(wanted)
  if (record !== undefined) return record as RequestRecord
  const known = records.ids().slice(0, 3).join(', ')
  throw new FwError(
    'cli.no-error',
    known === ''
      ? 'No error is kept in tmp/errors: only fw run keeps the requests that failed.'
      : `No error ${String(wanted)} is kept in tmp/errors; the last ones are ${known}.`,
  )
}

/** What the output of the test says when it fails for the same reason: every output holds an empty text. */
export function reasonOf({
  name,
  message,
}: Pick<RequestRecord['error'], 'name' | 'message'>): string {
  const said = message.startsWith(thrownPrefix) ? message.slice(thrownPrefix.length) : message
  const [reason = ''] = said.split('\n')
  return reason.trim() === '' ? name : reason
}

function tryOut(root: string, path: string, { error }: RequestRecord): void {
  generateSources(root)
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...process.execArgv, '--test', '--test-reporter=spec', path],
    { cwd: root, env: { ...process.env, FW_ENV: 'test' }, encoding: 'utf8' },
  )
  const reason = reasonOf(error)
  if (status !== 0 && stdout.includes(reason)) {
    process.stdout.write(`\nIt fails as the request did: ${error.name}: ${reason}\n`)
    process.stdout.write(`Mend the code, then run: ./fw test ${path}\n`)
    return
  }
  process.exitCode = 1
  process.stdout.write(
    status === 0
      ? '\nIt passes: the request failed by something that the test does not have yet. Rows of its tables? Its comment names them.\n'
      : `\nIt fails, but not as the request did:\n${stdout}${stderr}`,
  )
}
