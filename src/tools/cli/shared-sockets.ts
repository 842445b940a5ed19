/** Uses Node internals to close the primary's copies of the workers' listening sockets before the workers stop. */
import type { Worker } from 'node:cluster'

/**
 * Collects the keys of the sockets that Node's cluster module shares with this worker. Call it before the worker listens.
 *
 * The primary keeps a copy of each socket until it has received a message that the last worker has closed the socket. Meanwhile
 * the kernel accepts connections for that copy, and resets them when the copy is closed. Closing the copies first loses no
 * request at a stop. If Node's internals change, no keys are collected, and the primary closes its copies last.
 */
export function collectSharedSockets(): ReadonlySet<string> {
  const keys = new Set<string>()
  process.on('internalMessage' as 'message', (message: unknown) => {
    const { cmd, key } = message as { readonly cmd?: unknown; readonly key?: unknown }
    if (cmd === 'NODE_CLUSTER' && typeof key === 'string') keys.add(key)
  })
  return keys
}

/** Closes the primary's copies when it has been called for every worker. The workers still accept connections. */
export function releaseSharedSockets(worker: Worker, keys: readonly string[]): void {
  for (const key of keys)
    worker.process.emit('internalMessage', { cmd: 'NODE_CLUSTER', act: 'close', key })
}
