/** Paths of the files of fwjs itself: `src` when it runs in the repository, `dist` when it runs as an installed package. */
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const isSource = import.meta.url.endsWith('.ts')
const packageFolder = dirname(createRequire(import.meta.url).resolve('fwjs/package.json'))

/** The folder that contains the code of fwjs: `src` or `dist`. */
export const codeFolder = join(packageFolder, isSource ? 'src' : 'dist')

/** Returns the path of a file of the package, such as `templates/openapi/explorer.css`. */
export const packageFile = (path: string): string => join(packageFolder, path)

/**
 * Returns the path of a module that Fw starts as a process or loads on first use, such as `tools/cli/main`. It is an entry of
 * `scripts/build.ts`.
 */
export const moduleFile = (name: string): string =>
  join(codeFolder, `${name}.${isSource ? 'ts' : 'js'}`)
