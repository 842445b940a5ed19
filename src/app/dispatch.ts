/** From a request to the route that answers it, and what is said when none does. */
import {
  answerProblem,
  answerStatus,
  applyResult,
  FwContext,
  logFault,
  noteFault,
  problemOf,
  runPlan,
  type Services,
  type Target,
} from '../action.ts'
import { HttpError, isPromise } from '../base.ts'
import {
  parsePath,
  type Handler,
  type HttpRequest,
  type HttpResponse,
  type RequestPath,
} from '../http.ts'
import type { Match } from '../routing.ts'
import { finishResponse } from './finish-response.ts'
import type { LiveRoutes } from './live-routes.ts'
import { meantMethod } from './method-override.ts'
import type { End } from './route-ends.ts'
import type { StaticFiles } from './static-files.ts'

/** What answers requests: the tables, what their actions may use, and the public files. */
export interface Dispatch {
  readonly live: LiveRoutes
  readonly overridesMethod: boolean
  readonly services: Services
  readonly files: StaticFiles
  /** Told of each context before its route is taken up. */
  readonly onRequest: ((ctx: FwContext) => void) | undefined
}

type Answer = HttpResponse | Promise<HttpResponse>

const rootPath = parsePath('/')

function pathOf({ target }: HttpRequest): RequestPath {
  const query = target.indexOf('?')
  return parsePath(query === -1 ? target : target.slice(0, query))
}

const holds = (ctx: FwContext, match: Match<Target>): boolean => match.target.when?.(ctx) ?? true

/** The first candidate from `match` on whose condition holds. */
function candidate(ctx: FwContext, match: Match<Target> | undefined): Match<Target> | undefined {
  let at = match
  while (at !== undefined) {
    ctx.begin(at)
    if (holds(ctx, at)) return at
    at = at.next()
  }
  ctx.match = undefined
  return undefined
}

function answer(dispatch: Dispatch, ctx: FwContext, first: Match<Target> | undefined): Answer {
  const match = candidate(ctx, first)
  if (match === undefined) return safely(ctx, unmatched(dispatch, ctx))
  const answered = runPlan(match.target.plan, ctx)
  if (isPromise(answered)) return answerLater(dispatch, ctx, match, answered)
  return answered ? safely(ctx, finishResponse(ctx)) : answer(dispatch, ctx, match.next())
}

function safely(ctx: FwContext, response: Answer): Answer {
  return isPromise(response)
    ? response.catch((error: unknown) => answerFailure(ctx, error))
    : response
}

/** As `answer` goes on; nothing is rejected. */
async function answerLater(
  dispatch: Dispatch,
  ctx: FwContext,
  match: Match<Target>,
  answered: Promise<boolean>,
): Promise<HttpResponse> {
  try {
    const done = await answered
    const response = done ? finishResponse(ctx) : answer(dispatch, ctx, match.next())
    return isPromise(response) ? await response : response
  } catch (error) {
    return answerFailure(ctx, error)
  }
}

/** The methods that the path has, a file, or 404. */
async function unmatched(dispatch: Dispatch, ctx: FwContext): Promise<HttpResponse> {
  const { request, services } = ctx
  const allowed = allowedMethods(dispatch, ctx)
  if (allowed.length > 0) return wrongMethod(dispatch, ctx, allowed)
  const path = withoutContextPath(request.path, services.contextPath)
  const file = path && (await dispatch.files.find(request.http, path))
  if (file === undefined) return notFound(dispatch, ctx)
  applyResult(ctx, file)
  return finishResponse(ctx)
}

/** The methods that the path has; not the request's own, whose routes have all passed. */
function allowedMethods({ live }: Dispatch, ctx: FwContext): readonly string[] {
  const { method, path } = ctx.request
  const all = live.current.table.allowed(path, (match) => holds(ctx, match))
  if (method === 'OPTIONS' || !all.includes(method)) return all
  const own = method === 'GET' || method === 'HEAD' ? ['GET', 'HEAD'] : [method]
  const others = all.filter((one) => !own.includes(one))
  return others.length > 1 ? others : []
}

