/** From a request to the route that answers it, and what is said when none does. */
import {
  answerProblem,
  answerStatus,
  FwContext,
  logFault,
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
import type { Match, RoutingTable } from '../routing.ts'
import { addSecurityHeaders } from './security-headers.ts'
import type { StaticFiles } from './static-files.ts'

/** What answers requests: the table, what its actions may use, and the public files. */
export interface Dispatch {
  readonly table: RoutingTable<Target>
  readonly services: Services
  readonly files: StaticFiles
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

function finish(ctx: FwContext): HttpResponse {
  ctx.writeCookies()
  addSecurityHeaders(ctx.response, ctx.usedCspNonce)
  return ctx.response
}

function answer(dispatch: Dispatch, ctx: FwContext, first: Match<Target> | undefined): Answer {
  const match = candidate(ctx, first)
  if (match === undefined) return unmatched(dispatch, ctx)
  const answered = runPlan(match.target.plan, ctx)
  if (isPromise(answered))
    return answered.then((done) => (done ? finish(ctx) : answer(dispatch, ctx, match.next())))
  return answered ? finish(ctx) : answer(dispatch, ctx, match.next())
}

/** A file, the methods that the path has, or 404. */
async function unmatched(
  { table, services, files }: Dispatch,
  ctx: FwContext,
): Promise<HttpResponse> {
  const { request, response } = ctx
  const allowed = table.allowed(request.path, (match) => holds(ctx, match))
  if (allowed.length > 0) {
    response.headers.set('Allow', allowed.join(', '))
    if (request.method === 'OPTIONS') response.status = 204
    else await answerStatus(ctx, 405)
    return finish(ctx)
  }
  const path = withoutContextPath(request.path, services.contextPath)
  const file = path && (await files.find(request.http, path))
  if (file !== undefined) {
    addSecurityHeaders(file)
    return file
  }
  await answerStatus(ctx, 404)
  response.unmatched = true
  return finish(ctx)
}

function withoutContextPath(path: RequestPath, contextPath: string): RequestPath | undefined {
  if (contextPath === '') return path
  return path.raw.startsWith(`${contextPath}/`)
    ? parsePath(path.raw.slice(contextPath.length))
    : undefined
}

/** The last resort: whatever failed outside a route's own handling is answered and logged, never thrown. */
async function answerFailure(ctx: FwContext, error: unknown): Promise<HttpResponse> {
  if (!(error instanceof HttpError) || error.status >= 500) logFault(ctx, error)
  await answerProblem(ctx, problemOf(error))
  return finish(ctx)
}

/** The application as a function of a request; synchronous for routes that are. */
export function dispatcher(dispatch: Dispatch): Handler {
  return (http) => {
    let ctx: FwContext | undefined
    try {
      const path = pathOf(http)
      ctx = new FwContext(http, path, dispatch.services)
      const context = ctx
      const answered = answer(dispatch, ctx, dispatch.table.lookup(http.method, path))
      return isPromise(answered)
        ? answered.catch((error: unknown) => answerFailure(context, error))
        : answered
    } catch (error) {
      return answerFailure(ctx ?? new FwContext(http, rootPath, dispatch.services), error)
    }
  }
}
