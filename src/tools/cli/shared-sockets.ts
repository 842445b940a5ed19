/** Node internals: closes the primary's copies of the sockets on which its workers listen, before the workers stop. */
import type { Worker } from 'node:cluster'

/**
 * The keys of the sockets that Node's cluster module shares with this worker. Call it before the worker listens.
 *
 * Reason: Node keeps a copy of each socket in the primary until the message arrives that the last worker has closed its own.
 * The kernel accepts connections for that copy, and resets them with it. Gain: no lost request at a stop, not speed. Plain
 * path: no keys, so the primary closes its copies last.
 */
export function collectSharedSockets(): ReadonlySet<string> {
  const keys = new Set<string>()
  process.on('internalMessage' as 'message', (message: unknown) => {
    const { cmd, key } = message as { readonly cmd?: unknown; readonly key?: unknown }
    if (cmd === 'NODE_CLUSTER' && typeof key === 'string') keys.add(key)
  })
  return keys
}

/** Closes the primary's copies, once it was called for every worker. The workers still accept connections. */
export function releaseSharedSockets(worker: Worker, keys: readonly string[]): void {
  for (const key of keys)
    worker.process.emit('internalMessage', { cmd: 'NODE_CLUSTER', act: 'close', key })
}
