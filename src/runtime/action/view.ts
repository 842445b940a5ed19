/** Renders the views of the application: `FwView` (`this.view`), and the pages of actions and errors. */
import { FwError, HttpError } from '../base.ts'
import { currentDatabase, outsideTransaction } from '../db.ts'
import type { StreamedBody } from '../http.ts'
import { Params, toSnakeCase, type ParamValue } from '../params.ts'
import { KeyAndErrorMessages } from '../validation.ts'
import {
  renderView,
  streamView,
  type LayoutName,
  type StreamedPage,
  type ViewFormat,
  type ViewHelper,
  type ViewName,
  type ViewValues,
} from '../view.ts'
import type { FwContext } from './context.ts'
import { addDefaultType, contentTypeOf } from './format.ts'
import {
  createRenderRequest,
  fragmentClient,
  streamElement,
  type FragmentOptions,
} from './fragment.ts'
import type { Ctor } from './filter-statics.ts'
import { createPageContext } from './page-source.ts'
import { nameMethodForUnpoly } from './shown-page.ts'
import { slot } from './slot.ts'

const viewFormats: ReadonlySet<string> = new Set(['html', 'json', 'xml', 'txt'])

const isViewFormat = (format: string): format is ViewFormat => viewFormats.has(format)

/** Returns the requested format if the view has it, else HTML. @throws HttpError 406 if the path or `format` names another */
function chooseViewFormat(ctx: FwContext, view: string): ViewFormat {
  const { format } = ctx
  if (format === 'html' || !isViewFormat(format)) return 'html'
  if (hasView(ctx, view, format) || !hasView(ctx, view)) return format
  if (ctx.requestedFormat !== format) return 'html'
  throw new HttpError(406, 'view.not-found', `This page does not exist as ${format}.`)
}

/** Renders a view in its layout, and sets the `Content-Type` unless the response has one. */
export function renderTyped(
  ctx: FwContext,
  view: string,
  values?: object,
): string | Promise<string> {
  const format = chooseViewFormat(ctx, view)
  const page = renderView(ctx.services.views, createRenderRequest(ctx, view, values, format))
  addDefaultType(ctx.response, contentTypeOf(format))
  nameMethodForUnpoly(ctx)
  return page
}

/** Returns whether the application has the view, such as `/error/503`. */
export const hasView = (ctx: FwContext, view: string, format: ViewFormat = 'html'): boolean =>
  ctx.services.views.has(view, format)

/** Renders the action's own view. Returns `undefined` if there is no such view, or if the action has set a body or a status. */
export function renderOwnView(
  ctx: FwContext,
  view: string | undefined,
): string | Promise<string> | undefined {
  const { body, status } = ctx.response
  if (view === undefined || body !== undefined || status !== 200) return undefined
  return hasView(ctx, view) ? renderTyped(ctx, view) : undefined
}

/** The names of values that every request has in addition to its request scope. */
const requestValues: ReadonlySet<string> = new Set([
  'contextPath',
  'requestPath',
  'requestPathWithQueryString',
  'params',
  'multiParams',
  'errorMessages',
  'keyAndErrorMessages',
  'i18n',
  'flash',
  'csrfKey',
  'csrfToken',
])

/** The options of `FwView.render`. */
interface PageOptions {
  /** The language of the messages, numbers and dates, such as `de` or `fr-CA`; by default that of the configuration. */
  readonly locale?: string
  /** The layout; `false` for none. By default the layout `default`, if the application has it. */
  readonly layout?: LayoutName | false
  /** Values for the layout and for partials, which a controller would set for its request, such as `{ currentUser: null }`. */
  readonly shared?: Readonly<Record<string, unknown>>
}

export interface ViewParamOptions {
  /** True names the parameter of the member `birthdayYear` `birthday_year`; false by default. */
  readonly snakeCase?: boolean
}

/** The values and the layout for the views of a request: `this.view` in a controller. @spec General rules › 2 */
export class FwView {
  readonly #ctx: FwContext

  constructor(ctx: FwContext) {
    this.#ctx = ctx
  }

  /**
   * Renders a view of the running application in its layout, as for a visitor without a session: for jobs, scripts and other code
   * without a request. Returns the HTML. `s.url` returns paths, and `s.csrfToken` is empty, so that forms cannot be sent.
   *
   *     const html = await FwView.render('/bookings/invoice', { booking }, { locale: 'de', layout: false })
   *
   * @throws FwError `view.no-application`, `view.not-found`, `view.layout-not-found`, `view.value-missing`,
   * `view.value-wrong-type`; and what the template throws
   */
  static async render<V extends ViewName>(
    view: V,
    values: ViewValues<V>,
    { locale, layout, shared }: PageOptions = {},
  ): Promise<string> {
    const ctx = createPageContext(locale)
    ctx.sessionScope.ignore()
    if (layout !== undefined) ctx.response.layout = layout
    return renderView(ctx.services.views, createRenderRequest(ctx, view, { ...shared, ...values }))
  }

  /** Sets the layout of this request's page; `false` renders it without a layout. */
  layout(name: LayoutName | false): void {
    this.#ctx.response.layout = name
  }

