/** What happens when a request fails: undo what it began, ask the error blocks, run the error filters, answer. */
import { HttpError, isPromise } from '../base.ts'
import { checkedStatus } from '../http.ts'
import type { FwContext } from './context.ts'
import { answerProblem, answerStatus, problemOf } from './error-response.ts'
import type { Plan } from './plan.ts'
import type { ErrorBlock, ErrorFilter, Step } from './registrations.ts'
import { applyGiven, applyResult, dropBody } from './result.ts'
import { Halt, Pass } from './signals.ts'

export type MaybePromise<T> = T | Promise<T>

/** One run of a plan. */
export interface Run {
  readonly plan: Plan
  readonly ctx: FwContext
  readonly controller: never
}

/**
 * Status, headers and body of a halt; what it does not give stays as it is. A 404 without a body is answered by the
 * controller's not-found block, or has the body of that status, like `haltWithBody`.
 */
export function applyHalt(run: Run, { options }: Halt): MaybePromise<void> {
  const { ctx } = run
  const { response } = ctx
  ctx.recorded = undefined
  if (options.body !== undefined) applyResult(ctx, options.body)
  if (options.status !== undefined) response.status = checkedStatus(options.status)
  if (options.reason !== undefined) response.reason = options.reason
  for (const [name, value] of Object.entries(options.headers ?? {}))
    response.headers.set(name, value)
  if (options.withBody === true) return answerStatus(ctx, response.status)
  if (options.status === 404 && response.body === undefined) return answerNotFound(run)
}

/** A 404 without a body: the controller's own block answers, else the body of that status. */
export function answerNotFound(run: Run): MaybePromise<void> {
  const { ctx, plan } = run
  const { notFound } = plan
  if (notFound === undefined) return answerStatus(ctx, 404)
  ctx.response.status = 404
  // A block that ends in a bare 404 itself is not asked again.
  const once: Run = { ...run, plan: { ...plan, notFound: undefined } }
  const apply = (value: unknown): MaybePromise<void> => {
    applyGiven(ctx, value)
    if (ctx.response.status === 404 && ctx.response.body === undefined) return answerNotFound(once)
  }
  const recover = (error: unknown): MaybePromise<void> => {
    if (error instanceof Halt) return applyHalt(once, error)
    throw error
  }
  try {
    const value = call(run, notFound)
    return isPromise(value) ? Promise.resolve(value).then(apply).catch(recover) : apply(value)
  } catch (error) {
    return recover(error)
  }
}

/** Rolls back what the request began; a rollback that fails is logged, for the first fault is the one to tell. */
export async function undoAll(run: Run): Promise<void> {
  for (const rollback of run.plan.rollbacks) await guarded(run, () => call(run, rollback))
}

/** As `undoAll`, but nothing when nothing is registered. */
export const undo = (run: Run): Promise<void> | undefined =>
  run.plan.rollbacks.length === 0 ? undefined : undoAll(run)

const call = ({ controller, ctx }: Run, step: Step): unknown =>
  step.call(controller, controller, ctx as never)

/**
 * Answers a fault: status 500 (or the error's own) is set; the first `error` block that takes it answers. Without one
 * every error filter runs in the order added; a redirect in one of them, else the first rendering filter that gives
 * something, decides the answer; without that, too, the plain answer of the status is given.
 * @spec Filters › 4, 5
 */
export async function answerFault(run: Run, error: unknown): Promise<void> {
  const { plan, ctx, controller } = run
  clearAnswer(ctx, error)
  if (await answeredByBlock(run, error)) return
  for (const filter of plan.errorFilters) {
    if (await guarded(run, () => filter(error, controller))) return
  }
  if (applyGiven(ctx, undefined)) return
  if (await renderFault(run, plan.renderingErrorFilters, error)) return
  if (plan.errorFilters.length === 0) logFault(ctx, error)
  await answerProblem(ctx, problemOf(error))
}

