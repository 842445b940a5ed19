/** The entry points of the package, as `package.json` exports them. */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

const { exports } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>> }

/** The names of the files `src/<name>.ts` that the package exports. */
export const entryPoints: readonly string[] = Object.values(exports).flatMap((entry) =>
  typeof entry === 'string' ? [] : [basename(entry['fwjs-source']!, '.ts')],
)

/** The entry points with public names; only generated code imports `compiled`. */
export const publicEntryPoints: readonly string[] = entryPoints.filter(
  (name) => name !== 'compiled',
)
