/**
 * A program that loads the modules of `fw start`, so that Node's compile cache contains them. It runs in a separate process,
 * because an application's modules may keep a process alive. Its first argument is the application's folder.
 */
import { globSync } from 'node:fs'
import { createRequire, flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { moduleFile } from '../../runtime/base.ts'
import { loadLifeCycle } from './load-application.ts'

const root = process.argv[2]!
const require = createRequire(import.meta.url)
// What `fw start` loads when it connects to a database server.
for (const specifier of ['pg', moduleFile('runtime/db/kysely-parts')]) require(specifier)
const views = globSync('.fw/{views,layouts}/**/*.{ts,js}', { cwd: root })
// Ignore failures: a module that needs the production environment fails here, and is compiled by `fw start`.
await Promise.allSettled([import('./start.ts'), loadLifeCycle(root)])
// One after another, as `fw start` does.
for (const file of views) await import(pathToFileURL(join(root, file)).href).catch(() => undefined)
flushCompileCache()
process.exit()
