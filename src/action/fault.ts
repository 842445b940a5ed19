/** What happens when a request fails: undo what it began, run the error filters, answer. */
import { isPromise } from '../base.ts'
import type { FwContext } from './context.ts'
import { answerProblem, answerStatus, problemOf } from './error-response.ts'
import type { Plan } from './plan.ts'
import type { ErrorFilter, Step } from './registrations.ts'
import { applyResult } from './result.ts'
import { Halt } from './signals.ts'

export type MaybePromise<T> = T | Promise<T>

/** One run of a plan. */
export interface Run {
  readonly plan: Plan
  readonly ctx: FwContext
  readonly controller: never
}

/**
 * Status, headers and body of a halt; what it does not give stays as it is. A 404 without a body has the body of
 * that status, like `haltWithBody`.
 */
export function applyHalt(ctx: FwContext, { options }: Halt): MaybePromise<void> {
  const { response } = ctx
  ctx.recorded = undefined
  if (options.body !== undefined) applyResult(ctx, options.body)
  if (options.status !== undefined) response.status = options.status
  if (options.reason !== undefined) response.reason = options.reason
  for (const [name, value] of Object.entries(options.headers ?? {}))
    response.headers.set(name, value)
  if (options.withBody === true || (options.status === 404 && response.body === undefined)) {
    return answerStatus(ctx, response.status)
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
 * Answers a fault: status 500 (or the error's own) is set, every error filter runs in the order added, the first
 * rendering filter that gives a body decides the answer; without one the plain answer of the status is given.
 * @spec Filters › 4, 5
 */
export async function answerFault(run: Run, error: unknown): Promise<void> {
  const { plan, ctx, controller } = run
  clearAnswer(ctx, error)
  for (const filter of plan.errorFilters) {
    if (await guarded(run, () => filter(error, controller))) return
  }
  if (await renderFault(run, plan.renderingErrorFilters, error)) return
  if (plan.errorFilters.length === 0) logFault(ctx, error)
  await answerProblem(ctx, problemOf(error))
}

function clearAnswer(ctx: FwContext, error: unknown): void {
  const { response } = ctx
  ctx.recorded = undefined
  response.status = problemOf(error).status
  response.reason = undefined
  response.body = undefined
  response.headers.delete('content-type')
  response.headers.delete('location')
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
  const value = await filter(error, run.controller)
  if (value === undefined) return false
  applyResult(run.ctx, value)
  return true
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
      await applyHalt(run.ctx, error)
      return true
    }
    run.ctx.services.logger.error({ err: error }, 'a handler of an error failed itself')
    return false
  }
}

/** One line for a fault that no filter took. */
export function logFault(ctx: FwContext, error: unknown): void {
  const { method, path } = ctx.request
  ctx.services.logger.error({ err: error, method, path: path.text }, 'request failed')
}
