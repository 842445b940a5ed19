/** What the parser of multipart bodies keeps to itself about the headers of parts. */
import type { EventEmitter } from 'node:events'
import type { BusboyInstance } from '@fastify/busboy'

type PartHeader = Readonly<Record<string, readonly string[] | undefined>>

interface HeaderParser {
  /** The header went past the parser's limit of bytes: what lay beyond is dropped. */
  readonly maxed: boolean
  _finish(): void
  reset(): void
}

type Dicer = EventEmitter & { readonly _hparser: HeaderParser }

const dicerOf = (parser: BusboyInstance): Dicer =>
  (parser as unknown as { readonly _parser: { readonly parser: Dicer } })._parser.parser

function onHeader(parser: BusboyInstance, look: (header: PartHeader) => void): void {
  // The part's header is read just before its file or field is told of.
  dicerOf(parser).prependListener('part', (part: EventEmitter) => {
    part.prependListener('header', look)
  })
}

/** Gives the type that the part under way claims; undefined for none, where the parser says text/plain. */
export function claimedTypes(parser: BusboyInstance): (type: string) => string | undefined {
  let claims = true
  onHeader(parser, (header) => {
    claims = header['content-type'] !== undefined
  })
  return (type) => (claims && type !== '' ? type : undefined)
}

/** Calls `refuse` for a part with more than `lines` header lines, or more bytes of header than the parser keeps. */
export function limitPartHeaders(parser: BusboyInstance, lines: number, refuse: () => void): void {
  onHeader(parser, (header) => {
    const count = Object.values(header).reduce((sum, values) => sum + (values?.length ?? 0), 0)
    if (count > lines) refuse()
  })
  const headers = dicerOf(parser)._hparser
  // A header ends with its empty line, or is cut off by the next boundary; both forget that it was too long.
  for (const end of ['_finish', 'reset'] as const) {
    const ending = headers[end]
    headers[end] = function (this: HeaderParser) {
      if (this.maxed) refuse()
      ending.call(this)
    }
  }
}
