/** The class of the view helper `s` (`fw.Fw` in the specification), which gives templates the values of the request. */
import { allowStyles, viewOf, type FwContext } from '../action.ts'
import { uploadLimits } from '../feature.ts'
import { escapeXml } from '../http.ts'
import type { I18n } from '../i18n.ts'
import type { MultiParams, Params } from '../params.ts'
import type { IncompleteTarget, Route, UrlArgs, UrlTargetArgs } from '../routing.ts'
import { csrfKey, type Flash } from '../session.ts'
import { formatErrorMessage, type KeyAndErrorMessages } from '../validation.ts'
import { SafeHtml, type ViewHelper } from '../view.ts'

const isText = (value: unknown): boolean =>
  value !== undefined && value !== null && typeof value !== 'object'

type FlashReader = Pick<Flash, 'get' | 'has'> & Partial<Pick<Flash, 'now'>>

/** The view's access to the flash messages. @spec View helper › flash */
export class ViewFlash {
  readonly #flash: FlashReader

  constructor(flash: FlashReader) {
    this.#flash = flash
  }

  /** Returns the message under `name`, or the first of a list; `undefined` if there is none, or an object. */
  get(name: string): string | undefined {
    return this.list(name)[0]
  }

  /** Returns the messages under `name`: the items of a list, or a list with the only value. */
  list(name: string): readonly string[] {
    const value = this.#flash.get(name)
    return (Array.isArray(value) ? value : [value]).filter(isText).map(String)
  }

  /** The messages for the current request only; `get` and `list` return these too. */
  get now(): ViewFlash {
    return new ViewFlash(this.#flash.now ?? this.#flash)
  }

  has(name: string): boolean {
    return this.#flash.has(name)
  }
}

/** The view helper `s`; created once for each request that renders a view. @spec View helper */
export class Fw implements ViewHelper {
  readonly #ctx: FwContext
  #token: string | undefined

  constructor(ctx: FwContext) {
    this.#ctx = ctx
  }

