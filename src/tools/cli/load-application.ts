/** The application that a command works on: its folder, its life cycle, its port. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FwLifeCycle } from '../../runtime/app.ts'
import { FwError } from '../../runtime/base.ts'

/** The absolute path of an application's folder. @throws FwError `cli.no-application` */
export function applicationRoot(folder: string): string {
  const root = resolve(folder)
  if (existsSync(join(root, 'src/main/bootstrap.ts'))) return root
  throw new FwError(
    'cli.no-application',
    `${root} contains no application: src/main/bootstrap.ts is missing. Name its folder with --app.`,
  )
}

/** An instance of the class `Bootstrap` of `src/main/bootstrap.ts`. @throws FwError `cli.no-application` */
export async function loadLifeCycle(root: string): Promise<FwLifeCycle> {
  const file = join(root, 'src/main/bootstrap.ts')
  const { Bootstrap } = (await import(pathToFileURL(file).href)) as {
    Bootstrap?: new () => unknown
  }
  const lifeCycle = Bootstrap === undefined ? undefined : new Bootstrap()
  if (lifeCycle instanceof FwLifeCycle) return lifeCycle
  throw new FwError(
    'cli.no-application',
    `${file} does not export a class Bootstrap that extends FwLifeCycle.`,
  )
}

const highestPort = 65_535

/**
 * The option, else `FW_PORT`, else `PORT`, else 8080; 0 lets the system choose. Empty values count as absent.
 * @throws FwError `cli.port-invalid`
 */
export function listenPort(option: string | undefined): number {
  const text = option || process.env['FW_PORT'] || process.env['PORT'] || '8080'
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= highestPort) return port
  throw new FwError(
    'cli.port-invalid',
    `The port ${JSON.stringify(text)} is not a number from 0 to ${highestPort}: correct --port, FW_PORT or PORT.`,
  )
}
