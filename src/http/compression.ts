/** Compresses responses for clients that ask for it: gzip, brotli, and zstd where the runtime has it. */
import { pipeline, Readable, type Transform } from 'node:stream'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import { releaseBody, type StreamedBody } from './body-reader.ts'
import { weakTag } from './entity-tag.ts'
import type { HttpRequest } from './http-request.ts'
import type { HttpResponse } from './http-response.ts'
import { bestEncoding } from './negotiation.ts'
import { hasNoBody } from './status.ts'
import { addVary } from './vary.ts'

/** What is compressed. */
export interface CompressionOptions {
  /** Bytes below which a body of known length is sent as it is. */
  readonly minimumSize: number
}

type Coding = 'zstd' | 'br' | 'gzip'

interface Coder {
  readonly whole: (body: Uint8Array) => Promise<Uint8Array>
  /** Flushes after each chunk, so that what was written arrives. */
  readonly stream: () => Transform
}

const { constants } = zlib
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
const coders: ReadonlyMap<Coding, Coder> = new Map<Coding, Coder>([
  ...('createZstdCompress' in zlib && typeof zlib.createZstdCompress === 'function'
    ? [
        [
          'zstd',
          {
            whole: promisify(zlib.zstdCompress),
            stream: () => zlib.createZstdCompress({ flush: constants.ZSTD_e_flush }),
          },
        ] as const,
      ]
    : []),
  [
    'br',
    {
      whole: (body) =>
        promisify<Uint8Array, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)(body, brotli),
      stream: () =>
        zlib.createBrotliCompress({ ...brotli, flush: constants.BROTLI_OPERATION_FLUSH }),
    },
  ],
  [
    'gzip',
    {
      whole: promisify<Uint8Array, Buffer>(zlib.gzip),
      stream: () => zlib.createGzip({ flush: constants.Z_SYNC_FLUSH }),
    },
  ],
])

/** The codings of this runtime, the server's favourite first. */
export const codings: readonly string[] = [...coders.keys()]

const compressible =
  /^(?:text\/(?!event-stream)[^;]*|application\/(?:json|javascript|xml|wasm|rtf|yaml|toml|x-ndjson|[^;]*\+(?:json|xml))|image\/(?:svg\+xml|bmp|x-icon)|font\/(?:ttf|otf|collection)|model\/gltf\+json)[ \t]*(?:;|$)/i

/**
 * Compresses the body of `response` when the client wants it and it is worth it; `Vary` is told either way. Left as
 * they are: what is coded already, parts of files, `Cache-Control: no-transform`, media that are compressed by nature,
 * and event streams.
 */
export function compress(
  request: HttpRequest,
  response: HttpResponse,
  { minimumSize }: CompressionOptions,
): void | Promise<void> {
  if (!isCompressible(response)) return
  addVary(response.headers, 'Accept-Encoding')
  const size = sizeOf(response)
  if (size !== undefined && size < minimumSize) return
  const coding = bestEncoding(request.header('accept-encoding'), codings) as Coding | undefined
  if (coding === undefined) return
  return code(request, response, coding)
}

/** Whether another client may get this response in another coding: then `Vary` has to say so, in a 304 too. */
export function isCompressible({ status, headers, body }: HttpResponse): boolean {
  if (hasNoBody(status) || status === 206) return false
  if (body === undefined && !headers.has('content-length')) return false
  if (headers.has('content-encoding') || headers.has('content-range')) return false
  if (/(?:^|,)[ \t]*no-transform[ \t]*(?:,|$)/i.test(headers.get('cache-control') ?? ''))
    return false
  return compressible.test(headers.get('content-type') ?? '')
}

function sizeOf({ body, headers }: HttpResponse): number | undefined {
  if (typeof body === 'string') return Buffer.byteLength(body)
  if (body instanceof Uint8Array) return body.byteLength
  const declared = headers.get('content-length')
  return declared === undefined ? undefined : Number(declared)
}

function code(request: HttpRequest, response: HttpResponse, coding: Coding): void | Promise<void> {
  const { headers, body } = response
  const { whole, stream } = coders.get(coding)!
  headers.set('Content-Encoding', coding)
  headers.delete('content-length')
  headers.delete('accept-ranges')
  const etag = headers.get('etag')
  if (etag !== undefined) headers.set('ETag', weakTag(etag))
  if (body === undefined) return
  if (typeof body === 'string' || body instanceof Uint8Array) {
    return whole(typeof body === 'string' ? Buffer.from(body) : body).then((bytes) => {
      response.body = bytes
    })
  }
  if (request.method !== 'HEAD') response.body = new CodedBody(body, stream)
}

/** A stream under way through its coder, which is made when the body is first read. */
class CodedBody implements AsyncIterable<Uint8Array> {
  readonly #source: StreamedBody
  readonly #makeCoder: () => Transform

  constructor(source: StreamedBody, makeCoder: () => Transform) {
    this.#source = source
    this.#makeCoder = makeCoder
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    const source = this.#source
    let coder: Transform | undefined
    let coded: AsyncIterator<Uint8Array> | undefined
    const start = (): AsyncIterator<Uint8Array> => {
      coder = this.#makeCoder()
      // A failure ends the reading below; the callback only keeps it from being thrown.
      pipeline(
        Readable.from(source as AsyncIterable<Uint8Array>, { objectMode: false }),
        coder,
        () => {},
      )
      return coder[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
    }
    return {
      next: () => (coded ??= start()).next(),
      async return() {
        if (coder === undefined) releaseBody(source)
        else coder.destroy()
        return { done: true, value: undefined }
      },
    }
  }
}
