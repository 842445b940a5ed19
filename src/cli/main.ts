#!/usr/bin/env node
/** The executable `fw`. */
import { existsSync } from 'node:fs'
import { constants, enableCompileCache } from 'node:module'
import { join } from 'node:path'

/** Compiled code is kept where only code that is trusted already lies; the processes that are started use it too. */
function keepCompiled(): void {
  const modules = join(process.cwd(), 'node_modules')
  if (process.env['NODE_COMPILE_CACHE'] !== undefined || !existsSync(modules)) return
  const folder = join(modules, '.cache', 'fw')
  if (enableCompileCache(folder).status === constants.compileCacheStatus.ENABLED)
    process.env['NODE_COMPILE_CACHE'] = folder
}

keepCompiled()
// Loaded only now, so that it comes out of the cache.
const { fw } = await import('./program.ts')
await fw(process.argv.slice(2))
