/** `s` in a view: the specification's `fw.Fw`, the request's values for templates. */
import { viewOf, type FwContext } from '../action.ts'
import type { I18n } from '../i18n.ts'
import type { MultiParams, Params } from '../params.ts'
import type { IncompleteTarget, Route, UrlArgs, UrlTargetArgs } from '../routing.ts'
import { csrfKey, type Flash } from '../session.ts'
import type { KeyAndErrorMessages } from '../validation.ts'
import { SafeHtml, type ViewHelper } from '../view.ts'

const attributeEscapes: Readonly<Record<string, string>> = {
  '"': '&quot;',
  '&': '&amp;',
  '<': '&lt;',
}
const attribute = (text: string): string =>
  text.replace(/["&<]/g, (found) => attributeEscapes[found]!)

const isText = (value: unknown): boolean =>
  value !== undefined && value !== null && typeof value !== 'object'

type FlashReader = Pick<Flash, 'get' | 'has'> & Partial<Pick<Flash, 'now'>>

/** The texts of the flash. @spec View helper › flash */
export class ViewFlash {
  readonly #flash: FlashReader

  constructor(flash: FlashReader) {
    this.#flash = flash
  }

  /** The text; of a list the first. `undefined` when there is no value, or when it is an object. */
  get(name: string): string | undefined {
    return this.list(name)[0]
  }

  /** The texts of a list; of another value, its text. */
  list(name: string): readonly string[] {
    const value = this.#flash.get(name)
    return (Array.isArray(value) ? value : [value]).filter(isText).map(String)
  }

  /** The values that are for this request only, which `get` and `list` also read. */
  get now(): ViewFlash {
    return new ViewFlash(this.#flash.now ?? this.#flash)
  }

  has(name: string): boolean {
    return this.#flash.has(name)
  }
}

/** Created once for each request that renders a view. @spec View helper */
export class Fw implements ViewHelper {
  readonly #ctx: FwContext
  #token: string | undefined

  constructor(ctx: FwContext) {
    this.#ctx = ctx
  }

  /** The parameters of a failed validation, else the request's own. */
  get params(): Params {
    return (this.#ctx.requestScope().get('params') as Params | undefined) ?? this.#ctx.params
  }

  get multiParams(): MultiParams {
    return this.#ctx.multiParams
  }

  /** Values of the previous request and of this one. */
  get flash(): ViewFlash {
    return new ViewFlash(this.#ctx.flash)
  }

  /** The messages of the validation that failed; empty when none did. */
  get errorMessages(): readonly string[] {
    return viewOf(this.#ctx).errorMessages
  }

  /** The same by key. */
  get keyAndErrorMessages(): KeyAndErrorMessages {
    return viewOf(this.#ctx).keyAndErrorMessages
  }

  /** The context path of the application; `''` at the root. */
  get contextPath(): string {
    return this.#ctx.contextPath
  }

  /** The path as the client sent it, context path included. */
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

  /** The visitor's forgery token, masked for this response; `''` on an error page whose visitor has none. */
  get csrfToken(): string {
    return (this.#token ??= this.#ctx.maskToken() ?? '')
  }

  /** Empty on an error page without a token. */
  get csrfMetaTags(): SafeHtml {
    return this.#tokenTag('<meta name', 'content')
  }

  /** The same as `csrfMetaTags`. */
  get csrfMetaTag(): SafeHtml {
    return this.csrfMetaTags
  }

  /** Empty on an error page without a token. */
  get csrfHiddenInputTag(): SafeHtml {
    return this.#tokenTag('<input type="hidden" name', 'value')
  }

  #tokenTag(start: string, name: string): SafeHtml {
    const token = this.csrfToken
    return new SafeHtml(token === '' ? '' : `${start}="${csrfKey}" ${name}="${token}">`)
  }

  /** The URL of a file of `/assets/`: by the bundler's manifest, `s.assetPath('src/app.ts')`, else by its name. */
  assetPath(name: string): string {
    const { file, server } = this.#ctx.services.resolveAsset(name)
    return this.#assetUrl(file, server)
  }

  /** The tags of an entry: its style sheets, its script as a module, and preloads of the modules that it imports. */
  assetTags(name: string): SafeHtml {
    const { file, styles, imports, server } = this.#ctx.services.resolveAsset(name)
    const url = (path: string): string => attribute(this.#assetUrl(path, server))
    const sheets = file.endsWith('.css') ? [...styles, file] : styles
    const tags = server === undefined ? [] : this.#hotReloadTags(server)
    tags.push(...sheets.map((path) => `<link rel="stylesheet" href="${url(path)}">`))
    if (!file.endsWith('.css')) {
      tags.push(...imports.map((path) => `<link rel="modulepreload" href="${url(path)}">`))
      tags.push(`<script type="module" src="${url(file)}"></script>`)
    }
    return new SafeHtml(tags.join(''))
  }

  /** Vite's client replaces changed modules. It gives the styles that it inserts the nonce of the `meta` element. */
  #hotReloadTags(server: string): string[] {
    const nonce = attribute(this.#ctx.cspNonce)
    return [
      `<meta property="csp-nonce" nonce="${nonce}">`,
      `<script type="module" src="${attribute(server)}/@vite/client"></script>`,
    ]
  }

  #assetUrl(path: string, server?: string): string {
    const base = server ?? `${this.#ctx.contextPath}/assets`
    return `${base}/${path.split('/').map(encodeURIComponent).join('/')}`
  }

  get i18n(): I18n {
    return this.#ctx.i18n
  }

  /** The request's id in the log, for an error page: a visitor can quote it. */
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
  url<P extends string>(route: Route<P>, ...args: UrlArgs<P>): string
  url<T extends Route<never> | Route>(route: IncompleteTarget<T>): string
  url(route: Route, ...args: readonly unknown[]): string {
    return this.#ctx.url(route, ...(args as UrlTargetArgs<Route>))
  }

  /** A value of the request scope; `undefined` when absent. */
  get(name: string): unknown {
    return this.#ctx.requestScope().get(name)
  }
}
