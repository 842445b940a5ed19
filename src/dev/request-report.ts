/** A request that failed, as its developer is shown it: without secrets. */
import type { FwContext } from '../action.ts'
import { redacted } from '../base.ts'
import { sentStatements } from '../db.ts'
import type { FieldMap } from '../http.ts'
import { pathWithoutSecrets, shownFailure, shownParameters, shownValue } from './secrets.ts'
import { csrfKey } from '../session.ts'

type Fields = readonly (readonly [name: string, text: string])[]

export interface RequestReport {
  readonly id: string
  readonly method: string
  /** Decoded, without the query and what is secret. */
  readonly path: string
  readonly route?: string
  readonly params: { readonly path: Fields; readonly query: Fields; readonly form: Fields }
  readonly headers: Fields
  /** Without flash and forgery token. */
  readonly session: Fields
  readonly flash: Fields
  readonly statements: readonly {
    readonly sql: string
    readonly parameters: readonly string[]
    readonly milliseconds?: number
    readonly failure?: string
  }[]
}

/** What a part that cannot be read shows is nothing: a second fault would hide the first. */
function safely<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}

const none: Fields = []
const flashPrefix = 'flash:'

export function reportRequest(ctx: FwContext): RequestReport {
  const { request } = ctx
  const route = safely(() => ctx.plan?.routeName, undefined)
  return {
    id: ctx.requestId,
    method: request.method,
    path: safely(() => pathWithoutSecrets(request.path.text, ctx), redacted),
    ...(route === undefined ? {} : { route }),
    params: {
      path: safely(() => pathFields(ctx), none),
      query: safely(() => fieldsOf(request.query), none),
      form: safely(() => fieldsOf(request.form), none),
    },
    headers: [...request.http.headers()].map(([name, text]) => [name, shownValue(name, text)]),
    session: safely(() => attributes(ctx, (name) => !isOwn(name)), none),
    flash: safely(() => attributes(ctx, isFlash), none).map(([name, text]) => [
      name.slice(flashPrefix.length),
      text,
    ]),
    statements: sentStatements().map(({ sql, parameters, failure, ...rest }) => ({
      sql,
      parameters: shownParameters(sql, parameters),
      ...rest,
      ...(failure === undefined ? {} : { failure: shownFailure(sql, failure) }),
    })),
  }
}

const isFlash = (name: string): boolean => name.startsWith(flashPrefix)
const isOwn = (name: string): boolean => isFlash(name) || name === csrfKey

function fieldsOf(fields: FieldMap): Fields {
  return [...fields].flatMap(([name, values]) =>
    values.map((value) => [name, shownValue(name, value)] as const),
  )
}

function pathFields({ match }: FwContext): Fields {
  if (match === undefined) return none
  return [...match.params.keys()].map((name) => [
    name,
    shownValue(name, match.params.get(name)?.join(', ') ?? redacted),
  ])
}

function attributes({ knownSession }: FwContext, wanted: (name: string) => boolean): Fields {
  if (knownSession === undefined) return none
  const names = knownSession.keys().filter(wanted)
  return names.map((name) => [name, shownValue(name, knownSession.get(name))])
}
