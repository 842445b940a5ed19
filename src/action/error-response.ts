/** Answers with a status in the request's format: a view for browsers, problem details for programs. */
import { HttpError, isPromise } from '../base.ts'
import { escapeXml, reasonPhrase, releaseBody } from '../http.ts'
import type { FwContext } from './context.ts'
import type { ShownFault } from './fault-desk.ts'
import { contentTypeOf } from './format.ts'
import { hasView, renderPage } from './render.ts'

/** What an error body says; `code` and `details` come from an `HttpError`. */
export interface Problem {
  readonly status: number
  readonly message: string
  readonly code?: string
  readonly details?: Readonly<Record<string, unknown>>
  /** The fault itself, for the page that developers see. */
  readonly fault?: unknown
}

/** The problem that an error tells the client: nothing of a fault's own text, which may hold internals. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof HttpError))
    return { status: 500, message: reasonPhrase(500), fault: error }
  const { status, code, details } = error
  if (status >= 500) return { status, message: reasonPhrase(status), code, fault: error }
  return { status, message: error.message, code, ...(details === undefined ? {} : { details }) }
}

function jsonBody(
  ctx: FwContext,
  { status, message, code, details, fault }: Problem,
  shown: ShownFault | undefined,
): string {
  return JSON.stringify({
    type: 'about:blank',
    title: reasonPhrase(status),
    status,
    message,
    code,
    ...details,
    ...(fault === undefined ? {} : { requestId: ctx.requestId }),
    ...shown?.problem,
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

function plainAnswer(ctx: FwContext, problem: Problem, shown?: ShownFault): void {
  const format = ctx.errorFormat
  if (format === 'json')
    return replaceBody(ctx, jsonBody(ctx, problem, shown), 'application/problem+json')
  if (format === 'xml') return replaceBody(ctx, xmlBody(problem), contentTypeOf('xml'))
  if (format === 'html') return replaceBody(ctx, htmlBody(ctx, problem), contentTypeOf('html'))
  return replaceBody(ctx, `${problem.status} ${problem.message}`, 'text/plain; charset=utf-8')
}

/**
 * Sets status and body of the response to `problem`. In HTML the view `/error/<status>`, or the one given, is used
 * when there is one; a fault in that view falls back to the plain page, so that this never fails.
 * @spec Errors
 */
export function answerProblem(
  ctx: FwContext,
  problem: Problem,
  view = `/error/${problem.status}`,
): void | Promise<void> {
  ctx.response.status = problem.status
  const { fault } = problem
  const isPage = ctx.errorFormat === 'html'
  const { faults } = ctx.services
  const shown = fault === undefined ? undefined : faults?.shown(ctx as never, fault)
  if (shown !== undefined && isPage)
    return replaceBody(ctx, shown.html(ctx.cspNonce), contentTypeOf('html'))
  if (!isPage || !hasView(ctx, view)) return plainAnswer(ctx, problem, shown)
  // A path that no route matches has had no stage that reads the session, and layouts ask for it.
  const loading = ctx.loadSessionIfPossible()
  if (loading !== undefined) return loading.then(() => answerWithView(ctx, problem, view))
  return answerWithView(ctx, problem, view)
}

function answerWithView(ctx: FwContext, problem: Problem, view: string): void | Promise<void> {
  const finish = (page: string): void => replaceBody(ctx, page, contentTypeOf('html'))
  const fallBack = (error: unknown): void => {
    ctx.logger.error({ err: error, view }, 'error view failed')
    plainAnswer(ctx, problem)
  }
  try {
    const page = renderPage(ctx, view, undefined, 'html')
    return isPromise(page) ? page.then(finish).catch(fallBack) : finish(page)
  } catch (error) {
    return fallBack(error)
  }
}

/** As `answerProblem`, with the status's own phrase as message. */
export const answerStatus = (ctx: FwContext, status: number): void | Promise<void> =>
  answerProblem(ctx, { status, message: reasonPhrase(status) })
