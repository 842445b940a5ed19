/** The answer with a file: type, version, conditions and ranges. */
import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { parseRange, type ByteRange } from './byte-range.ts'
import { attachment, inline } from './content-disposition.ts'
import { FileBody } from './file-body.ts'
import { fileInside } from './file-inside.ts'
import { httpDate } from './http-date.ts'
import type { HttpRequest } from './http-request.ts'
import { HttpResponse } from './http-response.ts'
import { mediaTypeOf } from './media-types.ts'
import { holdsRange, judge, type Validators } from './preconditions.ts'

/** How a file is sent; all of it has a default. */
export interface FileOptions {
  /** The folder that the path is below; a path that leads out of it is no file. Needed for names that clients give. */
  readonly root?: string
  /** By the file's suffix unless given; `application/octet-stream` when that is not known. */
  readonly type?: string
  /** `attachment` saves it, `inline` names it and shows it; absent, the browser decides. */
  readonly disposition?: 'attachment' | 'inline'
  /** The name under which the browser saves it; the file's own unless given. */
  readonly name?: string
  /** `Cache-Control`; absent: `no-cache`, so that each use asks whether the file has changed. */
  readonly cacheControl?: string
}

// A small file goes out with its head in one write.
const smallBytes = 64 * 1024

/**
 * The answer to a GET or HEAD for the file: 200, 206 for a range, 304 or 412 for conditions, 416 for a range beyond its
 * end. Undefined when there is no such file. Without `root`, `name` is a trusted path.
 */
export async function fileResponse(
  request: HttpRequest,
  name: string,
  options: FileOptions = {},
): Promise<HttpResponse | undefined> {
  const path = options.root === undefined ? name : (await fileInside(options.root, name))?.path
  const found = path === undefined ? undefined : await statFile(path)
  if (path === undefined || found === undefined) return undefined
  const validators = validatorsOf(found)
  const response = new HttpResponse(200)
  const { headers } = response
  headers.append('Accept-Ranges', 'bytes')
  headers.append('Cache-Control', options.cacheControl ?? 'no-cache')
  headers.append('Last-Modified', httpDate(validators.lastModified))
  headers.append('ETag', validators.etag)
  const verdict = judge(request, validators)
  if (verdict !== 'proceed') {
    response.status = verdict
    return response
  }
  describe(response, path, options)
  const range = rangeOf(request, validators, found.size)
  if (range === 'unsatisfiable') return unsatisfiable(response, found.size)
  return withPart(request, response, new Part(path, found, range))
}

async function statFile(path: string): Promise<Stats | undefined> {
  try {
    const found = await stat(path)
    return found.isFile() ? found : undefined
  } catch (error) {
    if (missing.has((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}

const missing: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'EINVAL'])

interface FileValidators extends Validators {
  readonly etag: string
  readonly lastModified: Date
}

function validatorsOf({ size, mtimeMs }: Stats): FileValidators {
  const etag = `"${size.toString(36)}-${Math.trunc(mtimeMs * 1000).toString(36)}"`
  return { etag, lastModified: new Date(mtimeMs) }
}

function describe({ headers }: HttpResponse, path: string, options: FileOptions): void {
  headers.append('Content-Type', options.type ?? mediaTypeOf(path) ?? 'application/octet-stream')
  if (options.disposition === undefined) return
  const name = options.name ?? basename(path)
  headers.append(
    'Content-Disposition',
    options.disposition === 'inline' ? inline(name) : attachment(name),
  )
}

function rangeOf(
  request: HttpRequest,
  validators: Validators,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  // RFC 9110 defines ranges for GET alone.
  if (request.method !== 'GET' || !holdsRange(request, validators)) return undefined
  return parseRange(request.header('range'), size)
}

function unsatisfiable(response: HttpResponse, size: number): HttpResponse {
  response.status = 416
  response.headers.set('Content-Range', `bytes */${size}`)
  response.headers.delete('content-type')
  response.headers.delete('content-disposition')
  return response
}

/** The bytes of a file that are sent. */
class Part {
  readonly length: number
  readonly body: FileBody
  /** The `Content-Range`; undefined for the whole. */
  readonly told: string | undefined

  constructor(path: string, { size, mtimeMs }: Stats, range: ByteRange | undefined) {
    const { first, last } = range ?? { first: 0, last: size - 1 }
    this.length = last - first + 1
    this.body = new FileBody({ path, size, mtimeMs }, { first, last })
    this.told = range === undefined ? undefined : `bytes ${first}-${last}/${size}`
  }
}

async function withPart(
  request: HttpRequest,
  response: HttpResponse,
  { length, body, told }: Part,
): Promise<HttpResponse> {
  if (told !== undefined) {
    response.status = 206
    response.headers.append('Content-Range', told)
  }
  response.headers.append('Content-Length', length)
  if (request.method === 'HEAD') return response
  response.body = length > smallBytes ? body : await body.bytes()
  return response
}
