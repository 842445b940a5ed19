/** Describes a failed request for its error page, with secrets redacted. */
import { redactPath, type FwContext } from '../../runtime/action.ts'
import { isSecretName, redact, redacted } from '../../runtime/base.ts'
import { sentStatements, type SentStatement } from '../../runtime/db.ts'
import type { FieldMap } from '../../runtime/http.ts'
import { csrfKey } from '../../runtime/session.ts'
import { mentionsSecret } from './redact-request.ts'

/** The names and values of parameters, headers or attributes. */
export type Fields = readonly (readonly [name: string, text: string])[]

export type RequestReport = ReturnType<typeof describeRequest>

export function describeRequest(ctx: FwContext) {
  const { request } = ctx
  const attributes = safely(() => describeSession(ctx), none)
  return {
    id: ctx.requestId,
    method: request.method,
    /** The decoded path without the query. */
    path: safely(() => redactPath(request.path.text, ctx), redacted),
    route: safely(() => ctx.plan?.routeName, undefined),
    params: {
      path: safely(() => describePathParams(ctx), none),
      query: safely(() => describeFields(request.query), none),
      form: safely(() => describeFields(request.form), none),
    },
    headers: [...request.http.headers()].map(([name, text]) => redactField(name, text)),
    session: attributes.filter(([name]) => !name.startsWith(flashPrefix)),
    flash: attributes
      .filter(([name]) => name.startsWith(flashPrefix))
      .map(([name, text]) => [name.slice(flashPrefix.length), text] as const),
    statements: sentStatements().map(describeStatement),
  }
}

const none: Fields = []
const flashPrefix = 'flash:'

/** Returns the result of `read`, or the fallback if `read` throws: a second error must not hide the first. */
function safely<T>(read: () => T, fallback: T): T {
  try {
    return read()
  } catch {
    return fallback
  }
}

const redactField = (name: string, value: unknown) =>
  [name, isSecretName(name) ? redacted : formatValue(value)] as const

/** Formats a value, with the same redaction as in the log. */
function formatValue(value: unknown): string {
  const safe = redact(value)
  return typeof safe === 'string' ? safe : (JSON.stringify(safe) ?? 'undefined')
}

const describeFields = (fields: FieldMap): Fields =>
  [...fields].flatMap(([name, values]) => values.map((value) => redactField(name, value)))

const describePathParams = ({ match }: FwContext): Fields =>
  [...(match?.params.keys() ?? [])].map((name) =>
    redactField(name, match!.params.get(name)?.join(', ') ?? redacted),
  )

const describeSession = ({ loadedSession: session }: FwContext): Fields =>
  (session?.keys() ?? [])
    .filter((name) => name !== csrfKey)
    .map((name) => redactField(name, session!.get(name)))

/** Redacts all parameters and the failure if the SQL contains a secret name, because parameters themselves have no names. */
function describeStatement({ sql, parameters, failure, ...rest }: SentStatement) {
  const isSecret = mentionsSecret(sql)
  return {
    sql,
    parameters: parameters.map((parameter) => (isSecret ? redacted : formatValue(parameter))),
    ...rest,
    ...(failure === undefined ? {} : { failure: isSecret ? redacted : failure }),
  }
}
