/** The types that the parts of a multipart body claim for themselves. */
import type { EventEmitter } from 'node:events'
import type { BusboyInstance } from '@fastify/busboy'

/** Gives the type that the part under way claims; undefined for none, where the parser says text/plain. */
export function claimedTypes(parser: BusboyInstance): (type: string) => string | undefined {
  let claims = true
  // The part's header is read just before its file is told of.
  const { parser: dicer } = (parser as unknown as { _parser: { parser: EventEmitter } })._parser
  dicer.prependListener('part', (part: EventEmitter) => {
    part.prependListener('header', (header: Readonly<Record<string, unknown>>) => {
      claims = header['content-type'] !== undefined
    })
  })
  return (type) => (claims && type !== '' ? type : undefined)
}
