/** Finds the application in a folder. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FwLifeCycle } from '../app.ts'
import { FwError } from '../base.ts'

/** The absolute folder, once it is one of an application. @throws FwError `cli.no-application` */
export function applicationRoot(folder: string): string {
  const root = resolve(folder)
  if (existsSync(join(root, 'src/main/bootstrap.ts'))) return root
  throw new FwError(
    'cli.no-application',
    `${root} holds no application: src/main/bootstrap.ts is missing. Name its folder with --app.`,
  )
}

/** An instance of the class `Bootstrap` of `src/main/bootstrap.ts`. @throws FwError `cli.no-application` */
export async function loadLifeCycle(root: string): Promise<FwLifeCycle> {
  const file = join(root, 'src/main/bootstrap.ts')
  const { Bootstrap } = (await import(pathToFileURL(file).href)) as {
    Bootstrap?: new () => unknown
  }
  const made = Bootstrap === undefined ? undefined : new Bootstrap()
  if (made instanceof FwLifeCycle) return made
  throw new FwError(
    'cli.no-application',
    `${file} does not export a class Bootstrap that extends FwLifeCycle.`,
  )
}
