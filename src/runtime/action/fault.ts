/** Responses to what a request throws: halts, refusals (an `HttpError` below 500) and faults (all other errors). */
import { HttpError, logCounted } from '../base.ts'
import { checkStatus, type HttpResponse } from '../http.ts'
import type { FwContext } from './context.ts'
import { respondWithProblem, respondWithStatus, toProblem } from './error-response.ts'
import type { Plan } from './plan.ts'
import type { ErrorBlock, Step } from './registrations.ts'
import { applyResult, applyValueOrRedirect, dropBody } from './result.ts'
import { Halt, Pass, type HaltOptions } from './signals.ts'

export type MaybePromise<T> = T | Promise<T>

/** One request's run of a plan. */
export interface Run {
  readonly plan: Plan
  readonly ctx: FwContext
  readonly controller: object
}

/**
 * Applies status, headers and body of a halt; absent members change nothing. A 404 without a body gets the controller's
 * not-found response, or the body of that status, like `haltWithBody`.
 */
export function applyHalt(run: Run, { options }: Halt): MaybePromise<void> {
  const { ctx } = run
  const { response } = ctx
  ctx.recordedRedirect = undefined
  const { headers } = options
  // Set before the body, because a text gets the charset of its type, and after it, because a result has headers too.
  setHeaders(response, headers)
  if (options.body !== undefined) {
    applyResult(ctx, options.body)
    if (typeof options.body === 'object') setHeaders(response, headers)
  }
  if (options.status !== undefined) response.status = checkStatus(options.status)
  if (options.reason !== undefined) response.reason = options.reason
  if (options.withBody === true) return respondWithStatus(ctx, response.status)
  if (options.status === 404 && response.body === undefined) return respondToNotFound(run)
}

/** Responds to a 404 without a body: by the controller's `notFound` block, else with the body of that status. */
export function respondToNotFound(run: Run): MaybePromise<void> {
  const { ctx, plan } = run
  if (plan.notFound === undefined) return respondWithStatus(ctx, 404)
  return runNotFoundBlock(run, plan.notFound)
}

async function runNotFoundBlock(run: Run, block: Step): Promise<void> {
  const { ctx, plan, controller } = run
  // A block that ends in a 404 without a body itself does not run again.
  const withoutBlock: Run = { ...run, plan: { ...plan, notFound: undefined } }
  ctx.response.status = 404
  try {
    applyValueOrRedirect(ctx, await block.call(controller, controller, ctx))
    if (ctx.response.status === 404 && ctx.response.body === undefined)
      await respondToNotFound(withoutBlock)
  } catch (error) {
    if (!(error instanceof Halt)) throw error
    await applyHalt(withoutBlock, error)
  }
}

/** Rolls back the request's work. A failing rollback is only logged: the first fault is the one to report. */
export async function rollBack(run: Run): Promise<void> {
  const { plan, ctx, controller } = run
  for (const step of plan.rollbacks)
    await runGuarded(run, async () => void (await step.call(controller, controller, ctx)))
}

/**
 * Responds to a fault. Its status is 500, or the error's own. The first `error` block that accepts it responds. Without
 * one, every error filter runs in the order added; a redirect in one of them, else the first rendering filter that
 * returns something, responds; else the response is the plain one of the status.
 * @spec Filters › 4, 5
 */
export async function respondToFault(run: Run, error: unknown): Promise<void> {
  const { plan, ctx, controller } = run
  clearResponse(ctx, error)
  if (await runErrorBlocks(run, error)) return
  for (const filter of plan.errorFilters)
    if (await runGuarded(run, async () => void (await filter(error, controller)))) return
  if (applyValueOrRedirect(ctx, undefined)) return
  for (const filter of plan.renderingErrorFilters) {
    const respond = async () => applyValueOrRedirect(ctx, await filter(error, controller))
    if (await runGuarded(run, respond)) return
  }
  if (plan.errorFilters.length === 0) logFault(ctx, error)
  await respondWithProblem(ctx, toProblem(error))
}

