/** Frees the memory of a body chunk at once, with `ArrayBuffer.transfer`. Uses Node internals. */
import { IncomingMessage } from './node-http.ts'
import { Readable } from 'node:stream'

/** Returns false if other code may read the chunks: monitoring tools that read bodies replace the message's method `on`. */
export function mayFreeChunks(incoming: IncomingMessage): boolean {
  return incoming.on === Readable.prototype.on
}

/**
 * Frees a chunk that Node's parser allocated, if no other listener can read it. Ignores messages of other classes, because
 * their chunks may be views of memory that is still in use.
 *
 * Reason: Node allocates an `ArrayBuffer` of up to 64 KiB for each chunk. The garbage collector frees these buffers only
 * when 32 to 80 MB have accumulated. Gain: an upload of 1 GiB raises the memory by 13 MB instead of 75 MB
 * (bench/README.md, Uploads). Plain path: if a condition does not hold, the garbage collector frees the chunk.
 */
export function freeChunk(incoming: IncomingMessage, { buffer, byteLength }: Buffer): void {
  if (
    buffer instanceof ArrayBuffer &&
    buffer.byteLength === byteLength &&
    Object.getPrototypeOf(incoming) === IncomingMessage.prototype &&
    incoming.listenerCount('data') === 1
  )
    buffer.transfer(0)
}
