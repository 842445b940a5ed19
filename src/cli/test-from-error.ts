/** `fw test:from-error`: writes the test that fails as a request did under `fw run`. */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { generateSources } from '../app.ts'
import { FwError } from '../base.ts'
import { recordsOf, thrownPrefix, type RequestRecord } from '../dev.ts'
import { errorTestDraft, writeDrafts, type WriteOptions } from '../generate.ts'
import { applicationRoot } from './load-life-cycle.ts'
import { withProgress } from './progress.ts'
import { tellOutcomes } from './tell-outcomes.ts'

interface Options extends WriteOptions {
  readonly app: string
  /** False writes the test and leaves it at that. */
  readonly run: boolean
  readonly json?: boolean
}

/** How the test ended when it was tried out. */
interface Tried {
  /** `as-the-request`: it fails for the same reason, as it must; else it passes, or fails for another one. */
  readonly result: 'as-the-request' | 'passed' | 'otherwise'
  readonly reason: string
  /** What the test said where it failed otherwise. */
  readonly output?: string
}

/**
 * Without an id the last error is meant. The test is run once: the exit code is 1 when it does not fail as the request did.
 * @throws FwError `cli.no-error`, `generate.file-exists`
 */
export async function testFromError(id: string | undefined, options: Options): Promise<void> {
  const root = applicationRoot(options.app)
  const record = recordOf(root, id)
  const draft = errorTestDraft(record)
  const files = writeDrafts(root, [draft], options)
  const tells = options.json !== true
  if (tells) tellOutcomes(files, options)
  for (const left of tells ? record.left : []) say(`left out or hidden: ${left}`)
  const tried =
    options.run && options.pretend !== true
      ? await withProgress('running the test', () => tryOut(root, draft.path, record))
      : undefined
  if (tried !== undefined && tried.result !== 'as-the-request') process.exitCode = 1
  if (!tells) say(JSON.stringify({ files, left: record.left, tried: tried ?? null }, undefined, 2))
  else if (tried !== undefined) tellTried(tried, draft.path, record)
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)

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

async function tryOut(root: string, path: string, { error }: RequestRecord): Promise<Tried> {
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
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const [status, said, failed] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
  const reason = reasonOf(error)
  if (status === 0) return { result: 'passed', reason }
  return said.includes(reason)
    ? { result: 'as-the-request', reason }
    : { result: 'otherwise', reason, output: said + failed }
}

function tellTried(
  { result, reason, output }: Tried,
  path: string,
  { error }: RequestRecord,
): void {
  if (result === 'as-the-request') {
    say(`\nIt fails as the request did: ${error.name}: ${reason}`)
    say(`Mend the code, then run: ./fw test ${path}`)
  } else if (result === 'passed')
    say(
      '\nIt passes: the request failed by something that the test does not have yet. Rows of its tables? Its comment names them.',
    )
  else say(`\nIt fails, but not as the request did:\n${output}`)
}
