/** Renders a view of the application with the request's scope. */
import { isPromise } from '../base.ts'
import { renderView, type ViewFormat } from '../view.ts'
import type { FwContext } from './context.ts'
import { contentTypeOf } from './format.ts'

const viewFormats: ReadonlySet<string> = new Set(['html', 'json', 'xml', 'txt'])

/** The format in which a page is rendered: the client's, where templates have it, else HTML. */
export function viewFormat(ctx: FwContext): ViewFormat {
  return viewFormats.has(ctx.format) ? (ctx.format as ViewFormat) : 'html'
}

/**
 * The page of `view`, in its layout when it is HTML. `values` lie over the request scope.
 * @throws FwError `view.not-found`, `view.value-missing`, `view.value-wrong-type`
 * @spec General rules › 2, 3
 */
export function renderPage(
  ctx: FwContext,
  view: string,
  values?: object,
  format: ViewFormat = viewFormat(ctx),
): string | Promise<string> {
  return renderView(ctx.services.views, {
    view,
    format,
    values: { ...Object.fromEntries(ctx.requestScope()), ...values },
    helper: ctx.viewHelper,
    ...(ctx.layout === undefined ? {} : { layout: ctx.layout }),
  })
}

/** As `renderPage`, and the response gets the page's type unless it has one. */
export function renderTyped(
  ctx: FwContext,
  view: string,
  values?: object,
): string | Promise<string> {
  const format = viewFormat(ctx)
  const page = renderPage(ctx, view, values, format)
  const { headers } = ctx.response
  if (!headers.has('content-type')) headers.append('Content-Type', contentTypeOf(format))
  return page
}

/** Whether the application has that HTML view. */
export const hasView = (ctx: FwContext, view: string): boolean =>
  ctx.services.views.names('html').includes(view)

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
