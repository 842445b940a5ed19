/** The public files of `webapp`; `WEB-INF` and dotfiles are never served. */
import { realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { Readable } from 'node:stream'
import { send } from '@fastify/send'
import { HttpResponse, ResponseHeaders, type HttpRequest, type RequestPath } from '../http.ts'

const hidden = (segment: string): boolean =>
  segment.startsWith('.') || segment.toUpperCase() === 'WEB-INF'

/** Serves files of one folder with `ETag`, `Last-Modified` and single ranges. */
export class StaticFiles {
  readonly #root: string

  /** @param root absolute path of the public folder; it need not exist */
  constructor(root: string) {
    this.#root = root
  }

  /** The response for a file of that path, or `undefined` when there is none. */
  async find(request: HttpRequest, path: RequestPath): Promise<HttpResponse | undefined> {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
    if (path.segments.some((segment) => hidden(segment) || segment.includes('/'))) return undefined
    if (!(await this.#isInside(path.segments))) return undefined
    const headers = Object.fromEntries(request.headers())
    const found = await send({ method: request.method, headers } as unknown as Readable, path.raw, {
      root: this.#root,
      index: false,
      dotfiles: 'ignore',
    })
    if (found.type !== 'file') return undefined
    const response = new HttpResponse(found.statusCode, found.stream, new ResponseHeaders())
    for (const [name, value] of Object.entries(found.headers)) response.headers.set(name, value)
    return response
  }

  /** A link that leads out of the folder is no file of it. */
  async #isInside(segments: readonly string[]): Promise<boolean> {
    try {
      const [root, file] = await Promise.all([
        realpath(this.#root),
        realpath(join(this.#root, ...segments)),
      ])
      return file.startsWith(root + sep)
    } catch {
      return false
    }
  }
}
