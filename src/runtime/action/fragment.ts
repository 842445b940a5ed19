/** Responds with a part of a page, in the form that htmx, Turbo or a script of the application reads. */
import { isPromise } from '../base.ts'
import { addVary } from '../http.ts'
import { hasPartial, renderFragment, type RenderRequest } from '../view.ts'
import type { FwContext } from './context.ts'
import { contentTypeOf } from './format.ts'

const turboType = 'text/vnd.turbo-stream.html'

/** The partial with the texts of the flash, for the element with the id `flash`. */
const flashPartial = '/_flash'

/** What happens to the target; Turbo's names. */
export type FragmentSwap =
  | 'after'
  | 'append'
  | 'before'
  | 'prepend'
  | 'remove'
  | 'replace'
  | 'update'

const htmxSwaps: Readonly<Record<FragmentSwap, string>> = {
  after: 'afterend',
  append: 'beforeend',
  before: 'beforebegin',
  prepend: 'afterbegin',
  remove: 'delete',
  replace: 'outerHTML',
  update: 'innerHTML',
}

/** Where a fragment goes. Without it, the element that sent the request decides. */
export interface FragmentOptions {
  /** The id of an element. */
  readonly target?: string
  /** Default `update`, which replaces the content of the target. */
  readonly swap?: FragmentSwap
}

/** A client that shows a fragment. */
export type FragmentClient = 'htmx' | 'turbo' | 'script'

/** The headers that select the client; a cache must distinguish them. */
const selecting = ['HX-Request', 'Turbo-Frame', 'X-Requested-With', 'Accept'] as const

/**
 * The client that wants a part of the page: htmx unless it replaces the whole page, a Turbo frame, a form that Turbo
 * submits, or a script that sends `X-Requested-With`.
 */
export function fragmentClient({ request, response }: FwContext): FragmentClient | undefined {
  for (const name of selecting) addVary(response.headers, name)
  if (request.header('hx-request') === 'true') {
    const isPage =
      request.header('hx-request-type') === 'full' ||
      request.header('hx-boosted') === 'true' ||
      request.header('hx-history-restore-request') === 'true'
    return isPage ? undefined : 'htmx'
  }
  if (request.header('turbo-frame') !== undefined || acceptsStreams(request)) return 'turbo'
  return request.isAjax ? 'script' : undefined
}

const acceptsStreams = (request: FwContext['request']): boolean =>
  request.header('accept')?.includes(turboType) === true

/** As the controllers' `renderFragment`. */
export function respondWithFragment(
  ctx: FwContext,
  view: string,
  values: object,
  options: FragmentOptions,
): string | Promise<string> {
  const request = { view, values: ownValues(ctx, values), helper: ctx.viewHelper }
  const body = renderFragment(ctx.services.views, request)
  // A stream of events renders after the response has begun.
  if (ctx.hasEnded) return body
  return isPromise(body) ? body.then((html) => wrap(ctx, html, options)) : wrap(ctx, body, options)
}

const ownValues = (ctx: FwContext, values: object): RenderRequest['values'] => ({
  ...Object.fromEntries(ctx.requestScope()),
  ...values,
})

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
  ctx.response.defaultType(contentTypeOf('html'))
  if (client !== 'htmx') return html
  if (options.target !== undefined) headers.set('HX-Retarget', selectorOf(options.target))
  if (options.target !== undefined || options.swap !== undefined)
    headers.set('HX-Reswap', htmxSwaps[options.swap ?? 'update'])
  // After the fragment: in front of a table row, the parser would drop the row.
  return withFlash(ctx, html, (flash) => `<div hx-swap-oob="innerHTML:#flash">${flash}</div>`)
}

/** Adds the flash, if there is one, and a partial for it. The next page does not show it again. */
function withFlash(
  ctx: FwContext,
  html: string,
  element: (flash: string) => string,
): string | Promise<string> {
  const { views } = ctx.services
  const isEmpty = ctx.loadedSession === undefined || ctx.flash.names().length === 0
  if (isEmpty || !hasPartial(views, flashPartial)) return html
  const values = ownValues(ctx, {})
  const flash = renderFragment(views, { view: flashPartial, values, helper: ctx.viewHelper })
  const add = (text: string): string => {
    ctx.flash.discard()
    return html + element(text)
  }
  return isPromise(flash) ? flash.then(add) : add(flash)
}

const characters: Readonly<Record<string, string>> = { '&': '&amp;', '"': '&quot;', '<': '&lt;' }
const attribute = (text: string): string => text.replace(/[&"<]/g, (found) => characters[found]!)

/** Turbo's element that changes the page. */
export const streamElement = (target: string, swap: FragmentSwap, html: string): string =>
  `<turbo-stream action="${swap}" target="${attribute(target)}"><template>${html}</template></turbo-stream>`

/** An id as a selector in ASCII, as a header requires. */
const selectorOf = (id: string): string =>
  '#' + id.replace(/^\d|[^\w-]/gu, (found) => `\\${found.codePointAt(0)!.toString(16)} `)
