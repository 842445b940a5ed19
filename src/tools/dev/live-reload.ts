/** Live reload: a script in each page reloads it when a template, style sheet or message file changes. */
import { randomBytes } from 'node:crypto'
import { isPromise } from '../../runtime/base.ts'
import { HttpResponse, type Handler, type HttpRequest } from '../../runtime/http.ts'
import { FileWatcher } from './file-watcher.ts'
import { isLocalRequest } from './local-request.ts'
import { mistakesScript, type Mistake } from './mistakes-overlay.ts'

const streamPath = '/_fw/reload'
const scriptPath = '/_fw/reload.js'
const retryMillis = 200

// `since` is the server's state when the page was rendered, so that a change before the event stream opens is not missed.
// Libraries that insert one page into another run the script again; the global variable prevents a second connection.
const script = `if (window.fwReload === undefined) {
  const since = new URL(document.currentScript.src).searchParams.get('since')
  window.fwReload = new EventSource(\`${streamPath}?since=\${since}\`)
  window.fwReload.onmessage = ({ data }) => {
    if (data === 'reload') location.reload()
    else fwShowMistakes(JSON.parse(data))
  }
}
${mistakesScript}`

const wholePage = /^\s*<!doctype\b|<\/body>/i
/** The values of `Sec-Fetch-Dest` for navigations; `undefined`, because some browsers do not send the header. */
const pageDestinations: ReadonlySet<string | undefined> = new Set([
  'document',
  'frame',
  'iframe',
  undefined,
])

/** Ends a page's wait for the next change; `end` is true if the server stops or the page disconnects. */
type Waiter = (end: boolean) => void

interface Page {
  /** Ends the page's current wait when the page disconnects; undefined before the first wait. */
  disconnect: Waiter | undefined
}

/** Adds live reload to an application's handler. */
export class LiveReload {
  readonly #changes: FileWatcher
  readonly #waiting = new Set<Waiter>()
  readonly #server = randomBytes(6).toString('hex')
  #changed = 0
  #closed = false
  #mistakes = '[]'

  /** @param folders the folders in which a changed file reloads the pages */
  constructor(folders: readonly string[]) {
    this.#changes = new FileWatcher(folders, () => {
      this.#changed += 1
      this.#wake(false)
    })
  }

  /** Returns a handler that adds the script to pages, and serves the script and its event stream. */
  wrap(handle: Handler): Handler {
    return (request) => {
      const own = this.#respond(request)
      if (own !== undefined) return own
      const tag = `<script src="${scriptPath}?since=${this.#state}" defer></script>`
      const response = handle(request)
      const isNavigation = pageDestinations.has(request.header('sec-fetch-dest'))
      return isPromise(response)
        ? response.then((resolved) => withScript(resolved, tag, isNavigation))
        : withScript(response, tag, isNavigation)
    }
  }

  /** Shows these mistakes above every open page, and on pages that open later; an empty list removes them. */
  show(mistakes: readonly Mistake[]): void {
    this.#mistakes = JSON.stringify(mistakes)
    this.#wake(false)
  }

  /** Ends all event streams, which would otherwise delay the stop of the server. */
  close(): void {
    this.#closed = true
    this.#changes.close()
    this.#wake(true)
  }

  #respond(request: HttpRequest): HttpResponse | undefined {
    const { method, target } = request
    if (method !== 'GET') return undefined
    const [path, since] = target.split('?since=')
    if (path === scriptPath) return textResponse('text/javascript; charset=utf-8', script)
    if (path !== streamPath) return undefined
    return textResponse(
      'text/event-stream; charset=utf-8',
      this.#stream(since, isLocalRequest(request)),
    )
  }

  /** An identifier that differs after each start of the server and after each change. */
  get #state(): string {
    return `${this.#server}-${this.#changed}`
  }

  /** Wraps the generator of events: `return` ends its wait at once, so that it does not outlive the page's connection. */
  #stream(since: string | undefined, isLocal: boolean): AsyncIterableIterator<string> {
    const page: Page = { disconnect: undefined }
    const events = this.#events(since, page, isLocal)
    return {
      [Symbol.asyncIterator]() {
        return this
      },
      next: () => events.next(),
      return: () => {
        page.disconnect?.(true)
        return events.return(undefined)
      },
    }
  }

  /** Generates the events of a page. Only pages on this machine get mistakes, because mistakes contain source code. */
  async *#events(since: string | undefined, page: Page, isLocal: boolean): AsyncGenerator<string> {
    // Shorten the reconnection delay: by default, browsers wait seconds before they reconnect to a restarted server.
    yield `retry: ${retryMillis}\n: open\n\n`
    if (since !== this.#state) yield 'data: reload\n\n'
    let state = this.#state
    let mistakes = '[]'
    for (;;) {
      if (isLocal && mistakes !== this.#mistakes) {
        mistakes = this.#mistakes
        yield `data: ${mistakes}\n\n`
      }
      if (this.#closed || (await this.#nextChange(page))) return
      if (state !== this.#state) yield 'data: reload\n\n'
      state = this.#state
    }
  }

  #nextChange(page: Page): Promise<boolean> {
    return new Promise((resolve) => {
      const waiter: Waiter = (end) => {
        this.#waiting.delete(waiter)
        resolve(end)
      }
      this.#waiting.add(waiter)
      page.disconnect = waiter
    })
  }

  #wake(end: boolean): void {
    for (const waiter of this.#waiting) waiter(end)
  }
}

function textResponse(type: string, body: HttpResponse['body']): HttpResponse {
  const response = new HttpResponse(200, body)
  response.headers.set('Content-Type', type)
  response.headers.set('Cache-Control', 'no-store')
  return response
}

/**
 * Adds the script to the end of a page. Streams, other media types, and HTML fragments that scripts requested remain unchanged.
 * @param isNavigation whether the browser requested a page, so that an HTML fragment is a page too
 */
function withScript(response: HttpResponse, tag: string, isNavigation: boolean): HttpResponse {
  const { body, headers } = response
  const isPage = headers.get('content-type')?.startsWith('text/html') === true
  if (!isPage || typeof body !== 'string' || body === '') return response
  if (!isNavigation && !wholePage.test(body)) return response
  const end = body.lastIndexOf('</body>')
  const at = end === -1 ? body.length : end
  response.body = body.slice(0, at) + tag + body.slice(at)
  headers.delete('content-length')
  headers.delete('etag')
  return response
}
