/** Pages reload themselves when a template, style sheet or message file changes. */
import { join } from 'node:path'
import { isPromise } from '../base.ts'
import { HttpResponse, type Handler, type HttpRequest } from '../http.ts'
import { FileChanges } from './file-changes.ts'

const streamPath = '/_fw/reload'
const scriptPath = '/_fw/reload.js'

// A stream that comes back after an error belongs to a server that was started anew.
const script = `let lost = false
const events = new EventSource(${JSON.stringify(streamPath)})
events.onmessage = () => location.reload()
events.onerror = () => { lost = true }
events.onopen = () => { if (lost) location.reload() }
`

const tag = `<script src="${scriptPath}" defer></script>`

/** Who waits for the next change; `end` is true when the server stops. */
type Waiting = (end: boolean) => void

/** Development only: wraps an application's handler. */
export class LiveReload {
  readonly #changes: FileChanges
  readonly #waiting = new Set<Waiting>()
  #closed = false

  /** Watches the views, layouts, public files and messages of the application in `root`. */
  constructor(root: string) {
    const folders = ['src/main/webapp', 'src/main/resources'].map((folder) => join(root, folder))
    this.#changes = new FileChanges(folders, () => this.#wake(false))
  }

  /** The application with its pages calling for reloads. */
  wrap(handle: Handler): Handler {
    return (request) => {
      const own = this.#own(request)
      if (own !== undefined) return own
      const answer = handle(request)
      return isPromise(answer) ? answer.then(withScript) : withScript(answer)
    }
  }

  /** Ends every stream, so that a stop need not wait for them. */
  close(): void {
    this.#closed = true
    this.#changes.close()
    this.#wake(true)
  }

  #own({ method, target }: HttpRequest): HttpResponse | undefined {
    if (method !== 'GET') return undefined
    if (target === scriptPath) return answered('text/javascript; charset=utf-8', script)
    if (target === streamPath) return answered('text/event-stream; charset=utf-8', this.#events())
    return undefined
  }

  async *#events(): AsyncGenerator<string> {
    yield ': open\n\n'
    while (!this.#closed) {
      if (await this.#nextChange()) return
      yield 'data: reload\n\n'
    }
  }

  #nextChange(): Promise<boolean> {
    return new Promise((resolve) => {
      const waiting: Waiting = (end) => {
        this.#waiting.delete(waiting)
        resolve(end)
      }
      this.#waiting.add(waiting)
    })
  }

  #wake(end: boolean): void {
    for (const waiting of this.#waiting) waiting(end)
  }
}

function answered(type: string, body: HttpResponse['body']): HttpResponse {
  const response = new HttpResponse(200, body)
  response.headers.set('Content-Type', type)
  response.headers.set('Cache-Control', 'no-store')
  return response
}

/** Puts the script at the end of a page; streams and other types stay as they are. */
function withScript(response: HttpResponse): HttpResponse {
  const { body, headers } = response
  const isPage = headers.get('content-type')?.startsWith('text/html') === true
  if (!isPage || typeof body !== 'string' || body === '') return response
  const end = body.lastIndexOf('</body>')
  const at = end === -1 ? body.length : end
  response.body = body.slice(0, at) + tag + body.slice(at)
  headers.delete('content-length')
  headers.delete('etag')
  return response
}