/** Answers an `HttpError` below 500, which is no fault: by an `error` block of its class, else with its problem. */
export function answerRefusal(run: Run, error: HttpError): MaybePromise<void> {
  if (run.plan.errorBlocks.length === 0) return answerProblem(run.ctx, problemOf(error))
  return answerRefusalByBlock(run, error)
}

async function answerRefusalByBlock(run: Run, error: HttpError): Promise<void> {
  run.ctx.response.status = error.status
  if (!(await answeredByBlock(run, error))) await answerProblem(run.ctx, problemOf(error))
}

const isRefusal = (error: unknown): boolean => error instanceof HttpError && error.status < 500

function takes({ type }: ErrorBlock, error: unknown): boolean {
  if (type === undefined) return !isRefusal(error)
  if (!(error instanceof type)) return false
  return !isRefusal(error) || type === HttpError || type.prototype instanceof HttpError
}

/** Asks the blocks that take the error, one after another, until one neither passes nor fails itself. */
async function answeredByBlock(run: Run, error: unknown): Promise<boolean> {
  for (const block of run.plan.errorBlocks) {
    if (takes(block, error) && (await guarded(run, () => applyBlock(run, block, error), true)))
      return true
    run.ctx.recorded = undefined
  }
  return false
}

async function applyBlock(run: Run, block: ErrorBlock, error: unknown): Promise<boolean> {
  const { ctx, controller } = run
  const value = await block.handle(error, controller)
  applyGiven(ctx, value)
  return true
}

/** What described the body that is not sent now; a shared cache must not keep an error as that page. */
const ofTheBody = [
  'content-disposition',
  'content-encoding',
  'cache-control',
  'etag',
  'expires',
  'last-modified',
  'location',
]

function clearAnswer(ctx: FwContext, error: unknown): void {
  const { response } = ctx
  ctx.recorded = undefined
  response.status = problemOf(error).status
  if (response.status === 503) response.headers.set('Retry-After', '1')
  response.reason = undefined
  dropBody(ctx)
  for (const name of ofTheBody) response.headers.delete(name)
}

async function renderFault(
  run: Run,
  filters: Plan['renderingErrorFilters'],
  error: unknown,
): Promise<boolean> {
  for (const filter of filters) {
    if (await guarded(run, () => applyRendered(run, filter, error), true)) return true
  }
  return false
}

async function applyRendered(run: Run, filter: ErrorFilter, error: unknown): Promise<boolean> {
  return applyGiven(run.ctx, await filter(error, run.controller))
}

/**
 * Calls a handler so that what it throws is logged and not told; a halt inside it answers.
 * @returns true when the answer stands: by a halt, or, where `decides`, by a truthy value
 */
async function guarded(run: Run, handler: () => unknown, decides = false): Promise<boolean> {
  try {
    const value = handler()
    const settled = isPromise(value) ? await value : value
    return decides && settled === true
  } catch (error) {
    if (error instanceof Halt) {
      await applyHalt(run, error)
      return true
    }
    // A handler that passes, or throws what it was given, leaves the error to the next one.
    if (error instanceof Pass || error === run.ctx.fault) return false
    run.ctx.logger.error({ err: error }, 'a handler of an error failed itself')
    return false
  }
}

/** The first fault of a request is the one to tell; a desk for developers sees it before anything is undone. */
export function noteFault(ctx: FwContext, fault: unknown): void {
  if (ctx.fault !== undefined) return
  ctx.fault = fault
  ctx.forgetCookies()
  ctx.services.faults?.noted(ctx as never, fault)
}

/** One line for a fault that no filter took; none where the client left, or the container has told of its own reason. */
export function logFault(ctx: FwContext, error: unknown): void {
  const { method, path, http } = ctx.request
  if (http.aborted && error === http.signal.reason) return
  ctx.logger.error({ err: error, method, path: path.text }, 'request failed')
}
