/** Creates error responses in the request's format: a view for browsers, problem details for API clients. */
import { HttpError } from '../base.ts'
import { escapeXml, reasonPhrase, releaseBody } from '../http.ts'
import { renderView } from '../view.ts'
import type { FwContext } from './context.ts'
import { contentTypeOf } from './format.ts'
import type { RenderedFault } from './service-types.ts'
import { createRenderRequest } from './fragment.ts'
import { hasView } from './view.ts'

/** The content of an error response; `code` and `details` come from an `HttpError`. */
export interface Problem {
  readonly status: number
  readonly message: string
  readonly code?: string
  readonly details?: Readonly<Record<string, unknown>>
  /** The thrown value if it is a fault, for the developer's error page. */
  readonly fault?: unknown
}

/** Returns the parts of an error that a client may see. Excludes the message of a fault, which may reveal internals. */
export function toProblem(error: unknown): Problem {
  if (!(error instanceof HttpError))
    return { status: 500, message: reasonPhrase(500), fault: error }
  const { status, code, details } = error
  if (status >= 500) return { status, message: reasonPhrase(status), code, fault: error }
  return { status, message: error.message, code, ...(details === undefined ? {} : { details }) }
}

function jsonBody(
  ctx: FwContext,
  { status, message, code, details, fault }: Problem,
  rendered: RenderedFault | undefined,
): string {
  return JSON.stringify({
    type: 'about:blank',
    title: reasonPhrase(status),
    status,
    message,
    code,
    ...details,
    ...(fault === undefined ? {} : { requestId: ctx.requestId }),
    ...rendered?.problem,
  })
}

function xmlBody({ status, message }: Problem): string {
  return `<?xml version="1.0" encoding="utf-8"?><response><status>${status}</status><message>${escapeXml(message)}</message></response>`
}

function htmlBody(ctx: FwContext, { status, message, fault }: Problem): string {
  const title = `${status} ${reasonPhrase(status)}`
  const detail = message === reasonPhrase(status) ? '' : `<p>${escapeXml(message)}</p>`
  const id = fault === undefined ? '' : `<p>Request <code>${ctx.requestId}</code></p>`
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body><h1>${title}</h1>${detail}${id}</body></html>`
}

function replaceBody(ctx: FwContext, body: string, type: string): void {
  ctx.response.headers.set('Content-Type', type)
  releaseBody(ctx.response.body)
  ctx.response.body = body
}

function respondPlainly(ctx: FwContext, problem: Problem, rendered?: RenderedFault): void {
  const format = ctx.errorFormat
  if (format === 'json')
    return replaceBody(ctx, jsonBody(ctx, problem, rendered), 'application/problem+json')
  if (format === 'xml') return replaceBody(ctx, xmlBody(problem), contentTypeOf('xml'))
  if (format === 'html') return replaceBody(ctx, htmlBody(ctx, problem), contentTypeOf('html'))
  return replaceBody(ctx, `${problem.status} ${problem.message}`, 'text/plain; charset=utf-8')
}

/** Responds with `problem`, in HTML by `view` if it exists. Never fails: instead of a failed view, sends a plain page. */
export function respondWithProblem(
  ctx: FwContext,
  problem: Problem,
  view = `/error/${problem.status}`,
): void | Promise<void> {
  ctx.response.status = problem.status
  const { fault } = problem
  const isPage = ctx.errorFormat === 'html'
  const rendered = fault === undefined ? undefined : ctx.services.errorReporter?.render(ctx, fault)
  if (rendered !== undefined && isPage)
    return replaceBody(ctx, rendered.html(ctx.cspNonce), contentTypeOf('html'))
  // In development, the message explains a wrong setting. A view of the application would hide it.
  const isExplained =
    problem.code === 'action.cross-origin' && ctx.services.errorReporter !== undefined
  if (!isPage || isExplained || !hasView(ctx, view)) return respondPlainly(ctx, problem, rendered)
  ctx.sessionScope.leave()
  return respondWithView(ctx, problem, view)
}

async function respondWithView(ctx: FwContext, problem: Problem, view: string): Promise<void> {
  try {
    const page = await renderView(ctx.services.views, createRenderRequest(ctx, view))
    replaceBody(ctx, page, contentTypeOf('html'))
  } catch (error) {
    ctx.logger.error({ err: error, view }, 'error view failed')
    respondPlainly(ctx, problem)
  }
}

/** Responds with a status and its reason phrase as message, like `respondWithProblem`. */
export const respondWithStatus = (ctx: FwContext, status: number): void | Promise<void> =>
  respondWithProblem(ctx, { status, message: reasonPhrase(status) })
