/** Enables the compile cache, handles closed pipes, then starts the program. Requires a supported Node version. */
import { existsSync } from 'node:fs'
import { constants, enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { version } from './version.ts'

/** Caches compiled code in `node_modules`, whose content is executed anyway. Child processes use the cache too. */
function cacheCompiledCode(): void {
  const modules = join(process.cwd(), 'node_modules')
  if (process.env['NODE_COMPILE_CACHE'] !== undefined || !existsSync(modules)) return
  const folder = join(modules, '.cache', 'fw')
  if (enableCompileCache(folder).status === constants.compileCacheStatus.ENABLED)
    process.env['NODE_COMPILE_CACHE'] = folder
}

/** Ends the process without an error if the reader, such as `head`, closes the pipe; a server continues without output. */
function endWithReader(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    const isServer = process.listenerCount('SIGTERM') > 0
    if (error.code === 'ENOSPC') {
      // Print the reason: output as in `fw routes > routes.txt` failed, but standard error may be a terminal.
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
  // Import dynamically, because a static import would be compiled before the cache is enabled.
  const { fw } = await import('./program.ts')
  await fw(args)
}
