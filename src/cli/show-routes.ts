/** `fw routes`: every route in the order in which they are tried. */
import { startApplication } from '../app.ts'
import { silentLogger } from '../base.ts'
import { applicationRoot, loadLifeCycle } from './load-life-cycle.ts'

interface RouteOptions {
  readonly app: string
  readonly json?: boolean
}

interface RouteLine {
  readonly method: string
  readonly path: string
  readonly name: string
  readonly controller: string
}

/** Lists method, path, name and controller of every route. */
export async function showRoutes({ app, json }: RouteOptions): Promise<void> {
  const root = applicationRoot(app)
  const application = await startApplication(await loadLifeCycle(root), {
    root,
    logger: silentLogger,
    database: false,
  })
  const lines: RouteLine[] = application.routes.map(({ method, path, name, controller }) => ({
    method,
    path,
    name: name ?? '',
    controller,
  }))
  await application.close()
  process.stdout.write(json === true ? `${JSON.stringify(lines, undefined, 2)}\n` : table(lines))
}

/** Columns as wide as their longest text. */
function table(lines: readonly RouteLine[]): string {
  const columns = ['method', 'path', 'name', 'controller'] as const
  const widths = columns.map((column) => Math.max(...lines.map((line) => line[column].length)))
  return lines
    .map(
      (line) =>
        columns
          .map((column, i) => line[column].padEnd(widths[i]!))
          .join('  ')
          .trimEnd() + '\n',
    )
    .join('')
}
