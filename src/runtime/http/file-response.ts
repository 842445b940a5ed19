/** Files as responses: media type, validators, preconditions and byte ranges. */
import type { Stats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { basename, isAbsolute, join, relative, sep } from 'node:path'
import { BodyChunks } from './body-chunks.ts'
import { attachment, inline } from './content-disposition.ts'
import { fileTag, readChunks } from './file-tag.ts'
import { httpDate } from './http-date.ts'
import type { HttpRequest } from './http-request.ts'
import { HttpResponse, type ResponseBody } from './http-response.ts'
import { mediaTypeOf } from './media-types.ts'
import { evaluatePreconditions, rangeApplies, type Validators } from './preconditions.ts'

/** Options for sending a file. */
export interface FileOptions {
  /** The folder that must contain the file; a path outside counts as missing. Required for file names from clients. */
  readonly root?: string
  /** The media type. The default is the type of the file's extension, or `application/octet-stream`. */
  readonly type?: string
  /** `attachment` makes the browser save the file, `inline` show it. Without a disposition the browser decides. */
  readonly disposition?: 'attachment' | 'inline'
  /** The file name for the browser; default the name of the file itself. */
  readonly name?: string
  /** The `Cache-Control` header; default `private, no-cache`: only browsers store the file, and validate it at each use. */
  readonly cacheControl?: string
}

// A file up to this size is sent together with the response head, in one write.
const smallBytes = 64 * 1024

/**
 * Returns the response to a GET or HEAD request for a file. The status is 200, 206 for a range, 304 or 412 for
 * preconditions, or 416 for a range beyond the end of the file. Returns undefined when the file does not exist. Without
 * `root`, `name` must be a trusted path.
 */
export async function fileResponse(
  request: HttpRequest,
  name: string,
  options: FileOptions = {},
): Promise<HttpResponse | undefined> {
  const path =
    options.root === undefined ? name : (await findContainedFile(options.root, name))?.path
  const stats = path === undefined ? undefined : await statFile(path)
  if (path === undefined || stats === undefined) return undefined
  const etag = await fileTag(path, stats)
  // Without a tag, the response has no date either, because two contents may have the same date.
  const validators = etag === undefined ? {} : { etag, lastModified: new Date(stats.mtimeMs) }
  const response = new HttpResponse(200)
  const { headers } = response
  headers.append('Accept-Ranges', 'bytes')
  headers.append('Cache-Control', options.cacheControl ?? 'private, no-cache')
  if (etag !== undefined) {
    headers.append('Last-Modified', httpDate(new Date(stats.mtimeMs)))
    headers.append('ETag', etag)
  }
  const result = evaluatePreconditions(request, validators)
  if (result !== 'proceed') {
    response.status = result
    return response
  }
  const range = requestedRange(request, validators, stats.size)
  if (range === 'unsatisfiable') {
    response.status = 416
    headers.append('Content-Range', `bytes */${stats.size}`)
    return response
  }
  appendContentHeaders(response, path, options)
  const { first, last } = range ?? { first: 0, last: stats.size - 1 }
  if (range !== undefined) {
    response.status = 206
    headers.append('Content-Range', `bytes ${first}-${last}/${stats.size}`)
  }
  headers.append('Content-Length', last - first + 1)
  // HEAD gets the body too, because compression changes the length; the container does not send it.
  response.body = await readRange(path, stats, { first, last })
  return response
}

const missing: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'EINVAL'])

async function statFile(path: string): Promise<Stats | undefined> {
  try {
    const stats = await stat(path)
    return stats.isFile() ? stats : undefined
  } catch (error) {
    if (missing.has((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}

function requestedRange(request: HttpRequest, validators: Validators, size: number) {
  // RFC 9110 defines ranges for GET only.
  if (request.method !== 'GET' || !rangeApplies(request, validators)) return undefined
  return parseRange(request.header('range'), size)
}

function appendContentHeaders({ headers }: HttpResponse, path: string, options: FileOptions): void {
  headers.append('Content-Type', options.type ?? mediaTypeOf(path) ?? 'application/octet-stream')
  if (options.disposition === undefined) return
  const name = options.name ?? basename(path)
  headers.append(
    'Content-Disposition',
    options.disposition === 'inline' ? inline(name) : attachment(name),
  )
}

/** A byte range: the offsets of its first and last byte, both inclusive. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

const singleRange = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i

/**
 * Parses a `Range` header (RFC 9110 §14) for a content of `size` bytes. Returns `'unsatisfiable'` (416) when the range
 * contains none of the bytes. Returns undefined, which means the whole file, without a header, for another unit, a
 * malformed range, or several ranges.
 */
export function parseRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = singleRange.exec(header ?? '') ?? []
  if (from === '' && to === '') return undefined
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const last = from === '' || to === '' ? Infinity : Number(to)
  if (last < first) return undefined
  return first < size ? { first, last: Math.min(last, size - 1) } : 'unsatisfiable'
}

/** Returns a range of a file as a body: bytes for a small range, otherwise a stream. @throws as `readChunks` */
async function readRange(path: string, stats: Stats, range: ByteRange): Promise<ResponseBody> {
  // An iterable instead of one generator, so that the body can be read again.
  const chunks = { [Symbol.asyncIterator]: () => readChunks(path, stats, range) }
  if (range.last - range.first >= smallBytes) return chunks
  const content = new BodyChunks()
  for await (const chunk of chunks) content.add(chunk)
  return content.concat()
}

/**
 * Finds the file or folder `name` below `root`; `name` may come from a client. Returns its absolute path and the segments of
 * its path below `root`, with symbolic links resolved. Returns undefined when it does not exist, or when `..` or a symbolic
 * link leads outside `root`.
 */
export async function findContainedFile(root: string, name: string) {
  try {
    const [folder, path] = await Promise.all([realpath(root), realpath(join(root, name))])
    const below = relative(folder, path)
    if (below === '' || isAbsolute(below)) return undefined
    const segments = below.split(sep)
    return segments[0] === '..' ? undefined : { path, segments }
  } catch {
    return undefined
  }
}