async function wrongMethod(
  dispatch: Dispatch,
  ctx: FwContext,
  allowed: readonly string[],
): Promise<HttpResponse> {
  const { request, response } = ctx
  response.headers.set('Allow', allowed.join(', '))
  if (request.method === 'OPTIONS') {
    response.status = 204
    answerPreflight(dispatch, ctx, allowed)
    return finishResponse(ctx)
  }
  response.status = 405
  const end = endOf(dispatch, ctx, 'methodNotAllowed')
  if (end === undefined) await answerStatus(ctx, 405)
  else if (!(await runPlan(end.target.plan, ctx))) {
    response.headers.delete('Allow')
    return notFound(dispatch, ctx)
  }
  return finishResponse(ctx)
}

/** A browser that asks in the name of another origin is answered by the controller whose route it means. */
function answerPreflight({ live }: Dispatch, ctx: FwContext, allowed: readonly string[]): void {
  const asked = ctx.request.http.header('access-control-request-method')
  if (asked === undefined) return
  const match = candidate(ctx, live.current.table.lookup(asked, ctx.request.path))
  match?.target.plan.crossOrigin?.preflight(ctx as never, allowed)
}

async function notFound(dispatch: Dispatch, ctx: FwContext): Promise<HttpResponse> {
  const { response } = ctx
  response.status = 404
  const end = endOf(dispatch, ctx, 'notFound')
  if (end !== undefined && (await runPlan(end.target.plan, ctx))) return finishResponse(ctx)
  await answerStatus(ctx, 404)
  response.unmatched = true
  return finishResponse(ctx)
}

/** What a controller says of a path that no route answers; taken up like a route, so that its formats count. */
function endOf({ live }: Dispatch, ctx: FwContext, end: End): Match<Target> | undefined {
  const match = live.current.ends.lookup(end, ctx.request.path)
  if (match !== undefined) ctx.begin(match)
  return match
}

function withoutContextPath(path: RequestPath, contextPath: string): RequestPath | undefined {
  if (contextPath === '') return path
  return path.raw.startsWith(`${contextPath}/`)
    ? parsePath(path.raw.slice(contextPath.length))
    : undefined
}

/** The last resort: whatever failed outside a route's own handling is answered and logged, never thrown. */
async function answerFailure(ctx: FwContext, error: unknown): Promise<HttpResponse> {
  if (!(error instanceof HttpError) || error.status >= 500) {
    noteFault(ctx, error ?? new TypeError('Something threw no value.'))
    logFault(ctx, error)
  }
  await answerProblem(ctx, problemOf(error))
  return finishResponse(ctx)
}

/** The context of a request, its route taken up and nothing run. @throws HttpError for a path, or a method in the query, that no request may have */
export function contextOf(
  { live, services, overridesMethod }: Dispatch,
  http: HttpRequest,
): FwContext {
  const path = pathOf(http)
  const ctx = new FwContext(http, path, services)
  if (overridesMethod) ctx.request.method = meantMethod(ctx.request)
  candidate(ctx, live.current.table.lookup(ctx.request.method, path))
  return ctx
}

/** The application as a function of a request; synchronous for routes that are. */
export function dispatcher(dispatch: Dispatch): Handler {
  return (http) => {
    let ctx: FwContext | undefined
    try {
      const path = pathOf(http)
      ctx = new FwContext(http, path, dispatch.services)
      if (dispatch.overridesMethod) ctx.request.method = meantMethod(ctx.request)
      dispatch.onRequest?.(ctx)
      const { table } = dispatch.live.current
      return answer(dispatch, ctx, table.lookup(ctx.request.method, path))
    } catch (error) {
      return answerFailure(ctx ?? new FwContext(http, rootPath, dispatch.services), error)
    }
  }
}
