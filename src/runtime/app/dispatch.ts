/** Dispatches a request to its route, a public file or a fallback handler; `finish-response` completes the response. */
import {
  applyResult,
  clearPage,
  FwContext,
  logFault,
  recordFault,
  requestChannel,
  RequestEvent,
  respondWithProblem,
  respondWithStatus,
  respond,
  toProblem,
  type Services,
  type Target,
} from '../action.ts'
import { HttpError, isPromise } from '../base.ts'
import {
  isStreamed,
  parsePath,
  WatchedBody,
  type Handler,
  type HttpRequest,
  type HttpResponse,
  type RequestPath,
} from '../http.ts'
import type { Match, RoutingTable } from '../routing.ts'
import { finishResponse } from './finish-response.ts'
import type { LiveRoutes } from './mount-table.ts'
import type { StaticFiles } from './static-files.ts'

export interface Dispatch {
  readonly live: LiveRoutes
  readonly overridesMethod: boolean
  readonly services: Services
  readonly files: StaticFiles
  readonly onRequest: ((ctx: FwContext) => void) | undefined
}

type Response = HttpResponse | Promise<HttpResponse>

const rootPath = parsePath('/')
const overridingMethods: ReadonlySet<string> = new Set(['PUT', 'PATCH', 'DELETE'])

function parseRequestPath({ target }: HttpRequest): RequestPath {
  const query = target.indexOf('?')
  return parsePath(query === -1 ? target : target.slice(0, query))
}

/** Returns the method, or for a POST that of the query parameter `_method`. @throws HttpError 400 `http.query-invalid` */
function overriddenMethod({ request }: FwContext): string {
  if (request.method !== 'POST' || !request.queryString.includes('_method=')) return request.method
  const method = request.query.get('_method')?.[0]?.toUpperCase()
  return method !== undefined && overridingMethods.has(method) ? method : request.method
}

/** Creates the request handler. It is synchronous for synchronous routes, never throws and never rejects. */
export function createHandler(dispatch: Dispatch): Handler {
  const { live, services, overridesMethod, onRequest } = dispatch
  const lookUp = (ctx: FwContext): Response => {
    const { method, path } = ctx.request
    try {
      return runRoutes(dispatch, ctx, live.current.table.lookup(method, path))
    } catch (error) {
      return respondWithError(ctx, error)
    }
  }
  return (http) => {
    let ctx: FwContext | undefined
    try {
      const path = parseRequestPath(http)
      ctx = new FwContext(http, path, services)
      if (overridesMethod) ctx.request.method = overriddenMethod(ctx)
      onRequest?.(ctx)
    } catch (error) {
      const failed = ctx ?? new FwContext(http, rootPath, services)
      if (!requestChannel.active) return respondWithError(failed, error)
      return observeRequest(failed, () => respondWithError(failed, error), false)
    }
    return requestChannel.active ? observeRequest(ctx, lookUp) : lookUp(ctx)
  }
}

/** Creates the context of a request and finds its route, but runs no filter. @throws HttpError for an invalid path or query */
export function createContext(
  { live, services, overridesMethod }: Dispatch,
  http: HttpRequest,
): FwContext {
  const path = parseRequestPath(http)
  const ctx = new FwContext(http, path, services)
  if (overridesMethod) ctx.request.method = overriddenMethod(ctx)
  beginFirstRoute(ctx, live.current.table.lookup(ctx.request.method, path))
  return ctx
}

const isActive = (ctx: FwContext, match: Match<Target>): boolean => match.target.when?.(ctx) ?? true

/** Sets the candidate route of `ctx` to the first route, starting at `match`, whose condition is true. */
function beginFirstRoute(
  ctx: FwContext,
  match: Match<Target> | undefined,
): Match<Target> | undefined {
  let at = match
  while (at !== undefined) {
    ctx.beginRoute(at)
    if (isActive(ctx, at)) return at
    at = at.next()
  }
  ctx.match = undefined
  return undefined
}