  /**
   * True if htmx, Turbo or a script (by `X-Requested-With`) requests a part of the page; if so, respond with `renderFragment`.
   * Reading it sets the header `Vary`.
   */
  get wantsFragment(): boolean {
    return fragmentClient(this.#ctx) !== undefined
  }

  /**
   * Returns a body of server-sent events that contain a fragment: one at the start, and one after each `notify` of the channel.
   * With `options.target`, the events contain Turbo streams. `render` runs outside the transaction, and can read neither
   * session nor flash.
   * @throws FwError `db.not-configured`, `db.listen-pooled`; `db.parameter-invalid` for an invalid channel name
   */
  live(
    channel: string,
    render: () => string | PromiseLike<string>,
    options: FragmentOptions = {},
  ): StreamedBody {
    const { target, swap = 'update' } = options
    // Called here, not at the first read, so that the action throws an error of `listen` and the client gets an error page.
    const payloads = currentDatabase().listen(channel, this.#ctx.request.http.signal)
    const renderEvent = async (): Promise<string> => {
      const html = await outsideTransaction(render)
      return target === undefined ? html : streamElement(target, swap, html)
    }
    return this.#ctx.response.sse(new MappedIterator(payloads, renderEvent))
  }

  /**
   * Renders a large page in parts. Each part is rendered after the commit, when the client can receive it. A part ends where a
   * loop begins its next iteration.
   * The action renders the first part and the layout, so that an error in these leads to an error page. A later error closes
   * the connection, so that the client does not take an incomplete page for a complete one.
   * @throws FwError `view.not-found`, `view.value-missing`, `view.value-wrong-type`, `view.not-streamable`
   */
  stream<V extends ViewName>(view: V, values: ViewValues<V>): Promise<StreamedPage>
  stream(view: ViewName): Promise<StreamedPage>
  async stream(view: string, values?: object): Promise<StreamedPage> {
    const ctx = this.#ctx
    const format = chooseViewFormat(ctx, view)
    const page = await streamView(
      ctx.services.views,
      createRenderRequest(ctx, view, values, format),
    )
    addDefaultType(ctx.response, contentTypeOf(format))
    nameMethodForUnpoly(ctx)
    return page
  }

  /**
   * Returns a value of the request scope, else the value of that name that every request has: `contextPath`, `requestPath`,
   * `requestPathWithQueryString`, `params`, `multiParams`, `errorMessages`, `keyAndErrorMessages`, `i18n`, `flash`, `csrfKey`,
   * `csrfToken`, `s`. Returns `undefined` if there is none.
   * @spec General rules › 2
   */
  get(name: string): unknown
  /** Returns the value. @throws FwError `feature.request-scope-conflict` if it is not an instance of `type` */
  get<T>(name: string, type: Ctor<T>): T | undefined
  get(name: string, type?: Ctor): unknown {
    const value = this.#find(name)
    if (type !== undefined && value !== undefined && !(value instanceof type))
      throw new FwError(
        'feature.request-scope-conflict',
        `The request scope has a value under '${name}' that is not a ${type.name}: use another name for it.`,
      )
    return value
  }

  #find(name: string): unknown {
    const scope = this.#ctx.requestScope()
    if (scope.has(name)) return scope.get(name)
    if (name === 's') return this.#ctx.viewHelper
    if (!requestValues.has(name)) return undefined
    return (this.#ctx.viewHelper as ViewHelper & Record<string, unknown>)[name]
  }

  /** The parameters that forms show: those that code or a failed validation has set, else the parameters of the request. */
  get params(): Params {
    return this.get('params', Params) ?? this.#ctx.params
  }

  /** Makes forms show the members of a record, and the parts of its dates. @spec View helper › params */
  setAsParams(record: object, options: ViewParamOptions = {}): void {
    this.#ctx.requestScope().set('params', this.params.withModel(record, options))
  }

  /** Adds a parameter to those that forms show; it replaces a parameter of the request with the same name. */
  addParam(name: string, value: ParamValue, { snakeCase = false }: ViewParamOptions = {}): void {
    const key = snakeCase ? toSnakeCase(name) : name
    this.#ctx.requestScope().set('params', this.params.with(key, value))
  }

  /** Undoes `setAsParams` and `addParam`: forms show the parameters of the request again. */
  resetParams(): void {
    this.#ctx.requestScope().delete('params')
  }

  /** The error messages of the failed validation; empty if none failed. */
  get errorMessages(): readonly string[] {
    return (this.#ctx.requestScope().get('errorMessages') ?? []) as readonly string[]
  }

  /** The error messages of the failed validation by parameter name. */
  get keyAndErrorMessages(): KeyAndErrorMessages {
    const messages = this.#ctx.requestScope().get('keyAndErrorMessages')
    return (messages ?? new KeyAndErrorMessages()) as KeyAndErrorMessages
  }
}

/** Maps the values of an async iterator. A class, because an async generator takes more memory for each live page. */
class MappedIterator<T, Result> implements AsyncIterableIterator<Result> {
  readonly #source: AsyncIterator<T, void>
  readonly #map: (value: T) => Promise<Result>

  constructor(source: AsyncIterator<T, void>, map: (value: T) => Promise<Result>) {
    this.#source = source
    this.#map = map
  }

  next(): Promise<IteratorResult<Result, void>> {
    return this.#source.next().then(async (result) => {
      if (result.done === true) return result
      return { done: false, value: await this.#map(result.value) }
    })
  }

  async return(): Promise<IteratorResult<Result, void>> {
    await this.#source.return?.()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

const viewOfRequest = slot<FwView>('request')

/** Returns the `FwView` of the request; creates it at the first call. */
export function viewOf(ctx: FwContext): FwView {
  const known = viewOfRequest.get(ctx)
  if (known !== undefined) return known
  const created = new FwView(ctx)
  viewOfRequest.set(ctx, created)
  return created
}
