/** Records failed requests in `tmp/errors` without secrets; `fw test:from-error` generates a test from a record. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { redactPath, type FwContext } from '../../runtime/action.ts'
import { isSecretName, redacted } from '../../runtime/base.ts'
import { sentStatements, type SentStatement } from '../../runtime/db.ts'
import type { FieldMap } from '../../runtime/http.ts'
import { csrfHeader, csrfKey, decodeValue } from '../../runtime/session.ts'
import type { ErrorReport } from './error-report.ts'
import { literal } from './code-literal.ts'
import { mentionsSecret, redactMembers } from './redact-request.ts'
import { findTables, readRows, type TableRows } from './rows-read.ts'

type Pairs = readonly (readonly [name: string, value: string])[]

/** A failed request, as stored in `tmp/errors`. */
export interface RequestRecord {
  readonly id: string
  readonly at: string
  readonly error: Pick<ErrorReport, 'name' | 'message' | 'code'> & { readonly place?: string }
  readonly method: string
  /** The percent-encoded path without the query, with secrets redacted. */
  readonly path: string
  readonly query: Pairs
  readonly headers: Pairs
  readonly form?: Pairs
  /** The JSON body as TypeScript code. */
  readonly json?: string
  readonly text?: string
  /** The session attributes before the request; the values are TypeScript code. */
  readonly session: Pairs
  readonly flash: Pairs
  /** Whether the request contained a CSRF token. */
  readonly token: boolean
  /** The descriptions of values that were omitted or redacted. */
  readonly omitted: readonly string[]
  readonly tables: readonly string[]
  /** The rows that the request read, and those that they reference, in an order in which they can be inserted. */
  readonly rows: readonly TableRows[]
}

const maxRecords = 20
const maxRecordBytes = 128 * 1024
const recordFile = /^[\w-]{1,64}\.json$/

