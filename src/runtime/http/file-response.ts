/** Files as responses: media type, validators, preconditions and byte ranges. */
import type { Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { open, realpath, stat } from 'node:fs/promises'
import { basename, isAbsolute, join, relative, sep } from 'node:path'
import { attachment, inline } from './content-disposition.ts'
import { httpDate } from './http-date.ts'
import type { HttpRequest } from './http-request.ts'
import { HttpResponse } from './http-response.ts'
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
  /** The `Cache-Control` header; default `no-cache`, so that browsers revalidate the file on each use. */
  readonly cacheControl?: string
}

// A file up to this size is sent together with the response head, in one write.
const smallBytes = 64 * 1024
const chunkBytes = 64 * 1024

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
  const validators = fileValidators(stats)
  const response = new HttpResponse(200)
  const { headers } = response
  headers.append('Accept-Ranges', 'bytes')
  headers.append('Cache-Control', options.cacheControl ?? 'no-cache')
  headers.append('Last-Modified', httpDate(validators.lastModified))
  headers.append('ETag', validators.etag)
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
  return appendContent(request, response, { path, stats, range })
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

function fileValidators({ size, mtimeMs }: Stats): { etag: string; lastModified: Date } {
  const etag = `"${size.toString(36)}-${Math.trunc(mtimeMs * 1000).toString(36)}"`
  return { etag, lastModified: new Date(mtimeMs) }
}

function requestedRange(
  request: HttpRequest,
  validators: Validators,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
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

interface FileContent {
  readonly path: string
  readonly stats: Stats
  /** The range to send; undefined for the whole file. */
  readonly range: ByteRange | undefined
}

async function appendContent(
  request: HttpRequest,
  response: HttpResponse,
  { path, stats, range }: FileContent,
): Promise<HttpResponse> {
  const { first, last } = range ?? { first: 0, last: stats.size - 1 }
  if (range !== undefined) {
    response.status = 206
    response.headers.append('Content-Range', `bytes ${first}-${last}/${stats.size}`)
  }
  const length = last - first + 1
  response.headers.append('Content-Length', length)
  if (request.method === 'HEAD') return response
  const body = new FileBody(path, stats, { first, last })
  response.body = length > smallBytes ? body : await body.bytes()
  return response
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
  const match = header === undefined ? null : singleRange.exec(header)
  if (match === null) return undefined
  const [, from = '', to = ''] = match
  if (from === '') return suffixRange(to, size)
  const first = Number(from)
  const last = to === '' ? Infinity : Number(to)
  if (last < first) return undefined
  return first < size ? { first, last: Math.min(last, size - 1) } : 'unsatisfiable'
}

function suffixRange(length: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  if (length === '') return undefined
  const bytes = Number(length)
  if (bytes === 0 || size === 0) return 'unsatisfiable'
  return { first: Math.max(0, size - bytes), last: size - 1 }
}

/** A range of a file as a body. Opens the file on the first read, so that an unsent body needs no cleanup. */
class FileBody implements AsyncIterable<Uint8Array> {
  readonly #path: string
  readonly #stats: Stats
  readonly #range: ByteRange

  constructor(path: string, stats: Stats, range: ByteRange) {
    this.#path = path
    this.#stats = stats
    this.#range = range
  }

  /** @throws Error when the file has changed since the response headers were created */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const handle = await open(this.#path)
    try {
      const { size, mtimeMs } = await handle.stat()
      if (size !== this.#stats.size || mtimeMs !== this.#stats.mtimeMs)
        throw new Error(`The file ${this.#path} was changed while it was being sent.`)
      yield* this.#chunks(handle)
    } finally {
      await handle.close()
    }
  }

  /** Reads the whole range into memory, for small files. @throws as the iterator */
  async bytes(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = []
    for await (const chunk of this) chunks.push(chunk)
    return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
  }

  async *#chunks(handle: FileHandle): AsyncGenerator<Uint8Array> {
    const { first, last } = this.#range
    for (let at = first; at <= last;) {
      // Allocate a new buffer for each chunk, because the container may still be sending the previous one.
      const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, last - at + 1))
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, at)
      if (bytesRead === 0) return
      at += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  }
}

/** A file below a folder. */
export interface ContainedFile {
  /** The absolute path, with symbolic links resolved. */
  readonly path: string
  /** The segments of the path relative to the folder, with symbolic links resolved. */
  readonly segments: readonly string[]
}

/**
 * Finds the file or folder `name` below `root`; `name` may come from a client. Returns undefined when it does not
 * exist, or when `..` or a symbolic link leads outside `root`.
 */
export async function findContainedFile(
  root: string,
  name: string,
): Promise<ContainedFile | undefined> {
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
