/** The public files of `webapp`; `WEB-INF` and dotfiles are never served. */
import { stat } from 'node:fs/promises'
import {
  addVary,
  bestEncoding,
  fileInside,
  fileResponse,
  mediaTypeOf,
  type HttpRequest,
  type HttpResponse,
  type RequestPath,
} from '../http.ts'

/** How public files are sent. */
export interface StaticFilesOptions {
  /** Milliseconds that a file is used without asking again; 0 unless given. */
  readonly maxAge?: number
  /** Looks for `x.js.br`, `x.js.zst` and `x.js.gz` beside `x.js`. */
  readonly precompressed?: boolean
}

const codings: Readonly<Record<string, string>> = { br: '.br', zstd: '.zst', gzip: '.gz' }
// Names that a bundler made out of the content: another content has another name.
const hashed = /[-.](?:[0-9a-f]{8,64}|(?=[\w-]*\d)(?=[\w-]*[A-Z])[\w-]{8})\.[a-z0-9]{1,8}$/

const hidden = (segment: string): boolean =>
  segment.startsWith('.') || segment.toUpperCase() === 'WEB-INF'

/** Serves files of one folder: their type, version, conditions and ranges. */
export class StaticFiles {
  readonly #root: string
  readonly #maxAge: number
  readonly #precompressed: boolean

  /** @param root absolute path of the public folder; it need not exist */
  constructor(root: string, { maxAge = 0, precompressed = false }: StaticFilesOptions = {}) {
    this.#root = root
    this.#maxAge = Math.floor(maxAge / 1000)
    this.#precompressed = precompressed
  }

  /** The response for a file of that path, or `undefined` when there is none. */
  async find(request: HttpRequest, path: RequestPath): Promise<HttpResponse | undefined> {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
    if (path.segments.some((segment) => hidden(segment) || segment.includes('/'))) return undefined
    const file = await fileInside(this.#root, path.segments.join('/'))
    // A link may lead into the hidden part.
    if (file === undefined || file.segments.some(hidden)) return undefined
    const options = { cacheControl: this.#cacheControl(file.path) }
    return this.#precompressed
      ? this.#coded(request, file.path, options)
      : fileResponse(request, file.path, options)
  }

  #cacheControl(file: string): string {
    if (hashed.test(file)) return 'public, max-age=31536000, immutable'
    return this.#maxAge === 0 ? 'public, no-cache' : `public, max-age=${this.#maxAge}`
  }

  async #coded(
    request: HttpRequest,
    file: string,
    options: { readonly cacheControl: string },
  ): Promise<HttpResponse | undefined> {
    const offered: string[] = []
    for (const [coding, suffix] of Object.entries(codings))
      if (await isFile(file + suffix)) offered.push(coding)
    if (offered.length === 0) return fileResponse(request, file, options)
    const coding = bestEncoding(request.header('accept-encoding'), offered)
    const type = mediaTypeOf(file) ?? 'application/octet-stream'
    const path = coding === undefined ? file : file + codings[coding]!
    const response = await fileResponse(request, path, { ...options, type })
    if (response === undefined) return undefined
    addVary(response.headers, 'Accept-Encoding')
    if (coding !== undefined && response.headers.has('content-type'))
      response.headers.append('Content-Encoding', coding)
    return response
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
