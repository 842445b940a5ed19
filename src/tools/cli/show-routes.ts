/** `fw routes`: lists the routes that match the given words, with the filters around their actions. */
import type { MountedRoute } from '../../runtime/app.ts'
import { FwError, HttpError } from '../../runtime/base.ts'
import { parsePath } from '../../runtime/http.ts'
import { RoutingTable } from '../../runtime/routing.ts'
import { applicationRoot, inspectApplication, type CommandOptions } from './load-application.ts'
import { routeTree } from './route-tree.ts'
import { paint, printJson, terminalWidth } from './terminal.ts'

/** Whether the word equals the route's method, or is part of its path, name, action or controller; ignores letter case. */
function matchesWord(
  { method, path, name, action, controller }: MountedRoute,
  word: string,
): boolean {
  const lower = word.toLowerCase()
  if (method.toLowerCase() === lower) return true
  return [path, name, action, controller].some((text) => text?.toLowerCase().includes(lower))
}

/** Finds the routes that match a URL, method by method, in the order in which they are tried; none for an invalid URL. */
function findByUrl(routes: readonly MountedRoute[], url: string): MountedRoute[] {
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
  try {
    const path = parsePath(url.replace(/[?#].*/, ''))
    const found: MountedRoute[] = []
    for (const method of new Set(routes.map((route) => route.method)))
      for (let match = table.lookup(method, path); match !== undefined; match = match.next())
        if (match.target.method === method) found.push(match.target)
    return found
  } catch (error) {
    if (error instanceof HttpError) return []
    throw error
  }
}

/** Returns the routes that match every word. A path that is not part of any route's path is treated as a URL. */
export function chooseRoutes(
  routes: readonly MountedRoute[],
  words: readonly string[],
): readonly MountedRoute[] {
  return words.reduce<readonly MountedRoute[]>((left, word) => {
    const matching = left.filter((route) => matchesWord(route, word))
    return matching.length === 0 && word.startsWith('/') ? findByUrl(left, word) : matching
  }, routes)
}

const toJson = (routes: readonly MountedRoute[]) =>
  routes.map(
    ({ method, path, name = null, controller, action = null, isConditional, filters }) => ({
      method,
      path,
      name,
      controller,
      action,
      isConditional,
      filters: filters(),
    }),
  )

/** Runs `fw routes`. @throws FwError `cli.no-route` */
export async function showRoutes(
  words: readonly string[],
  { app, json, filters = false }: CommandOptions & { readonly filters?: boolean },
): Promise<void> {
  const application = await inspectApplication(applicationRoot(app))
  const all = application.routes
  await application.close()
  const routes = chooseRoutes(all, words)
  if (json === true) return printJson(toJson(routes))
  if (routes.length === 0)
    throw new FwError(
      'cli.no-route',
      words.length === 0
        ? 'The application has no routes: mount a controller in src/main/bootstrap.ts.'
        : `None of the ${all.length} routes matches ${words.join(' ')}. A word is a method, a URL, or a part of a path, name, action or controller.`,
    )
  process.stdout.write(routeTree(routes, { width: terminalWidth(), paint, filters }))
}
