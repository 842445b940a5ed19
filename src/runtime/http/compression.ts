/** Response compression with gzip, brotli and, on runtimes that support it, zstd. */
import { pipeline, Readable, type Transform } from 'node:stream'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import type { HttpRequest } from './http-request.ts'
import type { HttpResponse } from './http-response.ts'
import { bestEncoding } from './negotiation.ts'
import { weakTag } from './preconditions.ts'
import { addVary } from './response-headers.ts'
import { hasNoBody } from './status.ts'
import { isStreamed, releaseBody, type StreamedBody } from './streamed-body.ts'

/** The limits of the compression. */
export interface CompressionOptions {
  /** The smallest number of bytes to compress. A body with fewer bytes, if its length is known, stays uncompressed. */
  readonly minimumSize: number
}

type Encoding = 'zstd' | 'br' | 'gzip'

interface Encoder {
  readonly whole: (body: Uint8Array) => Promise<Uint8Array>
  /** Creates an encoder that flushes after each chunk, so that streamed events arrive at once. */
  readonly stream: () => Transform
}

const { constants } = zlib
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
const encoders: Readonly<Record<Encoding, Encoder>> = {
  zstd: {
    whole: (body) => promisify(zlib.zstdCompress)(body),
    stream: () => zlib.createZstdCompress({ flush: constants.ZSTD_e_flush }),
  },
  br: {
    whole: (body) => promisify(zlib.brotliCompress)(body, brotli),
    stream: () => zlib.createBrotliCompress({ ...brotli, flush: constants.BROTLI_OPERATION_FLUSH }),
  },
  gzip: {
    whole: promisify(zlib.gzip),
    stream: () => zlib.createGzip({ flush: constants.Z_SYNC_FLUSH }),
  },
}

/** The content encodings that this runtime supports, in order of preference. */
export const supportedEncodings: readonly string[] = Object.keys(encoders).filter(
  (encoding) => encoding !== 'zstd' || 'zstdCompress' in zlib,
)

const compressible =
  /^(?:text\/(?!event-stream)[^;]*|application\/(?:json|javascript|xml|wasm|rtf|yaml|toml|x-ndjson|[^;]*\+(?:json|xml))|image\/(?:svg\+xml|bmp|x-icon)|font\/(?:ttf|otf|collection)|model\/gltf\+json)[ \t]*(?:;|$)/i

/**
 * Compresses the body of `response` if the client accepts an encoding, and adds `Vary` to every compressible response.
 * Leaves these uncompressed: encoded bodies, byte ranges, `Cache-Control: no-transform`, compressed media types and
 * event streams.
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
  const encoding = bestEncoding(request.header('accept-encoding'), supportedEncodings)
  if (encoding !== undefined) return encode(request, response, encoding as Encoding)
}

/**
 * Returns true if the response to another client could be compressed. Its `Vary` must then list `Accept-Encoding`, in a
 * 304 too.
 */
export function isCompressible({ status, headers, body }: HttpResponse): boolean {
  if (hasNoBody(status) || status === 206) return false
  if (body === undefined && !headers.has('content-length')) return false
  if (headers.has('content-encoding') || headers.has('content-range')) return false
  if (/(?:^|,)[ \t]*no-transform[ \t]*(?:,|$)/i.test(headers.get('cache-control') ?? ''))
    return false
  return compressible.test(headers.get('content-type') ?? '')
}

function sizeOf({ body, headers }: HttpResponse): number | undefined {
  if (body !== undefined && !isStreamed(body)) return Buffer.byteLength(body)
  const declared = headers.get('content-length')
  return declared === undefined ? undefined : Number(declared)
}

function encode(request: HttpRequest, response: HttpResponse, encoding: Encoding) {
  const { headers, body } = response
  const { whole, stream } = encoders[encoding]
  headers.set('Content-Encoding', encoding)
  headers.delete('content-length')
  headers.delete('accept-ranges')
  const etag = headers.get('etag')
  if (etag !== undefined) headers.set('ETag', weakTag(etag))
  if (body === undefined) return
  if (isStreamed(body)) {
    if (request.method !== 'HEAD') response.body = encodeStream(body, stream)
    return
  }
  return whole(typeof body === 'string' ? Buffer.from(body) : body).then((bytes) => {
    response.body = bytes
  })
}

/** Pipes a stream through an encoder, which is created on the first read. */
function encodeStream(
  source: StreamedBody,
  createEncoder: () => Transform,
): AsyncIterable<Uint8Array> {
  let encoder: Transform | undefined
  let encoded: AsyncIterator<Uint8Array> | undefined
  const start = (): AsyncIterator<Uint8Array> => {
    encoder = createEncoder()
    const chunks = Readable.from(source as AsyncIterable<Uint8Array>, { objectMode: false })
    // Errors reach the reader through the iterator below. Without the empty callback, `pipeline` would also throw them.
    pipeline(chunks, encoder, () => {})
    return encoder[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  }
  const iterator: AsyncIterator<Uint8Array> = {
    next: () => (encoded ??= start()).next(),
    async return() {
      if (encoder === undefined) releaseBody(source)
      else encoder.destroy()
      return { done: true, value: undefined }
    },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}
