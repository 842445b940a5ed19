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

/** How a file is sent. */
export interface FileOptions {
  /** The folder of the file; a path outside counts as missing. Required for names from clients. */
  readonly root?: string
  /** The media type; by default that of the file's extension, or `application/octet-stream`. */
  readonly type?: string
  /** `attachment` saves the file, `inline` shows it; absent, the browser decides. */
  readonly disposition?: 'attachment' | 'inline'
  /** The file name for the browser; by default the file's own. */
  readonly name?: string
  /** `Cache-Control`; by default `no-cache`, so that browsers revalidate the file on each use. */
  readonly cacheControl?: string
}

// A small file is sent together with the head, in one write.
const smallBytes = 64 * 1024
const chunkBytes = 64 * 1024

/**
 * The response to a GET or HEAD request for a file: 200, 206 for a range, 304 or 412 for preconditions, 416 for a range
 * beyond its end. Undefined when the file does not exist. Without `root`, `name` must be a trusted path.
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
  /** Undefined for the whole file. */
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

/** Offsets of the first and the last byte, both inclusive. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

const singleRange = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i

/**
 * The requested range (RFC 9110 §14) of `size` bytes; `'unsatisfiable'` when it contains none of them (416). Undefined,
 * which means the whole file: no header, another unit, a malformed range, or several ranges.
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

/** A range of a file as a body. Opens the file on the first read: an unsent body needs no cleanup. */
class FileBody implements AsyncIterable<Uint8Array> {
  readonly #path: string
  readonly #stats: Stats
  readonly #range: ByteRange

  constructor(path: string, stats: Stats, range: ByteRange) {
    this.#path = path
    this.#stats = stats
    this.#range = range
  }

  /** @throws Error when the file has changed since its headers were made */
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

  /** The whole range, for small files. @throws as the iterator */
  async bytes(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = []
    for await (const chunk of this) chunks.push(chunk)
    return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
  }

  async *#chunks(handle: FileHandle): AsyncGenerator<Uint8Array> {
    const { first, last } = this.#range
    for (let at = first; at <= last;) {
      // A new buffer for each chunk: the container may still be sending the previous one.
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
  /** Absolute, links resolved. */
  readonly path: string
  /** The path from the folder, links resolved. */
  readonly segments: readonly string[]
}

/**
 * The file or folder `name` below `root`, where `name` may come from a client. Undefined when it does not exist, or
 * when `..` or a link leads outside `root`.
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