/** Runs the matching routes, starting at `first`, until one does not call `pass()`. */
function runRoutes(dispatch: Dispatch, ctx: FwContext, first: Match<Target> | undefined): Response {
  const match = beginFirstRoute(ctx, first)
  if (match === undefined) return handleRejection(ctx, respondWithoutRoute(dispatch, ctx))
  const completed = respond(match.target.plan, ctx)
  if (isPromise(completed)) return respondLater(dispatch, ctx, match, completed)
  return completed
    ? handleRejection(ctx, finishResponse(ctx))
    : runRoutes(dispatch, ctx, match.next())
}

const handleRejection = (ctx: FwContext, response: Response): Response =>
  isPromise(response) ? response.catch((error: unknown) => respondWithError(ctx, error)) : response

/** Continues `runRoutes` after a route that returned a promise. */
async function respondLater(
  dispatch: Dispatch,
  ctx: FwContext,
  match: Match<Target>,
  completed: Promise<boolean>,
): Promise<HttpResponse> {
  try {
    const response = (await completed)
      ? finishResponse(ctx)
      : runRoutes(dispatch, ctx, match.next())
    return isPromise(response) ? await response : response
  } catch (error) {
    return respondWithError(ctx, error)
  }
}

/** Responds without a route: 405 if the path has other methods (for OPTIONS `Allow`), else a public file or 404. */
async function respondWithoutRoute(dispatch: Dispatch, ctx: FwContext): Promise<HttpResponse> {
  const { request, services } = ctx
  const allowed = allowedMethods(dispatch, ctx)
  if (allowed.length > 0) return respondWithAllowed(dispatch, ctx, allowed)
  const path = removeContextPath(request.path, services.contextPath)
  const file = path && (await dispatch.files.find(request.http, path))
  if (file === undefined) return respondNotFound(dispatch, ctx)
  applyResult(ctx, file)
  return finishResponse(ctx)
}

/** Returns the HTTP methods of the path's routes, except the request's own method, whose routes have all called `pass()`. */
function allowedMethods({ live }: Dispatch, ctx: FwContext): readonly string[] {
  const { method, path } = ctx.request
  const all = live.current.table.allowedMethods(path, (match) => isActive(ctx, match))
  if (method === 'OPTIONS' || !all.includes(method)) return all
  const passed = method === 'GET' || method === 'HEAD' ? ['GET', 'HEAD'] : [method]
  const others = all.filter((one) => !passed.includes(one))
  // Every path with a route supports OPTIONS, so OPTIONS alone does not justify a 405.
  return others.length > 1 ? others : []
}

async function respondWithAllowed(
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
  clearPage(ctx)
  response.status = 405
  const { table } = dispatch.live.current
  findPolicy(table, allowed, request.path)?.allow(ctx)
  ctx.errorRoute = table.lookup(allowed[0]!, request.path)?.target
  const handler = beginFallback(dispatch, ctx, 'methodNotAllowed')
  if (handler === undefined) await respondWithStatus(ctx, 405)
  else if (!(await respond(handler.target.plan, ctx))) {
    response.headers.delete('Allow')
    return respondNotFound(dispatch, ctx)
  }
  return finishResponse(ctx)
}

/**
 * Adds the CORS headers of the requested method's route. If the path has no route for that method, adds those of another
 * method, so that the page can read the 405 of the request that follows.
 */
function answerPreflight({ live }: Dispatch, ctx: FwContext, allowed: readonly string[]): void {
  const { path, http } = ctx.request
  const method = http.header('access-control-request-method')
  if (method === undefined) return
  const { table } = live.current
  const match = beginFirstRoute(ctx, table.lookup(method, path))
  if (match !== undefined) return match.target.plan.crossOrigin?.preflight(ctx, allowed)
  if (methodName.test(method))
    findPolicy(table, allowed, path)?.preflight(ctx, [...allowed, method])
}

const methodName = /^[A-Z]{1,20}$/

const findPolicy = (table: RoutingTable<Target>, methods: readonly string[], path: RequestPath) =>
  methods
    .map((method) => table.lookup(method, path)?.target.plan.crossOrigin)
    .find((policy) => policy !== undefined)

