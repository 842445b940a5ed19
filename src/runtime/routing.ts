/** routing: matches paths with route patterns, creates the URLs of routes, and finds routes in one table per application. */
export { matchOf } from './routing/match.ts'
export type { Match, PathParams, TableEntry } from './routing/match.ts'
export { Pattern, unnamedParameters, type UnnamedParameter } from './routing/pattern.ts'
export { PrefixTable } from './routing/prefix-table.ts'
export type { RouteOptions } from './routing/route.ts'
export { Route } from './routing/route.ts'
export { normalizePrefix, RoutingTable } from './routing/table.ts'
export type { AnyUrlParams } from './routing/url-for.ts'
export { formatQuery, urlFor } from './routing/url-for.ts'
export type {
  IncompleteTarget,
  UrlArgs,
  UrlParams,
  UrlQuery,
  UrlTarget,
  UrlTargetArgs,
} from './routing/url-params.ts'
