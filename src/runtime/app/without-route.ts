/**
 * Responds if no route matches, or all matching routes called `pass()`: 405 or `Allow` if the path has other methods, else a public file,
 * else 404. A fallback handler can render the 405 and the 404.
 */
import {
  applyResult,
  clearPage,
  respond,
  respondWithStatus,
  type FwContext,
  type Target,
} from '../action.ts'
import { parsePath, type RequestPath } from '../http.ts'
import type { Match, RoutingTable } from '../routing.ts'
import { beginFirstRoute, isActive } from './candidate-route.ts'
import type { DispatchParts } from './dispatch-parts.ts'

/** Responds without a route: 405 if the path has other methods (for OPTIONS `Allow`), else a public file or 404. */
export async function respondWithoutRoute(parts: DispatchParts, ctx: FwContext): Promise<void> {
  const { request, services } = ctx
  const allowed = allowedMethods(parts, ctx)
  if (allowed.length > 0) return respondWithAllowed(parts, ctx, allowed)
  const path = removeContextPath(request.path, services.contextPath)
  const file = path && (await parts.files.find(request.http, path))
  if (file === undefined) return respondNotFound(parts, ctx)
  applyResult(ctx, file)
}

/** Returns the HTTP methods of the path's routes, except the request's own method, whose routes have all called `pass()`. */
function allowedMethods({ live }: DispatchParts, ctx: FwContext): readonly string[] {
  const { method, path } = ctx.request
  const all = live.current.table.allowedMethods(path, (match) => isActive(ctx, match))
  if (method === 'OPTIONS' || !all.includes(method)) return all
  const passed = method === 'GET' || method === 'HEAD' ? ['GET', 'HEAD'] : [method]
  const others = all.filter((one) => !passed.includes(one))
  // Every path with a route supports OPTIONS, so OPTIONS alone does not justify a 405.
  return others.length > 1 ? others : []
}

async function respondWithAllowed(
  parts: DispatchParts,
  ctx: FwContext,
  allowed: readonly string[],
): Promise<void> {
  const { request, response } = ctx
  response.headers.set('Allow', allowed.join(', '))
  if (request.method === 'OPTIONS') {
    response.status = 204
    return respondToPreflight(parts, ctx, allowed)
  }
  clearPage(ctx)
  response.status = 405
  const { table } = parts.live.current
  findPolicy(table, allowed, request.path)?.allow(ctx)
  ctx.errorRoute = table.lookup(allowed[0]!, request.path)?.target
  const handler = beginFallback(parts, ctx, 'methodNotAllowed')
  if (handler === undefined) await respondWithStatus(ctx, 405)
  else if (!(await respond(handler.target.plan, ctx))) {
    response.headers.delete('Allow')
    await respondNotFound(parts, ctx)
  }
}

/**
 * Adds the CORS headers of the requested method's route. If the path has no route for that method, adds those of another
 * method, so that the page can read the 405 of the request that follows.
 */
function respondToPreflight(
  { live }: DispatchParts,
  ctx: FwContext,
  allowed: readonly string[],
): void {
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
function respondToStrayPreflight({ live }: DispatchParts, ctx: FwContext): boolean {
  const { path, method, http } = ctx.request
  const requested = http.header('access-control-request-method')
  if (method !== 'OPTIONS' || requested === undefined || !methodName.test(requested)) return false
  const policy = live.current.fallbacks.find('crossOrigin', path)
  policy?.preflight(ctx, [requested])
  return policy !== undefined
}

async function respondNotFound(parts: DispatchParts, ctx: FwContext): Promise<void> {
  const { response } = ctx
  if (respondToStrayPreflight(parts, ctx)) {
    response.status = 204
    response.headers.delete('access-control-allow-credentials')
    return
  }
  clearPage(ctx)
  response.status = 404
  const { fallbacks } = parts.live.current
  fallbacks.find('crossOrigin', ctx.request.path)?.allow(ctx)
  ctx.errorRoute = fallbacks.find('errorFormat', ctx.request.path)
  // The fallback handler may belong to another controller, whose CORS policy may not allow credentials.
  response.headers.delete('access-control-allow-credentials')
  const handler = beginFallback(parts, ctx, 'notFound')
  if (handler !== undefined && (await respond(handler.target.plan, ctx))) return
  await respondWithStatus(ctx, 404)
  response.unmatched = true
}

/** Makes the fallback handler of the path the candidate route, whose controller determines the format. */
function beginFallback(
  { live }: DispatchParts,
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
