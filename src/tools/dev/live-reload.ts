/** Live reload: a script in each page reloads it when a template, style sheet or message file changes. */
import { randomBytes } from 'node:crypto'
import { isPromise } from '../../runtime/base.ts'
import { HttpResponse, type Handler, type HttpRequest } from '../../runtime/http.ts'
import type { ViewDiagnostic } from '../../templates/check.ts'
import { FileWatcher } from './file-watcher.ts'
import { isLocalRequest } from './local-request.ts'

const streamPath = '/_fw/reload'
const scriptPath = '/_fw/reload.js'
const retryMillis = 200
const reload = 'data: reload'
const noMistakes = 'data: []'

/** A mistake that the compiler has found. */
export type Mistake = ViewDiagnostic

// Set styles through the DOM, which is allowed even if the Content-Security-Policy forbids inline styles.
const mistakesScript = `function fwShowMistakes(mistakes) {
  document.getElementById('fw-mistakes')?.remove()
  if (mistakes.length === 0) return
  const add = (parent, name, text, style) => {
    const element = parent.appendChild(document.createElement(name))
    element.textContent = text
    element.style.cssText = style
    return element
  }
  const host = add(document.body, 'div', '', 'all:initial;position:fixed;inset:auto 0 0 0;z-index:2147483647')
  host.id = 'fw-mistakes'
  const box = host.attachShadow({ mode: 'open' })
  const pane = add(box, 'section', '', 'box-sizing:border-box;max-height:45vh;overflow:auto;margin:0;padding:12px 16px 16px;background:#1d2126;color:#e6e8eb;border-top:3px solid #ff8a80;font:14px/1.5 system-ui,sans-serif')
  pane.setAttribute('role', 'alert')
  const close = add(pane, 'button', 'Hide', 'float:right;padding:4px 12px;border:1px solid #5b6470;border-radius:6px;background:none;color:inherit;font:inherit;cursor:pointer')
  close.onclick = () => host.remove()
  const count = mistakes.length === 1 ? '1 mistake' : mistakes.length + ' mistakes'
  add(pane, 'strong', count, 'display:block;margin:4px 0 8px;color:#ff8a80')
  for (const { file, line, column, message, frame } of mistakes) {
    add(pane, 'div', file + ':' + line + ':' + column, 'margin-top:8px;font-weight:600')
    add(pane, 'div', message, 'white-space:pre-wrap;overflow-wrap:anywhere')
    if (frame) add(pane, 'pre', frame, 'margin:4px 0 0;overflow-x:auto;color:#9aa4b2;font:13px/1.5 ui-monospace,Menlo,Consolas,monospace')
  }
}
`

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
/** Matches `Sec-Fetch-Dest` of navigations. */
const pageDestination = /^(?:document|i?frame)$/

/** A page with an open event stream. */
interface Page {
  readonly events: ReadableStreamDefaultController<Uint8Array>
  /** Whether the page is on this machine. Only such pages get mistakes, because mistakes contain source code. */
  readonly isLocal: boolean
}

/** A page that leaves this number of events unread loses its stream. It then connects again, and gets the newest state. */
const maxUnread = 16

/** Adds live reload to an application's handler. */
export class LiveReload {
  readonly #changes: FileWatcher
  readonly #pages = new Set<Page>()
  readonly #server = randomBytes(6).toString('hex')
  #changed = 0
  #closed = false
  #mistakes = noMistakes

  /** @param folders the folders in which a changed file reloads the pages */
  constructor(folders: readonly string[]) {
    this.#changes = new FileWatcher(folders, () => {
      this.#changed += 1
      for (const page of this.#pages) this.#send(page, reload)
    })
  }

  /** Returns a handler that adds the script to pages, and serves the script and its event stream. */
  wrap(handle: Handler): Handler {
    return (request) => {
      const own = this.#respond(request)
      if (own !== undefined) return own
      const tag = `<script src="${scriptPath}?since=${this.#state}" defer></script>`
      const response = handle(request)
      // Some browsers do not send the header.
      const isNavigation = pageDestination.test(request.header('sec-fetch-dest') ?? 'document')
      return isPromise(response)
        ? response.then((resolved) => withScript(resolved, tag, isNavigation))
        : withScript(response, tag, isNavigation)
    }
  }

  /** Shows these mistakes above every open page, and on pages that open later; an empty list removes them. */
  show(mistakes: readonly Mistake[]): void {
    const event = `data: ${JSON.stringify(mistakes)}`
    if (event === this.#mistakes) return
    this.#mistakes = event
    for (const page of this.#pages) if (page.isLocal) this.#send(page, event)
  }

  /** Ends all event streams, which would otherwise delay the stop of the server. */
  close(): void {
    this.#closed = true
    this.#changes.close()
    for (const { events } of this.#pages) events.close()
    this.#pages.clear()
  }

  #respond(request: HttpRequest): HttpResponse | undefined {
    const { method, target } = request
    if (method !== 'GET') return undefined
    const [path, since] = target.split('?since=')
    if (path === scriptPath) return textResponse('text/javascript; charset=utf-8', script)
    if (path !== streamPath) return undefined
    const stream = this.#openStream(since, isLocalRequest(request))
    return textResponse('text/event-stream; charset=utf-8', stream)
  }

  #send(page: Page, event: string): void {
    const { events } = page
    // A stream holds one event before its `desiredSize` is 0.
    if ((events.desiredSize ?? 0) > 1 - maxUnread)
      return events.enqueue(Buffer.from(`${event}\n\n`))
    this.#pages.delete(page)
    events.close()
  }

  /** An identifier that differs after each start of the server and after each change. */
  get #state(): string {
    return `${this.#server}-${this.#changed}`
  }

  #openStream(since: string | undefined, isLocal: boolean): ReadableStream<Uint8Array> {
    let page: Page
    return new ReadableStream({
      start: (events) => {
        this.#pages.add((page = { events, isLocal }))
        // Shorten the reconnection delay: by default, browsers wait seconds before they reconnect to a restarted server.
        this.#send(page, `retry: ${retryMillis}\n: open`)
        if (since !== this.#state) this.#send(page, reload)
        if (isLocal && this.#mistakes !== noMistakes) this.#send(page, this.#mistakes)
        if (this.#closed) this.close()
      },
      cancel: () => void this.#pages.delete(page),
    })
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
