/** Starts the command line on a supported Node: compile cache, closed pipes, then the program. */
import { existsSync } from 'node:fs'
import { constants, enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { version } from './version.ts'

/** Caches compiled code in `node_modules`, which is trusted code already; child processes use the cache, too. */
function cacheCompiledCode(): void {
  const modules = join(process.cwd(), 'node_modules')
  if (process.env['NODE_COMPILE_CACHE'] !== undefined || !existsSync(modules)) return
  const folder = join(modules, '.cache', 'fw')
  if (enableCompileCache(folder).status === constants.compileCacheStatus.ENABLED)
    process.env['NODE_COMPILE_CACHE'] = folder
}

/** A reader such as `head` closes the pipe early, which is no failure. A server continues without its output. */
function endWithReader(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    const isServer = process.listenerCount('SIGTERM') > 0
    if (error.code === 'ENOSPC') {
      // For example `fw routes > routes.txt`; standard error may be a terminal.
      if (stream === process.stdout)
        process.stderr.write(
          'fw: The output cannot be written: the disk is full (ENOSPC). Make room on it, then repeat the command.\n',
        )
      if (!isServer) process.exit(1)
    } else if (error.code !== 'EPIPE') throw error
    else if (!isServer) process.exit()
  })
}

const args = process.argv.slice(2)
endWithReader(process.stdout)
endWithReader(process.stderr)
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) console.log(version())
else {
  cacheCompiledCode()
  // A static import would be compiled before the cache is enabled.
  const { fw } = await import('./program.ts')
  await fw(args)
}
