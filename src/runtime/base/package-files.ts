/** Files of fwjs itself: in the repository below `src`, in the package bundled in `dist`. */
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const isSource = import.meta.url.endsWith('.ts')
const packageFolder = dirname(createRequire(import.meta.url).resolve('fwjs/package.json'))

/** The folder of the code of fwjs. */
export const codeFolder = join(packageFolder, isSource ? 'src' : 'dist')

/** The path of a file of the package, such as `templates/openapi/explorer.css`. */
export const packageFile = (path: string): string => join(packageFolder, path)

/** The path of a program that runs in a process of its own, such as `tools/cli/main`; `scripts/build.ts` lists them. */
export const programFile = (name: string): string =>
  join(codeFolder, `${name}.${isSource ? 'ts' : 'js'}`)