/** Responds to an `HttpError` below 500: by an `error` block of its class, else with its problem details. */
export async function respondToRefusal(run: Run, error: HttpError): Promise<void> {
  run.ctx.response.status = error.status
  if (!(await runErrorBlocks(run, error))) await respondWithProblem(run.ctx, toProblem(error))
}

function setHeaders({ headers }: HttpResponse, values: HaltOptions['headers'] = {}): void {
  for (const name in values) headers.set(name, values[name]!)
}

/** Causes may be circular. */
const maxCauses = 10

const isRefusal = (error: unknown): boolean => error instanceof HttpError && error.status < 500

function accepts({ type }: ErrorBlock, error: unknown): boolean {
  if (type === undefined) return !isRefusal(error)
  if (!(error instanceof type)) return false
  return !isRefusal(error) || type === HttpError || type.prototype instanceof HttpError
}

/**
 * Runs the blocks that accept the error, one after another, until one responds. A block that calls `pass()` or fails
 * does not respond.
 */
async function runErrorBlocks(run: Run, error: unknown): Promise<boolean> {
  const { plan, ctx, controller } = run
  for (const block of plan.errorBlocks) {
    if (!accepts(block, error)) continue
    const respond = async () => {
      applyValueOrRedirect(ctx, await block.handle(error, controller))
      return true
    }
    if (await runGuarded(run, respond)) return true
    ctx.recordedRedirect = undefined
  }
  return false
}

/** The headers of the body that is dropped; a shared cache must not store an error under them. */
const bodyHeaders = [
  'content-disposition',
  'content-encoding',
  'cache-control',
  'etag',
  'expires',
  'last-modified',
  'location',
]

function clearResponse(ctx: FwContext, error: unknown): void {
  const { response } = ctx
  ctx.recordedRedirect = undefined
  response.status = toProblem(error).status
  if (response.status === 503) response.headers.set('Retry-After', '1')
  response.reason = undefined
  dropBody(ctx)
  for (const name of bodyHeaders) response.headers.delete(name)
}

/**
 * Runs an error handler. Logs an error that the handler throws; a halt that it throws becomes the response.
 * @returns true when the response is complete: by a halt, or because the handler returned true
 */
async function runGuarded(run: Run, handler: () => Promise<boolean | void>): Promise<boolean> {
  try {
    return (await handler()) === true
  } catch (error) {
    if (error instanceof Halt) {
      await applyHalt(run, error)
      return true
    }
    // If a handler calls `pass()` or throws the fault again, the next handler gets the error.
    if (error instanceof Pass || error === run.ctx.fault) return false
    run.ctx.logger.error({ err: error }, 'a handler of an error failed itself')
    return false
  }
}

/** Records the first fault of a request and reports it to the developer. */
export function recordFault(ctx: FwContext, fault: unknown): void {
  if (ctx.fault !== undefined) return
  ctx.fault = fault
  ctx.discardCookies()
  ctx.services.errorReporter?.report(ctx, fault)
}

/**
 * Logs a fault; of those with status 503, which may be many, one line a second for each code. A fault that the
 * end of an aborted request caused is not logged here: the container has logged that.
 */
export function logFault(ctx: FwContext, error: unknown): void {
  const { method, path, http } = ctx.request
  if (http.aborted && isCausedBy(error, http.signal.reason)) return
  const log = (): void =>
    ctx.logger.error({ err: error, method, path: path.text }, 'request failed')
  if (error instanceof HttpError && error.status === 503)
    logCounted(ctx.services.logger, error.code, log)
  else log()
}

function isCausedBy(error: unknown, reason: unknown): boolean {
  for (let at = error, depth = 0; depth < maxCauses; depth++) {
    if (at === reason) return true
    if (!(at instanceof Error)) return false
    at = at.cause
  }
  return false
}