/** Responds to a preflight without a route, so that the page can read the 404. Returns false without a CORS policy. */
function answerStrayPreflight({ live }: Dispatch, ctx: FwContext): boolean {
  const { path, method, http } = ctx.request
  const requested = http.header('access-control-request-method')
  if (method !== 'OPTIONS' || requested === undefined || !methodName.test(requested)) return false
  const policy = live.current.fallbacks.find('crossOrigin', path)
  policy?.preflight(ctx, [requested])
  return policy !== undefined
}

async function respondNotFound(dispatch: Dispatch, ctx: FwContext): Promise<HttpResponse> {
  const { response } = ctx
  if (answerStrayPreflight(dispatch, ctx)) {
    response.status = 204
    response.headers.delete('access-control-allow-credentials')
    return finishResponse(ctx)
  }
  clearPage(ctx)
  response.status = 404
  const { fallbacks } = dispatch.live.current
  fallbacks.find('crossOrigin', ctx.request.path)?.allow(ctx)
  ctx.errorRoute = fallbacks.find('errorFormat', ctx.request.path)
  // The fallback handler may belong to another controller, whose CORS policy may not allow credentials.
  response.headers.delete('access-control-allow-credentials')
  const handler = beginFallback(dispatch, ctx, 'notFound')
  if (handler !== undefined && (await respond(handler.target.plan, ctx))) return finishResponse(ctx)
  await respondWithStatus(ctx, 404)
  response.unmatched = true
  return finishResponse(ctx)
}

/** Makes the fallback handler of the path the candidate route, whose controller determines the format. */
function beginFallback(
  { live }: Dispatch,
  ctx: FwContext,
  kind: 'notFound' | 'methodNotAllowed',
): Match<Target> | undefined {
  const match = live.current.fallbacks.find(kind, ctx.request.path)
  if (match !== undefined) ctx.beginRoute(match)
  return match
}

function removeContextPath(path: RequestPath, contextPath: string): RequestPath | undefined {
  if (contextPath === '') return path
  return path.raw.startsWith(`${contextPath}/`)
    ? parsePath(path.raw.slice(contextPath.length))
    : undefined
}

/** Logs and renders errors that were thrown outside the plan of a route. */
async function respondWithError(ctx: FwContext, error: unknown): Promise<HttpResponse> {
  if (!(error instanceof HttpError) || error.status >= 500) {
    recordFault(ctx, error)
    logFault(ctx, error)
  }
  clearPage(ctx)
  ctx.plan?.crossOrigin?.allow(ctx)
  await respondWithProblem(ctx, toProblem(error))
  return finishResponse(ctx)
}

/** Publishes the start event, calls `respond`, which must not throw, and ends the event with the last byte. */
function observeRequest(
  ctx: FwContext,
  respond: (ctx: FwContext) => Response,
  isDispatched = true,
): Response {
  const event = new RequestEvent(ctx, isDispatched)
  requestChannel.inFlight++
  const response = requestChannel.mustRun
    ? requestChannel.run(event, () => respond(ctx))
    : respond(ctx)
  return isPromise(response)
    ? response.then((completed) => observeBody(event, completed))
    : observeBody(event, response)
}

/** Ends the event of a request: at once, because the body is sent together with the headers, or at the end of a stream. */
function observeBody(event: RequestEvent, response: HttpResponse): HttpResponse {
  const body = event.ctx.request.http.method === 'HEAD' ? undefined : response.body
  if (isStreamed(body)) {
    const countBytes = (chunk: Uint8Array | string): void => {
      event.streamedBytes += Buffer.byteLength(chunk)
    }
    response.body = new WatchedBody(body, () => endEvent(event), countBytes)
  } else {
    event.body = body
    endEvent(event)
  }
  return response
}

function endEvent(event: RequestEvent): void {
  const { ctx } = event
  requestChannel.inFlight--
  event.isAborted = ctx.request.http.aborted
  requestChannel.finish(event, ctx.fault)
}
