/** `s` in a view: the specification's `fw.Fw`, the request as a template may read it. */
import { routeUrl, type FwContext } from '../action.ts'
import type { I18n } from '../i18n.ts'
import type { MultiParams, Params } from '../params.ts'
import type { Route, UrlArgs } from '../routing.ts'
import { csrfKey, ForgeryToken, type Flash } from '../session.ts'
import { KeyAndErrorMessages } from '../validation.ts'
import { SafeHtml, type ViewHelper } from '../view.ts'

const attributeEscapes: Readonly<Record<string, string>> = {
  '"': '&quot;',
  '&': '&amp;',
  '<': '&lt;',
}
const attribute = (text: string): string =>
  text.replace(/["&<]/g, (found) => attributeEscapes[found]!)

/** The flash as a view reads it: texts. */
export class ViewFlash {
  readonly #flash: Flash

  constructor(flash: Flash) {
    this.#flash = flash
  }

  /** The text; `undefined` when there is none, or when the value is an object. */
  get(name: string): string | undefined {
    const value = this.#flash.get(name)
    return value === undefined || value === null || typeof value === 'object'
      ? undefined
      : String(value)
  }

  has(name: string): boolean {
    return this.#flash.has(name)
  }
}

/** One for each request that renders a view. @spec View helper */
export class Fw implements ViewHelper {
  readonly #ctx: FwContext
  #token: string | undefined

  constructor(ctx: FwContext) {
    this.#ctx = ctx
  }

  /** The parameters that a failed validation judged, else the request's own. */
  get params(): Params {
    return (this.#ctx.requestScope().get('params') as Params | undefined) ?? this.#ctx.params
  }

  get multiParams(): MultiParams {
    return this.#ctx.multiParams
  }

  /** What the request before left, and what this one set. */
  get flash(): ViewFlash {
    return new ViewFlash(this.#ctx.flash)
  }

  /** The messages of the validation that failed; empty when none did. */
  get errorMessages(): readonly string[] {
    return (this.#ctx.requestScope().get('errorMessages') as readonly string[] | undefined) ?? []
  }

  /** The same by key. */
  get keyAndErrorMessages(): KeyAndErrorMessages {
    const known = this.#ctx.requestScope().get('keyAndErrorMessages') as
      | KeyAndErrorMessages
      | undefined
    return known ?? new KeyAndErrorMessages()
  }

  /** `''` at the root. */
  get contextPath(): string {
    return this.#ctx.contextPath
  }

  /** The path as it was sent, context path included. */
  get requestPath(): string {
    return this.#ctx.request.path.raw
  }

  get requestPathWithQueryString(): string {
    const { queryString } = this.#ctx.request
    return queryString === '' ? this.requestPath : `${this.requestPath}?${queryString}`
  }

  /** Name of the parameter that carries the token: `csrf-token`. */
  get csrfKey(): string {
    return csrfKey
  }

  /** The session's token, masked for this response; starts a session when there is none. */
  get csrfToken(): string {
    return (this.#token ??= new ForgeryToken(this.#ctx.session).mask())
  }

  get csrfMetaTags(): SafeHtml {
    return new SafeHtml(`<meta name="${csrfKey}" content="${attribute(this.csrfToken)}">`)
  }

  /** The same as `csrfMetaTags`. */
  get csrfMetaTag(): SafeHtml {
    return this.csrfMetaTags
  }

  get csrfHiddenInputTag(): SafeHtml {
    return new SafeHtml(
      `<input type="hidden" name="${csrfKey}" value="${attribute(this.csrfToken)}">`,
    )
  }

  /** The URL of a file of `/assets/`: by the bundler's manifest, `s.assetPath('src/app.ts')`, else as it is named. */
  assetPath(name: string): string {
    return this.#assetUrl(this.#ctx.services.assetOf(name).file)
  }

  /** The tags of an entry: its style sheets and its script, as a module, with what it imports fetched ahead. */
  assetTags(name: string): SafeHtml {
    const { file, styles, imports } = this.#ctx.services.assetOf(name)
    const url = (path: string): string => attribute(this.#assetUrl(path))
    const sheets = file.endsWith('.css') ? [...styles, file] : styles
    const tags = sheets.map((path) => `<link rel="stylesheet" href="${url(path)}">`)
    if (!file.endsWith('.css')) {
      tags.push(...imports.map((path) => `<link rel="modulepreload" href="${url(path)}">`))
      tags.push(`<script type="module" src="${url(file)}"></script>`)
    }
    return new SafeHtml(tags.join(''))
  }

  #assetUrl(path: string): string {
    return `${this.#ctx.contextPath}/assets/${path.split('/').map(encodeURIComponent).join('/')}`
  }

  get i18n(): I18n {
    return this.#ctx.i18n
  }

  /** Names this request in the log; for an error page, so that a visitor can tell it. */
  get requestId(): string {
    return this.#ctx.requestId
  }

  get cspNonce(): string {
    return this.#ctx.cspNonce
  }

  /**
   * The URL of a route; its parameters are checked by the compiler.
   * @throws FwError `routing.*` for a value that no path can hold
   */
  url<P extends string>(route: Route<P>, ...args: UrlArgs<P>): string {
    return routeUrl(this.#ctx, route, args)
  }

  /** A value of the request scope; `undefined` when absent. */
  get(name: string): unknown {
    return this.#ctx.requestScope().get(name)
  }
}
