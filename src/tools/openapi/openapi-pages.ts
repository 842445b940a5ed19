/** Serves the OpenAPI document (`/openapi.json`) and a page for trying out routes (`/openapi`), in development only. */
import { readFileSync } from 'node:fs'
import type { FwContext } from '../../runtime/action.ts'
import { finishResponse, type Application } from '../../runtime/app.ts'
import { isPromise, packageFile } from '../../runtime/base.ts'
import {
  escapeXml,
  HttpResponse,
  releaseBody,
  type Handler,
  type HttpRequest,
} from '../../runtime/http.ts'
import { normalizePrefix } from '../../runtime/routing.ts'
import { isLocalRequest } from '../dev.ts'
import { describeApplication } from './describe-application.ts'

/** Serves pages, in development and to this machine only, unless the application has a route or file at their paths. */
export class OpenApiPages {
  readonly #application: Application
  /** The path of the page; the document has the same path with `.json`. */
  readonly path: string

  constructor(application: Application) {
    this.#application = application
    this.path = `${normalizePrefix(application.settings.contextPath)}/openapi`
  }

  /** Returns a handler with the pages added. Outside development, returns the application's handler unchanged. */
  wrap(handle: Handler): Handler {
    if (!this.#application.configuration.env.isDevelopment()) return handle
    return (request) => {
      const response = handle(request)
      const path = request.target.split('?', 1)[0]
      const isPage = path === this.path || path === `${this.path}.json`
      if (!isPage || (request.method !== 'GET' && request.method !== 'HEAD')) return response
      return isPromise(response)
        ? response.then((settled) => this.#replace(request, settled))
        : this.#replace(request, response)
    }
  }

  #replace(request: HttpRequest, response: HttpResponse): HttpResponse | Promise<HttpResponse> {
    if (!isLocalRequest(request) || !this.#isUnhandled(request, response)) return response
    releaseBody(response.body)
    return request.target.startsWith(`${this.path}.json`)
      ? this.#serveDocument()
      : this.#servePage(request)
  }

  /** Returns whether no route matched the request. A fallback handler's 404 may lack `unmatched`, so match the routes again. */
  #isUnhandled(request: HttpRequest, { status, unmatched }: HttpResponse): boolean {
    if (status !== 404 || unmatched) return unmatched
    return this.#application.createContext(request).match === undefined
  }

  async #serveDocument(): Promise<HttpResponse> {
    const { document } = await describeApplication(this.#application)
    const response = new HttpResponse(200, `${JSON.stringify(document, undefined, 2)}\n`)
    response.headers.set('Content-Type', 'application/json; charset=utf-8')
    response.headers.set('Cache-Control', 'no-store')
    return this.#application.finish(response)
  }

  /** Serves the page for trying out routes. It uses the visitor's session and the application's content security policy. */
  async #servePage(request: HttpRequest): Promise<HttpResponse> {
    const ctx = this.#application.createContext(request)
    const { response } = ctx
    const { document } = await describeApplication(this.#application)
    response.body = renderExplorer({
      title: document.info.title,
      documentPath: `${ctx.request.http.mountPath}${this.path}.json`,
      nonce: ctx.cspNonce,
      token: await createToken(ctx),
    })
    response.headers.set('Content-Type', 'text/html; charset=utf-8')
    response.headers.set('Cache-Control', 'no-store')
    return finishResponse(ctx)
  }
}

async function createToken(ctx: FwContext): Promise<string> {
  await ctx.sessionScope.load()
  const token = ctx.sessionScope.forgeryToken.mask()
  await ctx.sessionScope.save()
  return token
}

const readAsset = (name: string): string =>
  readFileSync(packageFile(`templates/openapi/${name}`), 'utf8')

/** Returns the page with HTML-escaped values. The page's script inserts all other text of the application as text nodes. */
function renderExplorer(values: Readonly<Record<string, string>>): string {
  const assets: Readonly<Record<string, string>> = {
    style: readAsset('explorer.css'),
    script: readAsset('explorer.js'),
  }
  return readAsset('explorer.html.tpl').replace(
    /\{\{(\w+)\}\}/g,
    (_match, name: string) => assets[name] ?? escapeXml(values[name]!),
  )
}
