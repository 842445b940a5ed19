/** `fw routes`: every route, with what runs around its action. */
import { startApplication, type MountedRoute } from '../app.ts'
import { FwError, silentLogger } from '../base.ts'
import { chooseRoutes } from './choose-routes.ts'
import { applicationRoot, loadLifeCycle } from './load-life-cycle.ts'
import { routeTree } from './route-tree.ts'
import { paint, terminalWidth } from './terminal.ts'

interface RouteOptions {
  readonly app: string
  readonly json?: boolean
  readonly filters?: boolean
}

/** The routes of the application in `root`; its database is not opened. */
export async function routesOf(root: string): Promise<readonly MountedRoute[]> {
  const application = await startApplication(await loadLifeCycle(root), {
    root,
    logger: silentLogger,
    database: false,
  })
  const { routes } = application
  await application.close()
  return routes
}

const document = (routes: readonly MountedRoute[]): string =>
  JSON.stringify(
    routes.map(({ method, path, name, controller, action, isConditional, filters }) => ({
      method,
      path,
      name: name ?? null,
      controller,
      action: action ?? null,
      isConditional,
      filters: filters(),
    })),
    undefined,
    2,
  )

/** Lists the routes that every word fits. @throws FwError `cli.no-route` */
export async function showRoutes(
  words: readonly string[],
  { app, json, filters = false }: RouteOptions,
): Promise<void> {
  const all = await routesOf(applicationRoot(app))
  const routes = chooseRoutes(all, words)
  if (json === true) return void process.stdout.write(`${document(routes)}\n`)
  if (routes.length === 0)
    throw new FwError(
      'cli.no-route',
      words.length === 0
        ? 'The application has no routes: mount a controller in src/main/bootstrap.ts.'
        : `None of the ${all.length} routes fits ${words.join(' ')}. A word is a method, a URL, or a part of a path, name, action or controller.`,
    )
  process.stdout.write(routeTree(routes, { width: terminalWidth(), paint, filters }))
}
