/** The lifecycle of one request, on one page: the plan's steps one after another, synchronous as long as they are.
 *
 *   guard → body → load → token → before → beforeAction → action → trap → afterAction → after → save → commit → keep
 *
 * A halt, a redirect in a filter and an `HttpError` below 500 answer and go on after the action. A fault undoes what
 * the request began, runs the error filters and goes on after the action too, but keeps nothing (no save, commit, keep).
 */
import { HttpError, isPromise } from '../base.ts'
import { outsideTransaction } from '../db.ts'
import type { FwContext } from './context.ts'
import {
  answerFault,
  answerNotFound,
  answerRefusal,
  applyHalt,
  noteFault,
  undo,
  type MaybePromise,
  type Run,
} from './fault.ts'
import type { Plan } from './plan.ts'
import { answerWithOwnView } from './render.ts'
import { applyGiven, applyResult, dropBody } from './result.ts'
import { Halt, Pass } from './signals.ts'

/**
 * Runs the route that `ctx` has begun.
 * @returns false when the action passed: the next candidate answers
 */
export function runPlan(plan: Plan, ctx: FwContext): MaybePromise<boolean> {
  if (plan.around.length === 0) return start(plan, ctx)
  const whole = plan.around.reduceRight<() => unknown>(
    (next, around) => () => around(ctx as never, next),
    () => start(plan, ctx),
  )
  return whole() as MaybePromise<boolean>
}

const start = (plan: Plan, ctx: FwContext): MaybePromise<boolean> =>
  advance({ plan, ctx, controller: new plan.controller(ctx as never) as never }, 0)

const passed = -1

function advance(run: Run, from: number): MaybePromise<boolean> {
  const { steps } = run.plan
  let at = from
  while (at !== passed && at < steps.length) {
    let next: MaybePromise<number>
    try {
      const value = steps[at]!.call(run.controller, run.controller, run.ctx as never)
      if (isPromise(value)) return wait(run, at, value)
      next = recovering(run, at, proceed(run, at, value))
    } catch (error) {
      next = recover(run, at, error)
    }
    if (isPromise(next)) return next.then((position) => goOn(run, position))
    at = next
  }
  return at !== passed
}

/** One promise for a step that gave one, whatever follows. */
function wait(run: Run, at: number, value: PromiseLike<unknown>): Promise<boolean> {
  return Promise.resolve(value).then(
    (settled) => goOn(run, proceedSafely(run, at, settled)),
    (error: unknown) => goOn(run, recover(run, at, error)),
  )
}

function proceedSafely(run: Run, at: number, value: unknown): MaybePromise<number> {
  try {
    return recovering(run, at, proceed(run, at, value))
  } catch (error) {
    return recover(run, at, error)
  }
}

const recovering = (run: Run, at: number, next: MaybePromise<number>): MaybePromise<number> =>
  isPromise(next) ? next.catch((error: unknown) => recover(run, at, error)) : next

/** After a fault nothing belongs to the transaction any more: it has been rolled back. */
function goOn(run: Run, next: MaybePromise<number>): MaybePromise<boolean> {
  if (isPromise(next)) return next.then((position) => goOn(run, position))
  return run.ctx.fault === undefined
    ? advance(run, next)
    : outsideTransaction(() => advance(run, next))
}

/** Where to go after the step at `at` gave `value`. */
function proceed(run: Run, at: number, value: unknown): MaybePromise<number> {
  const { plan, ctx } = run
  if (at === plan.actionAt) return settleThen(applyAction(run, value), () => next(run, at))
  if (ctx.recorded === undefined) return next(run, at)
  if (at > plan.actionAt) dropBody(ctx)
  applyGiven(ctx, undefined)
  return at < plan.actionAt ? plan.afterAt : next(run, at)
}

/** Goes on after `at`; a failed request stops before it would keep anything. */
function next(run: Run, at: number): MaybePromise<number> {
  const following = at + 1
  const { plan, ctx } = run
  if (following < plan.saveAt || !failed(run, following)) return following
  return settleThen(ctx.fault === undefined ? undo(run) : undefined, () => plan.steps.length)
}

/**
 * A response of 500 and above keeps nothing, whoever made it; nor does one that nobody waits for any more, unless it was
 * committed already: what belongs to the commit is kept then.
 */
const failed = ({ plan, ctx: { fault, request, response } }: Run, following: number): boolean =>
  fault !== undefined || response.status >= 500 || (following < plan.keepAt && request.http.aborted)

function applyAction(run: Run, value: unknown): MaybePromise<void> {
  const { ctx } = run
  if (value === undefined && applyGiven(ctx, value)) return
  ctx.recorded = undefined
  if (value === undefined) return answerWithOwnView(ctx)
  applyResult(ctx, value)
  if (ctx.response.status === 404 && ctx.response.body === undefined) return answerNotFound(run)
}

/** Where to go after the step at `at` threw. */
function recover(run: Run, at: number, error: unknown): MaybePromise<number> {
  const { ctx } = run
  // The transaction of a route that passes is rolled back: what it wrote is not the next one's.
  if ((error instanceof Pass && at <= run.plan.actionAt) || ctx.runsAgain?.(error) === true) {
    ctx.recorded = undefined
    return settleThen(undo(run), () => passed)
  }
  try {
    const answered = answerThrown(run, at, error)
    if (!isPromise(answered)) return resume(run, at)
    return Promise.resolve(answered).then(
      () => resume(run, at),
      (failure: unknown) => fail(run, at, failure),
    )
  } catch (failure) {
    return fail(run, at, failure)
  }
}

/** A halt or a refusal is answered; everything else is thrown again, as is what fails meanwhile. */
function answerThrown(run: Run, at: number, error: unknown): MaybePromise<void> {
  if (error instanceof Halt) return applyHalt(run, error)
  if (error instanceof HttpError && error.status < 500)
    return settleThen(sessionFor(run, at), () => answerRefusal(run, error))
  throw error
}

function fail(run: Run, at: number, error: unknown): MaybePromise<number> {
  const fault = error ?? new TypeError('Something threw no value.')
  noteFault(run.ctx, fault)
  return settleThen(undo(run), () =>
    settleThen(
      outsideTransaction(() => answerFault(run, fault)),
      () => resume(run, at),
    ),
  )
}

/** An answer that was given by throwing goes on after the action. */
const resume = (run: Run, at: number): MaybePromise<number> =>
  next(run, Math.max(at, run.plan.afterAt - 1))

/** A refusal before the session was read: the error page and the after filters may ask for it all the same. */
const sessionFor = ({ plan, ctx }: Run, at: number): Promise<void> | undefined =>
  at < plan.tokenAt ? ctx.loadSessionIfPossible() : undefined

function settleThen<T>(first: unknown, then: () => MaybePromise<T>): MaybePromise<T> {
  return isPromise(first) ? Promise.resolve(first).then(then) : then()
}
