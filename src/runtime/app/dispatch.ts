/**
 * Finds the route of a request and runs it, until one does not call `pass()`. `without-route` responds if there is none, and
 * `finish-response` completes the response.
 */
import {
  clearPage,
  FwContext,
  logFault,
  overridingMethods,
  recordFault,
  requestChannel,
  respond,
  respondWithProblem,
  toProblem,
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
import { beginFirstRoute } from './candidate-route.ts'
import type { DispatchParts } from './dispatch-parts.ts'
import { finishResponse } from './finish-response.ts'
import { observeRequest } from './observe-request.ts'
import { respondWithoutRoute } from './without-route.ts'

type Response = HttpResponse | Promise<HttpResponse>

export const rootPath = parsePath('/')

/** Returns the path of a request. @throws HttpError 400 for a malformed one */
export function parseRequestPath({ target }: HttpRequest): RequestPath {
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
export function createHandler(parts: DispatchParts): Handler {
  const { live, services, overridesMethod, onRequest } = parts
  const lookUp = (ctx: FwContext): Response => {
    const { method, path } = ctx.request
    try {
      return runRoutes(parts, ctx, live.current.table.lookup(method, path))
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
  { live, services, overridesMethod }: DispatchParts,
  http: HttpRequest,
): FwContext {
  const path = parseRequestPath(http)
  const ctx = new FwContext(http, path, services)
  if (overridesMethod) ctx.request.method = overriddenMethod(ctx)
  beginFirstRoute(ctx, live.current.table.lookup(ctx.request.method, path))
  return ctx
}

/** Runs the matching routes, starting at `first`, until one does not call `pass()`. */
function runRoutes(
  parts: DispatchParts,
  ctx: FwContext,
  first: Match<Target> | undefined,
): Response {
  const match = beginFirstRoute(ctx, first)
  if (match === undefined) {
    const responding = respondWithoutRoute(parts, ctx).then(() => finishResponse(ctx))
    return handleRejection(ctx, responding)
  }
  const completed = respond(match.target.plan, ctx)
  if (isPromise(completed)) return respondLater(parts, ctx, match, completed)
  return completed ? handleRejection(ctx, finishResponse(ctx)) : runRoutes(parts, ctx, match.next())
}

const handleRejection = (ctx: FwContext, response: Response): Response =>
  isPromise(response) ? response.catch((error: unknown) => respondWithError(ctx, error)) : response

/** Continues `runRoutes` after a route that returned a promise. */
async function respondLater(
  parts: DispatchParts,
  ctx: FwContext,
  match: Match<Target>,
  completed: Promise<boolean>,
): Promise<HttpResponse> {
  try {
    const response = (await completed) ? finishResponse(ctx) : runRoutes(parts, ctx, match.next())
    return isPromise(response) ? await response : response
  } catch (error) {
    return respondWithError(ctx, error)
  }
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
