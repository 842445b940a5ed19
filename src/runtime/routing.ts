/**
 * The routing module: matches paths with route patterns, creates URLs of routes, and builds the routing table of an
 * application.
 */
export type { Match, PathParams, TableEntry } from './routing/match.ts'
export { Pattern } from './routing/pattern.ts'
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
