/** Chooses routes by words: a method, a part of what a route is called, or a URL. */
import type { MountedRoute } from '../app.ts'
import { HttpError } from '../base.ts'
import { parsePath } from '../http.ts'
import { RoutingTable } from '../routing.ts'

/** A method is meant whole; every other word may stand anywhere in the path, a name, the controller. */
function fits({ method, path, name, action, controller }: MountedRoute, word: string): boolean {
  if (method.toLowerCase() === word.toLowerCase()) return true
  return [path, name, action, controller].some((text) =>
    text?.toLowerCase().includes(word.toLowerCase()),
  )
}

/** The routes by the order in which a request of this path would try them, method by method. */
function answering(routes: readonly MountedRoute[], url: string): MountedRoute[] {
  const controllers = [...new Set(routes.map(({ mounted }) => mounted))]
  const table = new RoutingTable(
    routes.map((route, declared) => ({
      method: route.method,
      matcher: route.declared.matcher,
      prefix: route.path.slice(0, route.path.length - route.declared.pattern.length),
      order: controllers.indexOf(route.mounted),
      declared,
      hasCondition: route.isConditional,
      target: route,
    })),
  )
  const path = parsePath(url.replace(/[?#].*/, ''))
  const found: MountedRoute[] = []
  for (const method of new Set(routes.map((route) => route.method)))
    for (let match = table.lookup(method, path); match !== undefined; match = match.next())
      if (match.target.method === method) found.push(match.target)
  return found
}

/** What a URL that cannot be asked for finds: nothing. */
function answeringAny(routes: readonly MountedRoute[], url: string): MountedRoute[] {
  try {
    return answering(routes, url)
  } catch (error) {
    if (error instanceof HttpError) return []
    throw error
  }
}

/**
 * The routes that every word fits, as they stand in `routes`. A path that is a part of no route's is a URL: the routes
 * that match it, the first to be tried first.
 */
export function chooseRoutes(
  routes: readonly MountedRoute[],
  words: readonly string[],
): readonly MountedRoute[] {
  return words.reduce<readonly MountedRoute[]>((left, word) => {
    const fitting = left.filter((route) => fits(route, word))
    return fitting.length === 0 && word.startsWith('/') ? answeringAny(left, word) : fitting
  }, routes)
}
