/** `/openapi.json` and the page to try it, around an application in development. */
import type { FwContext } from '../action.ts'
import type { Application } from '../app.ts'
import { isPromise } from '../base.ts'
import { isLocal } from '../dev.ts'
import { HttpResponse, releaseBody, type Handler, type HttpRequest } from '../http.ts'
import { normalPrefix } from '../routing.ts'
import { ForgeryToken } from '../session.ts'
import { describeApplication } from './describe-application.ts'
import { tryPage } from './try-page.ts'

/**
 * Answers where the application does not: a route or a public file of that path goes before. In development alone, and to
 * this machine alone: who else asks gets what the application answers.
 */
export class OpenApiPages {
  readonly #application: Application
  /** Of the page; the document's is the same with `.json`. */
  readonly path: string

  constructor(application: Application) {
    this.#application = application
    this.path = `${normalPrefix(application.settings.contextPath)}/openapi`
  }

  /** The application with both pages; in every environment but development as it is. */
  wrap(handle: Handler): Handler {
    if (!this.#application.configuration.env.isDevelopment()) return handle
    return (request) => {
      const answer = handle(request)
      const path = request.target.split('?', 1)[0]
      const isOurs = path === this.path || path === `${this.path}.json`
      if (!isOurs || (request.method !== 'GET' && request.method !== 'HEAD')) return answer
      return isPromise(answer)
        ? answer.then((response) => this.#instead(request, response))
        : this.#instead(request, answer)
    }
  }

  #instead(request: HttpRequest, response: HttpResponse): HttpResponse | Promise<HttpResponse> {
    if (!isLocal(request) || !this.#isLeft(request, response)) return response
    releaseBody(response.body)
    return request.target.startsWith(`${this.path}.json`) ? this.#document() : this.#page(request)
  }

  /** Whether no route has answered; for whole areas of paths a controller may say what is not found. */
  #isLeft(request: HttpRequest, { status, unmatched }: HttpResponse): boolean {
    if (status !== 404 || unmatched) return unmatched
    return this.#application.contextOf(request).match === undefined
  }

  async #document(): Promise<HttpResponse> {
    const { document } = await describeApplication(this.#application)
    const response = new HttpResponse(200, `${JSON.stringify(document, undefined, 2)}\n`)
    response.headers.set('Content-Type', 'application/json; charset=utf-8')
    response.headers.set('Cache-Control', 'no-store')
    return response
  }

  /** In the visitor's session, under the application's own policy. */
  async #page(request: HttpRequest): Promise<HttpResponse> {
    const ctx = this.#application.contextOf(request)
    const { response, services } = ctx
    const { document } = await describeApplication(this.#application)
    const token = await tokenOf(ctx)
    const { title } = document.info
    response.body = tryPage({
      title,
      documentPath: `${ctx.request.http.mountPath}${this.path}.json`,
      nonce: ctx.cspNonce,
      token,
    })
    response.headers.set('Content-Type', 'text/html; charset=utf-8')
    response.headers.set('Cache-Control', 'no-store')
    ctx.writeCookies()
    services.securityHeaders.addTo(response, request, ctx.cspNonce)
    return response
  }
}

/** The token of the visitor's session, which is made if there is none. */
async function tokenOf(ctx: FwContext): Promise<string> {
  await ctx.loadSession()
  const token = new ForgeryToken(ctx.session).mask()
  await ctx.saveSession()
  return token
}
