/** What `fw run` answers while the application does not run: why, until the next change. */
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { errorPage, isLocal, LiveReload, type ErrorReport } from '../dev.ts'
import { HttpResponse, type HttpRequest } from '../http.ts'
import { HttpServer } from '../server.ts'

/** Of a process that could not say why. @param ended how, in words */
export const endReport = (ended: string): ErrorReport => ({
  name: 'Process',
  message: `The application's process ended ${ended}. The terminal shows what it said last.`,
  stack: [],
  causes: [],
})

/** Serves one failure. */
export class FailurePage {
  readonly #reload = new LiveReload([])
  readonly #server: HttpServer

  constructor(error: ErrorReport) {
    this.#server = new HttpServer(this.#reload.wrap((request) => answer(request, error)))
  }

  take(socket: Socket): void {
    this.#server.take(socket)
  }

  /** Ends the streams of pages that wait: they ask again, and are answered by what comes next. */
  async close(): Promise<void> {
    this.#reload.close()
    await this.#server.close(100)
  }
}

function answer(request: HttpRequest, error: ErrorReport): HttpResponse {
  if (!isLocal(request)) return answered('text/plain', 'The application does not run.\n')
  const accepts = request.header('accept') ?? ''
  if (accepts.includes('json') && !accepts.includes('text/html')) {
    const problem = { type: 'about:blank', title: 'Internal Server Error', status: 500 }
    return answered(
      'application/problem+json',
      JSON.stringify({ ...problem, message: 'The application does not run.', error }),
    )
  }
  const nonce = randomBytes(16).toString('base64')
  const page = errorPage({
    kicker: 'The application does not run. This page reloads when a file is saved.',
    error,
    nonce,
  })
  const response = answered('text/html', page)
  response.headers.set(
    'Content-Security-Policy',
    `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'self'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'`,
  )
  return response
}

function answered(type: string, body: string): HttpResponse {
  const response = new HttpResponse(500, body)
  response.headers.set('Content-Type', `${type}; charset=utf-8`)
  response.headers.set('Cache-Control', 'no-store')
  response.headers.set('X-Content-Type-Options', 'nosniff')
  return response
}
