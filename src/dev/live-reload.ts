/** Pages reload themselves when a template, style sheet or message file changes. */
import { randomBytes } from 'node:crypto'
import { isPromise } from '../base.ts'
import { HttpResponse, type Handler, type HttpRequest } from '../http.ts'
import { FileChanges } from './file-changes.ts'

const streamPath = '/_fw/reload'
const scriptPath = '/_fw/reload.js'
const retryMillis = 200

// A page says which state of the server it was made by: what changed before its stream was open is not missed.
// Libraries that put one page into another run its script there again: a browser has few connections to a host.
const script = `if (window.fwReload === undefined) {
  const since = new URL(document.currentScript.src).searchParams.get('since')
  window.fwReload = new EventSource(\`${streamPath}?since=\${since}\`)
  window.fwReload.onmessage = () => location.reload()
}
`

const wholePage = /^\s*<!doctype\b|<\/body>/i
/** What a browser asks for to show it by itself, as `Sec-Fetch-Dest` names it; those that send none may mean a page. */
const pageDestinations: ReadonlySet<string | undefined> = new Set([
  'document',
  'frame',
  'iframe',
  undefined,
])

/** Who waits for the next change; `end` is true when the server stops, or the page goes. */
type Waiting = (end: boolean) => void

interface Page {
  /** Set while it waits, or has waited. */
  leave: Waiting | undefined
}

/** Development only: wraps an application's handler. */
export class LiveReload {
  readonly #changes: FileChanges
  readonly #waiting = new Set<Waiting>()
  readonly #server = randomBytes(6).toString('hex')
  #changed = 0
  #closed = false

  /** @param folders of the files whose changes reload the pages */
  constructor(folders: readonly string[]) {
    this.#changes = new FileChanges(folders, () => {
      this.#changed += 1
      this.#wake(false)
    })
  }

  /** The application with its pages calling for reloads. */
  wrap(handle: Handler): Handler {
    return (request) => {
      const own = this.#own(request)
      if (own !== undefined) return own
      const tag = `<script src="${scriptPath}?since=${this.#state}" defer></script>`
      const answer = handle(request)
      const isAsked = pageDestinations.has(request.header('sec-fetch-dest'))
      return isPromise(answer)
        ? answer.then((response) => withScript(response, tag, isAsked))
        : withScript(answer, tag, isAsked)
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
    const [path, since] = target.split('?since=')
    if (path === scriptPath) return answered('text/javascript; charset=utf-8', script)
    if (path !== streamPath) return undefined
    return answered('text/event-stream; charset=utf-8', this.#stream(since))
  }

  /** Another one after each start, and after each change. */
  get #state(): string {
    return `${this.#server}-${this.#changed}`
  }

  /** A page that goes is forgotten at once: a generator by itself would go on waiting for the next change. */
  #stream(since: string | undefined): AsyncIterableIterator<string> {
    const page: Page = { leave: undefined }
    const events = this.#events(since, page)
    return {
      [Symbol.asyncIterator]() {
        return this
      },
      next: () => events.next(),
      return: () => {
        page.leave?.(true)
        return events.return(undefined)
      },
    }
  }

  async *#events(since: string | undefined, page: Page): AsyncGenerator<string> {
    // Browsers would wait seconds before they ask a server that was started anew.
    yield `retry: ${retryMillis}\n: open\n\n`
    if (since !== this.#state) yield 'data: reload\n\n'
    while (!this.#closed) {
      if (await this.#nextChange(page)) return
      yield 'data: reload\n\n'
    }
  }

  #nextChange(page: Page): Promise<boolean> {
    return new Promise((resolve) => {
      const waiting: Waiting = (end) => {
        this.#waiting.delete(waiting)
        resolve(end)
      }
      this.#waiting.add(waiting)
      page.leave = waiting
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

/**
 * Puts the script at the end of a page; streams, other types, and parts that a script puts into its page stay as they are.
 * @param isAsked whether a page is asked for, be it whole or not
 */
function withScript(response: HttpResponse, tag: string, isAsked: boolean): HttpResponse {
  const { body, headers } = response
  const isPage = headers.get('content-type')?.startsWith('text/html') === true
  if (!isPage || typeof body !== 'string' || body === '') return response
  if (!isAsked && !wholePage.test(body)) return response
  const end = body.lastIndexOf('</body>')
  const at = end === -1 ? body.length : end
  response.body = body.slice(0, at) + tag + body.slice(at)
  headers.delete('content-length')
  headers.delete('etag')
  return response
}
