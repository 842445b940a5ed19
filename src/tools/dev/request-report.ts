/** Describes a failed request for its error page, with secrets redacted. */
import { redactPath, type FwContext } from '../../runtime/action.ts'
import { redacted } from '../../runtime/base.ts'
import { sentStatements } from '../../runtime/db.ts'
import type { FieldMap } from '../../runtime/http.ts'
import { redactFailure, redactParameters, redactValue } from './redact-request.ts'
import { csrfKey } from '../../runtime/session.ts'

type Fields = readonly (readonly [name: string, text: string])[]

export interface RequestReport {
  readonly id: string
  readonly method: string
  /** The decoded path without the query, with secrets redacted. */
  readonly path: string
  readonly route?: string
  readonly params: { readonly path: Fields; readonly query: Fields; readonly form: Fields }
  readonly headers: Fields
  /** The session attributes, without flash messages and the CSRF token. */
  readonly session: Fields
  readonly flash: Fields
  readonly statements: readonly {
    readonly sql: string
    readonly parameters: readonly string[]
    readonly milliseconds?: number
    readonly failure?: string
  }[]
}

/** Returns the result of `read`, or the fallback if `read` throws: a second error must not hide the first. */
function safely<T>(read: () => T, fallback: T): T {
  try {
    return read()
  } catch {
    return fallback
  }
}

const none: Fields = []
const flashPrefix = 'flash:'

export function describeRequest(ctx: FwContext): RequestReport {
  const { request } = ctx
  const route = safely(() => ctx.plan?.routeName, undefined)
  return {
    id: ctx.requestId,
    method: request.method,
    path: safely(() => redactPath(request.path.text, ctx), redacted),
    ...(route === undefined ? {} : { route }),
    params: {
      path: safely(() => redactPathParams(ctx), none),
      query: safely(() => redactFields(request.query), none),
      form: safely(() => redactFields(request.form), none),
    },
    headers: [...request.http.headers()].map(([name, text]) => [name, redactValue(name, text)]),
    session: safely(() => sessionFields(ctx, (name) => !isInternal(name)), none),
    flash: safely(() => sessionFields(ctx, isFlash), none).map(([name, text]) => [
      name.slice(flashPrefix.length),
      text,
    ]),
    statements: sentStatements().map(({ sql, parameters, failure, ...rest }) => ({
      sql,
      parameters: redactParameters(sql, parameters),
      ...rest,
      ...(failure === undefined ? {} : { failure: redactFailure(sql, failure) }),
    })),
  }
}

const isFlash = (name: string): boolean => name.startsWith(flashPrefix)
const isInternal = (name: string): boolean => isFlash(name) || name === csrfKey

function redactFields(fields: FieldMap): Fields {
  return [...fields].flatMap(([name, values]) =>
    values.map((value) => [name, redactValue(name, value)] as const),
  )
}

function redactPathParams({ match }: FwContext): Fields {
  if (match === undefined) return none
  return [...match.params.keys()].map((name) => [
    name,
    redactValue(name, match.params.get(name)?.join(', ') ?? redacted),
  ])
}

function sessionFields({ loadedSession }: FwContext, includes: (name: string) => boolean): Fields {
  if (loadedSession === undefined) return none
  const names = loadedSession.keys().filter(includes)
  return names.map((name) => [name, redactValue(name, loadedSession.get(name))])
}
