/** Responds with a fragment, that is a part of a page, for htmx, Turbo or a script of the application. */
import { isPromise } from '../base.ts'
import { addVary, escapeXml } from '../http.ts'
import { hasPartial, renderFragment, type RenderRequest, type ViewFormat } from '../view.ts'
import type { FwContext } from './context.ts'
import { addDefaultType, contentTypeOf } from './format.ts'
import { isPageForHtmx } from './shown-page.ts'

const turboType = 'text/vnd.turbo-stream.html'

/** The path of the partial that renders flash messages, for the element with the id `flash`. */
const flashPartial = '/_flash'

/** The changes of a target element: the name that Turbo uses → the name that htmx uses. */
const htmxSwaps = {
  after: 'afterend',
  append: 'beforeend',
  before: 'beforebegin',
  prepend: 'afterbegin',
  remove: 'delete',
  replace: 'outerHTML',
  update: 'innerHTML',
}

export type FragmentSwap = keyof typeof htmxSwaps

/** The element that a fragment changes, and the change. By default, the element that sent the request determines these. */
export interface FragmentOptions {
  /** The id of the element that the fragment changes. */
  readonly target?: string
  /** The change of the target element; by default `update`, which replaces the element's content. */
  readonly swap?: FragmentSwap
}

/** The kind of client code that inserts a fragment into the page. */
export type FragmentClient = 'htmx' | 'turbo' | 'script'

/** The request headers that distinguish these clients; the response lists them in `Vary`. */
const clientHeaders = ['HX-Request', 'Turbo-Frame', 'X-Requested-With', 'Accept'] as const

/** Returns the client that requests a fragment, by its headers; undefined if it requests a whole page. */
export function fragmentClient({ request, response }: FwContext): FragmentClient | undefined {
  for (const name of clientHeaders) addVary(response.headers, name)
  if (request.header('hx-request') === 'true')
    return isPageForHtmx(request.http) ? undefined : 'htmx'
  if (request.header('turbo-frame') !== undefined || acceptsStreams(request)) return 'turbo'
  return request.isAjax ? 'script' : undefined
}

const acceptsStreams = (request: FwContext['request']): boolean =>
  request.header('accept')?.includes(turboType) === true

/** Renders a fragment and sets the headers of the response; `renderFragment` of controllers calls it. */
export function respondWithFragment(
  ctx: FwContext,
  view: string,
  values: object,
  options: FragmentOptions,
): string | Promise<string> {
  const body = renderFragment(ctx.services.views, createRenderRequest(ctx, view, values))
  // During an event stream, the headers of the response are already sent, so only the HTML is returned.
  if (ctx.hasEnded) return body
  return isPromise(body) ? body.then((html) => wrap(ctx, html, options)) : wrap(ctx, body, options)
}

/** Creates the request for a view; `values` override the values of the request scope. */
export function createRenderRequest(
  ctx: FwContext,
  view: string,
  values?: object,
  format: ViewFormat = 'html',
): RenderRequest {
  const { layout } = ctx.response
  return {
    view,
    format,
    values: { ...Object.fromEntries(ctx.requestScope()), ...values },
    helper: ctx.viewHelper,
    ...(layout === undefined ? {} : { layout }),
  }
}

function wrap(ctx: FwContext, html: string, options: FragmentOptions): string | Promise<string> {
  const client = fragmentClient(ctx)
  const { headers } = ctx.response
  if (client === 'turbo' && acceptsStreams(ctx.request)) {
    const target = options.target ?? ctx.request.header('turbo-frame')
    if (target !== undefined) {
      headers.set('Content-Type', `${turboType}; charset=utf-8`)
      const swap = options.swap ?? (options.target === undefined ? 'replace' : 'update')
      return withFlash(ctx, streamElement(target, swap, html), (flash) =>
        streamElement('flash', 'update', flash),
      )
    }
  }
  addDefaultType(ctx.response, contentTypeOf('html'))
  if (client !== 'htmx') return html
  if (options.target !== undefined) headers.set('HX-Retarget', selectorOf(options.target))
  if (options.target !== undefined || options.swap !== undefined)
    headers.set('HX-Reswap', htmxSwaps[options.swap ?? 'update'])
  // Add the flash messages after the fragment. If the fragment is a table row and a `<div>` precedes it, the browser drops the
  // row.
  return withFlash(ctx, html, (flash) => `<div hx-swap-oob="innerHTML:#flash">${flash}</div>`)
}

/** Adds the flash messages, if there are any and a partial renders them. The next page does not show them again. */
function withFlash(
  ctx: FwContext,
  html: string,
  element: (flash: string) => string,
): string | Promise<string> {
  const { views } = ctx.services
  const isEmpty = ctx.loadedSession === undefined || ctx.flash.names().length === 0
  if (isEmpty || !hasPartial(views, flashPartial)) return html
  const flash = renderFragment(views, createRenderRequest(ctx, flashPartial))
  const add = (text: string): string => {
    ctx.flash.discard()
    return html + element(text)
  }
  return isPromise(flash) ? flash.then(add) : add(flash)
}

/** Returns the HTML element by which Turbo changes the page. */
export const streamElement = (target: string, swap: FragmentSwap, html: string): string =>
  `<turbo-stream action="${swap}" target="${escapeXml(target)}"><template>${html}</template></turbo-stream>`

/** Converts an element id to a CSS selector in ASCII, because it is sent in a header. */
const selectorOf = (id: string): string =>
  '#' + id.replace(/^\d|[^\w-]/gu, (found) => `\\${found.codePointAt(0)!.toString(16)} `)