  /** The parameters of the failed validation, if there is one; otherwise the parameters of the request. */
  get params(): Params {
    return (this.#ctx.requestScope().get('params') as Params | undefined) ?? this.#ctx.params
  }

  /**
   * Returns the text of a number for an input: that of a record in the language of the page, as `i18n.formatNumber` prints it, and
   * what the visitor entered unchanged. `undefined` if the parameter is absent.
   */
  numberText(name: string): string | undefined {
    const text = this.params.get(name)
    const isEntered = !this.#ctx.requestScope().has('params') || this.keyAndErrorMessages.has(name)
    return text === undefined || isEntered ? text : this.i18n.formatForForm(text)
  }

  get multiParams(): MultiParams {
    return this.#ctx.multiParams
  }

  /** The flash messages that the previous request and this request have set. */
  get flash(): ViewFlash {
    return new ViewFlash(this.#ctx.flash)
  }

  /** The error messages of the failed validation; empty if none failed. */
  get errorMessages(): readonly string[] {
    return viewOf(this.#ctx).errorMessages
  }

  /** The error messages of the failed validation by parameter name. */
  get keyAndErrorMessages(): KeyAndErrorMessages {
    return viewOf(this.#ctx).keyAndErrorMessages
  }

  /**
   * Returns the message of a rule in the page's language, for scripts that check a form before it is sent:
   * `s.ruleMessage('maxLength', label, '20')`.
   */
  ruleMessage(rule: string, label: string, ...params: readonly string[]): string {
    return formatErrorMessage({ name: rule, messageParams: params }, label, this.i18n)
  }

  /** The largest size of a file, and of all files and fields of a form, in bytes. */
  get uploadLimits(): { readonly file: number; readonly form: number } {
    const { fileBytes, totalBytes } = uploadLimits(this.#ctx)
    return { file: fileBytes, form: totalBytes }
  }

  /** The path below which the application is mounted; `''` at the root. */
  get contextPath(): string {
    return this.#ctx.contextPath
  }

  /** The path of the request, not decoded, with the context path and the prefix below which a host framework mounts the application. */
  get requestPath(): string {
    const { http, path } = this.#ctx.request
    return http.mountPath + path.raw
  }

  get requestPathWithQueryString(): string {
    const { queryString } = this.#ctx.request
    return queryString === '' ? this.requestPath : `${this.requestPath}?${queryString}`
  }

  /** The name of the request parameter for the forgery token: `csrf-token`. */
  get csrfKey(): string {
    return csrfKey
  }

  /** The visitor's forgery token, masked for this response. It is `''` on an error page if the visitor has no token. */
  get csrfToken(): string {
    return (this.#token ??= this.#ctx.sessionScope.maskToken() ?? '')
  }

  /** The `meta` element with the forgery token, for scripts; empty on an error page without a token. */
  get csrfMetaTags(): SafeHtml {
    return this.#tokenTag('<meta name', 'content')
  }

  /** The same as `csrfMetaTags`. */
  get csrfMetaTag(): SafeHtml {
    return this.csrfMetaTags
  }

  /** The hidden `input` element with the forgery token, for forms; empty on an error page without a token. */
  get csrfHiddenInputTag(): SafeHtml {
    return this.#tokenTag('<input type="hidden" name', 'value')
  }

  #tokenTag(start: string, name: string): SafeHtml {
    const token = this.csrfToken
    return new SafeHtml(token === '' ? '' : `${start}="${csrfKey}" ${name}="${token}">`)
  }

  /**
   * Returns the rules by which browsers prefetch the pages that a visitor is about to open, as a script with the nonce. The
   * rules exclude links with `download`, `rel="nofollow"` or `data-turbo-prefetch="false"`. Default eagerness: `moderate`.
   */
  speculationRules(eagerness: 'conservative' | 'moderate' | 'eager' | 'immediate' = 'moderate') {
    this.#ctx.services.prefetches.seen = true
    const excluded = '[download], [rel~=nofollow], [data-turbo-prefetch=false]'
    const where = {
      and: [{ href_matches: `${this.contextPath}/*` }, { not: { selector_matches: excluded } }],
    }
    const rules = JSON.stringify({ prefetch: [{ where, eagerness }] }).replaceAll('<', '\\u003c')
    return new SafeHtml(
      `<script type="speculationrules" nonce="${escapeXml(this.cspNonce)}">${rules}</script>`,
    )
  }

  /** Returns the URL of a file of `/assets/`, or of the file built from a source such as `src/app.ts`. */
  assetPath(name: string): string {
    const { file, server } = this.#ctx.services.resolveAsset(name)
    return this.#assetUrl(file, server)
  }

  /** Returns the tags of an entry of the bundler: style sheets, preloads of imported modules, and its script as a module. */
  assetTags(name: string): SafeHtml {
    const { file, styles, imports, server } = this.#ctx.services.resolveAsset(name)
    const url = (path: string): string => escapeXml(this.#assetUrl(path, server))
    const sheets = file.endsWith('.css') ? [...styles, file] : styles
    const tags = server === undefined ? [] : this.#hotReloadTags(server)
    tags.push(...sheets.map((path) => `<link rel="stylesheet" href="${url(path)}">`))
    if (!file.endsWith('.css')) {
      tags.push(...imports.map((path) => `<link rel="modulepreload" href="${url(path)}">`))
      tags.push(`<script type="module" src="${url(file)}"></script>`)
    }
    return new SafeHtml(tags.join(''))
  }

  /** Returns the tags that load Vite's client, which reads the CSP nonce for inserted styles from the `meta` element. */
  #hotReloadTags(server: string): string[] {
    const nonce = escapeXml(this.#ctx.cspNonce)
    return [
      `<meta property="csp-nonce" nonce="${nonce}">`,
      `<script type="module" src="${escapeXml(server)}/@vite/client"></script>`,
    ]
  }

  #assetUrl(path: string, server?: string): string {
    const base = server ?? `${this.#ctx.contextPath}/assets`
    return `${base}/${path.split('/').map(encodeURIComponent).join('/')}`
  }

  get i18n(): I18n {
    return this.#ctx.i18n
  }

  /** The request id, which the log contains too. Show it on an error page, so that a visitor can quote it. */
  get requestId(): string {
    return this.#ctx.requestId
  }

  get cspNonce(): string {
    return this.#ctx.cspNonce
  }

  /**
   * Permits style attributes by their hashes, such as `'sha256-…'`, in the Content-Security-Policy of the response. Views do
   * so for the style attributes of their templates.
   */
  allowStyles(hashes: string): void {
    allowStyles(this.#ctx, hashes)
  }

  /** Returns the URL of a route. @throws FwError `routing.*` for a value that a path cannot contain */
  url<P extends string>(route: Route<P>, ...args: UrlArgs<P>): string
  url<T extends Route<never> | Route>(route: IncompleteTarget<T>): string
  url(route: Route, ...args: readonly unknown[]): string {
    return this.#ctx.url(route, ...(args as UrlTargetArgs<Route>))
  }

  /** Returns a value of the request scope; `undefined` if it is absent. */
  get(name: string): unknown {
    return this.#ctx.requestScope().get(name)
  }
}
