/**
 * A program that loads the modules which `fw start` loads, so that the compile cache contains them. It runs in a
 * separate process, because modules of an application may keep a process alive. Its first argument is the application's folder.
 */
import { globSync } from 'node:fs'
import { createRequire, flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { loadLifeCycle } from './load-application.ts'

const root = process.argv[2]!
const require = createRequire(import.meta.url)
/** A start loads these when it connects to a server. */
for (const name of ['pg', 'kysely']) require(name)
const views = globSync('.fw/{views,layouts}/**/*.{ts,js}', { cwd: root })
// A module that needs the environment of production fails here, and is compiled at the start instead.
await Promise.allSettled([
  import('./start.ts'),
  loadLifeCycle(root),
  ...views.map((file) => import(pathToFileURL(join(root, file)).href)),
])
flushCompileCache()
process.exit()
