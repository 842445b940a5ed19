/** Optimised body parsing for the baseline and for frameworks without it. */
import type { IncomingMessage } from 'node:http'

const limit = 1024 * 1024

/** Calls `done` with the text; closes the connection if the body is too large. */
export function readBody(incoming: IncomingMessage, done: (text: string) => void): void {
  let only: Buffer | undefined
  let chunks: Buffer[] | undefined
  let size = 0
  incoming.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > limit) incoming.destroy()
    else if (only === undefined) only = chunk
    else (chunks ??= [only]).push(chunk)
  })
  incoming.on('end', () => {
    const body = chunks === undefined ? only : Buffer.concat(chunks, size)
    done(body === undefined ? '' : body.toString('utf8'))
  })
}
