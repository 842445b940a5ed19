/** Links inside the application: reverse routes and paths, with the context path before them. */
import { HttpError } from '../base.ts'
import { queryText, urlFor, type Route, type UrlValue } from '../routing.ts'
import type { FwContext } from './context.ts'

type Query = Readonly<Record<string, UrlValue>>

const startsWithScheme = /^https?:\/\//i

/** Context path + mount path, the request's own where there are several, + the route's own path. @throws FwError `routing.*` */
export function routeUrl(ctx: FwContext, route: Route, args: readonly unknown[]): string {
  const [params, query] = args as readonly [Query?, Query?]
  const mountPath = ctx.services.mountPathOf(route, ctx.match?.target.mountPath)
  return ctx.contextPath + mountPath + urlFor(route, params, query)
}

/** Context path + `path` + query; `path` gets the slash before it that it lacks. */
function pathUrl(ctx: FwContext, path: string, query: Query | undefined): string {
  const absolute = path === '' || path.startsWith('/') ? path : `/${path}`
  return ctx.contextPath + absolute + queryText(query)
}

/** The URL of a route, or of a path of the application. @throws FwError `routing.*` */
export function urlOf(ctx: FwContext, target: Route | string, args: readonly unknown[]): string {
  return typeof target === 'string'
    ? pathUrl(ctx, target, args[0] as Query | undefined)
    : routeUrl(ctx, target, args)
}

/** As `urlOf`, after scheme and host. @throws HttpError 400 `action.host-missing`; FwError `routing.*` */
export function fullUrl(ctx: FwContext, target: Route | string, args: readonly unknown[]): string {
  if (typeof target === 'string' && startsWithScheme.test(target))
    return target + queryText(args[0] as Query | undefined)
  const { host, isHttps } = ctx.request
  if (host === '')
    throw new HttpError(
      400,
      'action.host-missing',
      'The request names no host: send a Host header.',
    )
  return `http${isHttps ? 's' : ''}://${host}${urlOf(ctx, target, args)}`
}
