/** Responds to thrown errors: refusals (an `HttpError` below 500) and faults (all other errors). */
import { HttpError, logRepeated } from '../base.ts'
import { clearPage } from './clear-page.ts'
import type { FwContext } from './context.ts'
import { respondWithProblem, toProblem } from './error-response.ts'
import { Halt, Pass } from './halt.ts'
import { applyHalt } from './halt-response.ts'
import type { Run } from './plan.ts'
import type { ErrorBlock } from './registrations.ts'
import { applyValueOrRedirect } from './result.ts'

/**
 * Responds to a fault. The status is 500, or that of the `HttpError`. The first `error` block that accepts the fault responds.
 * Without such a block, every error filter runs in the order of registration. If a filter redirects, that redirect is the
 * response. Otherwise the first rendering filter that returns a value responds. If none does, the response is the standard one
 * of the status.
 * @spec Filters › 4, 5
 */
export async function respondToFault(run: Run, error: unknown): Promise<void> {
  const { plan, ctx, controller } = run
  clearPage(ctx)
  const { response } = ctx
  response.status = toProblem(error).status
  if (response.status === 503) response.headers.set('Retry-After', '1')
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

/** Responds to an `HttpError` below 500: by an `error` block of its class, else with problem details. */
export async function respondToRefusal(run: Run, error: HttpError): Promise<void> {
  clearPage(run.ctx)
  run.ctx.response.status = error.status
  if (!(await runErrorBlocks(run, error))) await respondWithProblem(run.ctx, toProblem(error))
}

/** The maximum length of a chain of causes that is searched: causes may be circular. */
const maxCauses = 10

/** The status of a request whose client has left, in logs and metrics; nginx's "client closed request". */
export const clientLeft = 499

/** True if the fault of an aborted request comes from its signal: a statement or `fetch` that ended because the client left. */
export const isCausedByClient = ({ request: { http } }: FwContext, fault: unknown): boolean =>
  http.aborted &&
  !(http.signal.reason instanceof HttpError) &&
  isCausedBy(fault, http.signal.reason)

export const isRefusal = (error: unknown): error is HttpError =>
  error instanceof HttpError && error.status < 500

function accepts({ type }: ErrorBlock, error: unknown): boolean {
  if (type === undefined) return !isRefusal(error)
  if (!(error instanceof type)) return false
  return !isRefusal(error) || type === HttpError || type.prototype instanceof HttpError
}

/** Runs the `error` blocks that accept the error until one responds. After `pass()` or a failure, the next one runs. */
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

/** Runs an error handler, and logs its error. @returns true if the response is complete, by a halt or the handler */
async function runGuarded(run: Run, handler: () => Promise<boolean | void>): Promise<boolean> {
  try {
    return (await handler()) === true
  } catch (error) {
    if (error instanceof Halt) {
      await applyHalt(run, error)
      return true
    }
    // If a handler calls `pass()` or throws the same fault again, the next handler runs.
    if (error instanceof Pass || error === run.ctx.fault) return false
    run.ctx.logger.error({ err: error }, 'a handler of an error failed itself')
    return false
  }
}

/**
 * Records the first fault of a request, and reports it unless the client caused it by leaving. Removes the cookies that the request has set, unless `isStored` says
 * that its changes were stored before. Returns the thrown value, or an error if it is undefined or null.
 */
export function recordFault(ctx: FwContext, thrown: unknown, isStored = false): unknown {
  const fault = thrown ?? new TypeError('Something threw no value.')
  if (ctx.fault !== undefined) return fault
  ctx.fault = fault
  if (!isStored) ctx.discardCookies()
  if (!isCausedByClient(ctx, fault)) ctx.services.errorReporter?.report(ctx, fault)
  return fault
}

/**
 * Logs a fault. Faults with status 503 can be many, so only one line a second is logged for each error code. If the request was
 * aborted and that caused the fault, nothing is logged, because the server has already logged it.
 */
export function logFault(ctx: FwContext, error: unknown): void {
  const { method, path, http } = ctx.request
  if (http.aborted && isCausedBy(error, http.signal.reason)) return
  const log = (): void =>
    ctx.logger.error({ err: error, method, path: path.text }, 'request failed')
  if (!(error instanceof HttpError && error.status === 503)) return log()
  const { code } = error
  const message = 'more requests failed with the same code'
  logRepeated(ctx.services.logger, { code, level: 'error', message }, log)
}

function isCausedBy(error: unknown, reason: unknown): boolean {
  for (let at = error, depth = 0; depth < maxCauses; depth++) {
    if (at === reason) return true
    if (!(at instanceof Error)) return false
    at = at.cause
  }
  return false
}
