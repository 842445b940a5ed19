/** Loaded into the measured process by `--import`: sends its memory after forced collections, on request. */
import { readdirSync } from 'node:fs'

/** The state of the process. */
export interface Sample {
  /** Bytes of live objects. */
  readonly heap: number
  /** Bytes outside of the heap that objects hold. */
  readonly external: number
  readonly rss: number
  readonly descriptors: number
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function sendSample(): Promise<void> {
  // Finalizers run between the collections, and release further objects.
  for (let collections = 0; collections < 4; collections++) {
    globalThis.gc!()
    await turn()
  }
  const { heapUsed: heap, external, rss } = process.memoryUsage()
  const sample: Sample = {
    heap,
    external,
    rss,
    descriptors: readdirSync('/proc/self/fd').length,
  }
  process.send!(sample)
}

process.on('message', () => void sendSample())
// The channel does not keep the process alive.
process.channel!.unref()