/** A folder with the newest records. Each record is a JSON file named after the request's id. */
export class RecordFolder {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Stores a record and removes the oldest ones; returns false for a record that is too large. */
  keep(id: string, record: object): boolean {
    const text = JSON.stringify(record, undefined, 2)
    if (Buffer.byteLength(text) > maxRecordBytes || !recordFile.test(`${id}.json`)) return false
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    // Ignore the folder itself in git: records contain personal data, and the application's .gitignore may lack an entry.
    writeFileSync(join(this.#folder, '.gitignore'), '*\n')
    writeFileSync(join(this.#folder, `${id}.json`), `${text}\n`, { mode: 0o600 })
    for (const old of this.ids().slice(maxRecords))
      rmSync(join(this.#folder, `${old}.json`), { force: true })
    return true
  }

  /** Returns ids, newest first. */
  ids(): string[] {
    try {
      return readdirSync(this.#folder)
        .filter((file) => recordFile.test(file))
        .map((file) => [file.slice(0, -'.json'.length), this.#timeOf(file)] as const)
        .sort(([, one], [, other]) => other - one)
        .map(([id]) => id)
    } catch {
      return []
    }
  }

  /** Returns the record with this id; `undefined` if it does not exist. */
  read(id: string): RequestRecord | undefined {
    if (!this.ids().includes(id)) return undefined
    const record = JSON.parse(readFileSync(join(this.#folder, `${id}.json`), 'utf8')) as object
    // Records of older versions lack `rows` or `omitted`.
    return { rows: [], omitted: [], ...record } as Partial<RequestRecord> as RequestRecord
  }

  #timeOf(file: string): number {
    return statSync(join(this.#folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0
  }
}

const maxBodyBytes = 64 * 1024
/** Matches the headers that are not recorded: they depend on the connection or the browser, or the test adds them itself. */
const omittedHeaders =
  /^(?:host|connection|keep-alive|content-length|transfer-encoding|te|upgrade.*|expect|user-agent|accept-encoding|cache-control|pragma|priority|dnt|origin|referer|sec-.*|cookie|x-csrf-token)$/

/**
 * Begins the record of a failed request. The returned function stores it: without rows at once, and with the rows that the request
 * read after its transaction has ended. It must be called after the end of the request.
 */
export function recordRequest(
  ctx: FwContext,
  error: ErrorReport,
  records: RecordFolder,
): () => Promise<void> {
  const statements = [...sentStatements()]
  const draft = createRecord(ctx, error, statements)
  draft.catch(() => {})
  // The statements need the local settings of the request.
  const inRequest = AsyncLocalStorage.snapshot()
  return async () => {
    const record = await draft
    if (!records.keep(record.id, record))
      return ctx.logger.warn({}, 'the failed request is too large to be recorded')
    const omitted = [...record.omitted]
    const rows = await inRequest(() => readRows(statements, omitted))
    if (rows.length === 0 || records.keep(record.id, { ...record, rows, omitted })) return
    ctx.logger.warn({}, 'the rows that the failed request read are too large to be recorded')
  }
}

/** Reads the body of a failed request, then creates its record. */
async function createRecord(
  ctx: FwContext,
  error: ErrorReport,
  statements: readonly SentStatement[],
): Promise<RequestRecord> {
  const omitted: string[] = []
  const { request } = ctx
  const { flash = [], session = [] } = Object.groupBy(
    storedAttributes(ctx, omitted),
    ([attribute]) => (attribute.startsWith('flash:') ? 'flash' : 'session'),
  )
  const { name, message, code, place } = error
  return {
    id: ctx.requestId,
    at: new Date().toISOString(),
    error: {
      name,
      message,
      ...(code === undefined ? {} : { code }),
      ...(place === undefined ? {} : { place: `${place.file}:${place.line}` }),
    },
    method: request.http.method,
    path: redactPath(request.http.target.split('?', 1)[0]!, ctx, omitted),
    query: redactFields(request.query, 'query', omitted),
    headers: collectHeaders(ctx, omitted),
    session,
    flash: flash.map(([attribute, value]) => [attribute.slice('flash:'.length), value]),
    token: request.header(csrfHeader) !== undefined || request.form.has(csrfKey),
    tables: findTables(statements.map(({ sql }) => sql)),
    rows: [],
    omitted,
    ...(await readBody(ctx, omitted)),
  }
}

function storedAttributes({ loadedSession }: FwContext, omitted: string[]): Pairs {
  const pairs: (readonly [string, string])[] = []
  for (const [name, text] of loadedSession?.stored?.attributes ?? []) {
    if (name === csrfKey) continue
    const value = isSecretName(name)
      ? undefined
      : literal(redactMembers(decodeValue(text), `session ${name}`, omitted))
    if (value === undefined) omitted.push(`session ${name}`)
    else pairs.push([name, value])
  }
  return pairs
}

function redactFields(fields: FieldMap, source: string, omitted: string[]): Pairs {
  return [...fields]
    .filter(([name]) => name !== csrfKey)
    .flatMap(([name, values]) => {
      const isSecret = isSecretName(name)
      if (isSecret) omitted.push(`${source} ${name}`)
      return values.map((value) => [name, isSecret ? redacted : value] as const)
    })
}

function collectHeaders({ request }: FwContext, omitted: string[]): Pairs {
  const headers: (readonly [string, string])[] = []
  for (const [name, text] of request.http.headers()) {
    if (omittedHeaders.test(name)) continue
    if (isSecretName(name)) omitted.push(`header ${name}`)
    else headers.push([name, text])
  }
  return headers
}

async function readBody(
  { request }: FwContext,
  omitted: string[],
): Promise<Pick<RequestRecord, 'form' | 'json' | 'text'>> {
  const type = request.mediaType ?? ''
  if (type === 'multipart/form-data') omitted.push('uploaded files')
  if (request.form.size > 0) return { form: redactFields(request.form, 'form', omitted) }
  const bytes = await Promise.resolve(request.cachedBytes).catch(() => undefined)
  if (bytes === undefined || bytes.byteLength === 0) return {}
  const text = new TextDecoder().decode(bytes)
  if (bytes.byteLength <= maxBodyBytes && /[/+]json$/.test(type)) {
    const json = toJsonLiteral(text, omitted)
    if (json !== undefined) return { json }
  }
  const isHidden = bytes.byteLength > maxBodyBytes || mentionsSecret(text)
  if (!isHidden && /^text\/|[/+](?:xml|json)$/.test(type)) return { text }
  omitted.push(`the body (${type === '' ? 'no type' : type}, ${bytes.byteLength} bytes)`)
  return {}
}

function toJsonLiteral(text: string, omitted: string[]): string | undefined {
  try {
    return literal(redactMembers(JSON.parse(text), 'json', omitted))
  } catch {
    return undefined
  }
}
