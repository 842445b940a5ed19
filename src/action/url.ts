/** Links inside the application: reverse routes and paths, with the context path before them. */
import { queryText, urlFor, type Route, type UrlValue } from '../routing.ts'
import type { FwContext } from './context.ts'

type Query = Readonly<Record<string, UrlValue>>

/** Context path + mount path + the route's own path. @throws FwError `routing.*` */
export function routeUrl(ctx: FwContext, route: Route, args: readonly unknown[]): string {
  const [params, query] = args as readonly [Query?, Query?]
  return ctx.contextPath + ctx.services.mountPathOf(route) + urlFor(route, params, query)
}

/** Context path + `path` + query. */
export function pathUrl(ctx: FwContext, path: string, query: unknown): string {
  return ctx.contextPath + path + queryText(query as Query | undefined)
}
