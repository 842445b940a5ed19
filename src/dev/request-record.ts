/** What a test needs to send a request again: kept in development, without secrets. */
import type { FwContext } from '../action.ts'
import { isSecretName, redacted } from '../base.ts'
import { sentStatements } from '../db.ts'
import type { FieldMap } from '../http.ts'
import { csrfHeader, csrfKey, decodeValue } from '../session.ts'
import type { ErrorReport } from './error-report.ts'
import { literal } from './literal.ts'
import type { RecordFolder } from './record-folder.ts'
import { namesSecret, pathWithoutSecrets, withoutSecrets } from './secrets.ts'

type Pairs = readonly (readonly [name: string, value: string])[]

/** A request that failed, as `tmp/errors` keeps it. */
export interface RequestRecord {
  readonly id: string
  readonly at: string
  readonly error: Pick<ErrorReport, 'name' | 'message' | 'code'> & { readonly place?: string }
  readonly method: string
  /** As it was sent, without the query and what is secret. */
  readonly path: string
  readonly query: Pairs
  readonly headers: Pairs
  readonly form?: Pairs
  /** A JSON body, as code. */
  readonly json?: string
  readonly text?: string
  /** Values as the request found them, as code. */
  readonly session: Pairs
  readonly flash: Pairs
  /** Whether a forgery token came with it. */
  readonly token: boolean
  /** What is not here, or hidden, in words. */
  readonly left: readonly string[]
  /** The tables that its statements name. */
  readonly tables: readonly string[]
}

const largestBody = 64 * 1024
/** Of the connection or of a browser: a test sends its own. */
const notKept =
  /^(?:host|connection|keep-alive|content-length|transfer-encoding|te|upgrade.*|expect|user-agent|accept-encoding|cache-control|pragma|priority|dnt|origin|referer|sec-.*|cookie|x-csrf-token)$/

/** Keeps a request that failed, once its body is there. */
export async function recordRequest(
  ctx: FwContext,
  error: ErrorReport,
  records: RecordFolder,
): Promise<void> {
  const left: string[] = []
  const { request } = ctx
  const statements = sentStatements().map(({ sql }) => sql)
  const session = storedAttributes(ctx, left)
  const { name, message, code, place } = error
  const record: RequestRecord = {
    id: ctx.requestId,
    at: new Date().toISOString(),
    error: {
      name,
      message,
      ...(code === undefined ? {} : { code }),
      ...(place === undefined ? {} : { place: `${place.file}:${place.line}` }),
    },
    method: request.http.method,
    path: pathWithoutSecrets(request.http.target.split('?', 1)[0]!, ctx, left),
    query: pairsOf(request.query, 'query', left),
    headers: headersOf(ctx, left),
    session: session.filter(([attribute]) => !attribute.startsWith('flash:')),
    flash: session
      .filter(([attribute]) => attribute.startsWith('flash:'))
      .map(([attribute, value]) => [attribute.slice('flash:'.length), value]),
    token: request.header(csrfHeader) !== undefined || request.form.has(csrfKey),
    tables: tablesOf(statements),
    left,
    ...(await bodyOf(ctx, left)),
  }
  if (!records.keep(record.id, record)) ctx.logger.warn({}, 'the request is too large to be kept')
}

function storedAttributes({ knownSession }: FwContext, left: string[]): Pairs {
  const pairs: (readonly [string, string])[] = []
  for (const [name, text] of knownSession?.stored?.attributes ?? []) {
    if (name === csrfKey) continue
    const value = isSecretName(name)
      ? undefined
      : literal(withoutSecrets(decodeValue(text), `session ${name}`, left))
    if (value === undefined) left.push(`session ${name}`)
    else pairs.push([name, value])
  }
  return pairs
}

function pairsOf(fields: FieldMap, where: string, left: string[]): Pairs {
  return [...fields]
    .filter(([name]) => name !== csrfKey)
    .flatMap(([name, values]) => {
      const secret = isSecretName(name)
      if (secret) left.push(`${where} ${name}`)
      return values.map((value) => [name, secret ? redacted : value] as const)
    })
}

function headersOf({ request }: FwContext, left: string[]): Pairs {
  const kept: (readonly [string, string])[] = []
  for (const [name, text] of request.http.headers()) {
    if (notKept.test(name)) continue
    if (isSecretName(name)) left.push(`header ${name}`)
    else kept.push([name, text])
  }
  return kept
}

async function bodyOf(
  { request }: FwContext,
  left: string[],
): Promise<Pick<RequestRecord, 'form' | 'json' | 'text'>> {
  const type = request.mediaType ?? ''
  if (type === 'multipart/form-data') left.push('uploaded files')
  if (request.form.size > 0) return { form: pairsOf(request.form, 'form', left) }
  const bytes = await request.bytesRead?.catch(() => undefined)
  if (bytes === undefined || bytes.byteLength === 0) return {}
  const text = new TextDecoder().decode(bytes)
  if (bytes.byteLength <= largestBody && /[/+]json$/.test(type)) {
    const json = jsonOf(text, left)
    if (json !== undefined) return { json }
  }
  const tells = bytes.byteLength > largestBody || namesSecret(text)
  if (!tells && /^text\/|[/+](?:xml|json)$/.test(type)) return { text }
  left.push(`the body (${type === '' ? 'no type' : type}, ${bytes.byteLength} bytes)`)
  return {}
}

function jsonOf(text: string, left: string[]): string | undefined {
  try {
    return literal(withoutSecrets(JSON.parse(text), 'json', left))
  } catch {
    return undefined
  }
}

const named =
  /\b(?:from|join|into|update)\s+(?:only\s+)?("?[a-z_][\w$]*"?(?:\."?[a-z_][\w$]*"?)?)/gi

function tablesOf(statements: readonly string[]): string[] {
  const tables = statements.flatMap((sql) =>
    [...sql.matchAll(named)].map(([, table]) => table!.replaceAll('"', '')),
  )
  return [...new Set(tables)].filter((table) => !/^(?:fw_|servlet_sessions|pg_)/.test(table)).sort()
}
