/** Renders a view of the application with the request's scope. */
import { HttpError, isPromise } from '../base.ts'
import {
  renderView,
  streamView,
  type RenderRequest,
  type StreamedPage,
  type ViewFormat,
} from '../view.ts'
import type { FwContext } from './context.ts'
import { contentTypeOf } from './format.ts'

const viewFormats: ReadonlySet<string> = new Set(['html', 'json', 'xml', 'txt'])

/**
 * The format in which a view is rendered: the client's, where the view has it, else HTML; a client that would rather
 * have another gets the page that there is.
 * @throws HttpError 406 `view.not-found` for a format that the path or `format` insists on
 */
export function viewFormat(ctx: FwContext, view: string): ViewFormat {
  const { format } = ctx
  if (format === 'html' || !isViewFormat(format)) return 'html'
  if (hasView(ctx, view, format) || !hasView(ctx, view)) return format
  if (ctx.givenFormat !== format) return 'html'
  throw new HttpError(406, 'view.not-found', `This page does not exist as ${format}.`)
}

const isViewFormat = (format: string): format is ViewFormat => viewFormats.has(format)

/**
 * The page of `view`, in its layout when it is HTML. `values` lie over the request scope.
 * @throws FwError `view.not-found`, `view.value-missing`, `view.value-wrong-type`
 * @spec General rules › 2, 3
 */
export function renderPage(
  ctx: FwContext,
  view: string,
  values?: object,
  format: ViewFormat = viewFormat(ctx, view),
): string | Promise<string> {
  return renderView(ctx.services.views, renderRequest(ctx, view, values, format))
}

function renderRequest(
  ctx: FwContext,
  view: string,
  values: object | undefined,
  format: ViewFormat,
): RenderRequest {
  return {
    view,
    format,
    values: { ...Object.fromEntries(ctx.requestScope()), ...values },
    helper: ctx.viewHelper,
    ...(ctx.layout === undefined ? {} : { layout: ctx.layout }),
  }
}

/** As `renderPage`, and the response gets the page's type unless it has one. */
export function renderTyped(
  ctx: FwContext,
  view: string,
  values?: object,
): string | Promise<string> {
  const format = viewFormat(ctx, view)
  const page = renderPage(ctx, view, values, format)
  typePage(ctx, format)
  return page
}

/**
 * As `renderTyped`, with the page in parts: the first is made now, the others as the client takes them.
 * @throws FwError as `renderTyped`, and `view.not-streamable`
 */
export async function streamTyped(
  ctx: FwContext,
  view: string,
  values?: object,
): Promise<StreamedPage> {
  const format = viewFormat(ctx, view)
  const page = await streamView(ctx.services.views, renderRequest(ctx, view, values, format))
  typePage(ctx, format)
  return page
}

function typePage({ response: { headers } }: FwContext, format: ViewFormat): void {
  if (!headers.has('content-type')) headers.append('Content-Type', contentTypeOf(format))
}

/** Whether the application has that view. */
export const hasView = (ctx: FwContext, view: string, format: ViewFormat = 'html'): boolean =>
  ctx.services.views.names(format).includes(view.startsWith('/') ? view : `/${view}`)

/**
 * An action that gave nothing and wrote nothing is answered by the view of its own name, if there is one.
 */
export function answerWithOwnView(ctx: FwContext): void | Promise<void> {
  const view = ctx.plan?.ownView
  const { response } = ctx
  if (view === undefined || response.body !== undefined || response.status !== 200) return
  if (!hasView(ctx, view)) return
  const page = renderTyped(ctx, view)
  if (!isPromise(page)) {
    response.body = page
    return
  }
  return page.then((text) => {
    response.body = text
  })
}
