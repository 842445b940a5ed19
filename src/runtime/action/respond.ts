/**
 * The lifecycle of a request to one route:
 *
 *   guard → body → load → token → before → beforeAction → action → trap → afterAction → after → save → commit → keep
 *
 * A generator yields a promise where an async function would await it. Without a promise, the lifecycle is synchronous. Its loops
 * count, because `for … of` in a generator costs 0.3 µs for each request.
 */
import { isPromise, type MaybePromise } from '../base.ts'
import { outsideTransaction } from '../db.ts'
import { dropBody } from './clear-page.ts'
import type { FwContext } from './context.ts'
import { drive, type Steps } from './drive.ts'
import { isRefusal, recordFault, respondToFault, respondToRefusal } from './fault.ts'
import { Halt, Pass } from './halt.ts'
import { applyHalt, respondToNotFound } from './halt-response.ts'
import type { Plan, Run } from './plan.ts'
import type { Step } from './registrations.ts'
import { actionChannel, ActionEvent } from './request-event.ts'
import { applyHead, readHead, type ResponseHead } from './response-head.ts'
import { applyResult, applyValueOrRedirect } from './result.ts'
import { endAttempt } from './slot.ts'
import { startStream } from './start-stream.ts'
import type { UnitOfWork } from './unit-of-work.ts'
import { renderOwnView } from './view.ts'

/**
 * Runs the route of `plan`. `failed` is the attempt that this one repeats.
 * @returns false if the route called `pass()`; a promise only if a step returns a promise or throws
 * @throws the error of the controller's constructor; with a unit of work, the promise rejects with it after the rollback
 */
export function respond(plan: Plan, ctx: FwContext, failed?: Run): MaybePromise<boolean> {
  const { around } = plan
  const unit = plan.beginUnit?.(ctx, failed?.unit)
  if (unit === undefined && around.length === 0) return runLifecycle(plan, ctx)
  const head = failed === undefined ? readHead(ctx.response) : failed.head
  const run = () => runLifecycle(plan, ctx, unit, head)
  const wrapped = around.reduceRight<() => unknown>(
    (next, wrap) => () => wrap(ctx, next),
    unit === undefined ? run : () => unit.run(run),
  )
  return wrapped() as MaybePromise<boolean>
}

function runLifecycle(
  plan: Plan,
  ctx: FwContext,
  unit?: UnitOfWork,
  head?: ResponseHead,
): MaybePromise<boolean> {
  let controller: Run['controller']
  try {
    controller = new plan.controller(ctx)
  } catch (error) {
    if (unit === undefined) throw error
    // No lifecycle runs without a controller, so discard the cookies and the writes of its field initializers here.
    ctx.discardCookies()
    return rejectAfter(unit.rollback(), error)
  }
  return drive(lifecycle({ plan, ctx, unit, head, controller }))
}

async function rejectAfter(rollback: Promise<void> | undefined, error: unknown): Promise<never> {
  await rollback
  throw error
}

const none: readonly Step[] = []

/** Runs the steps up to the action, then those after it. A redirect in a filter replaces the steps up to the action. */
function* lifecycle(run: Run): Steps<boolean> {
  const { plan, ctx } = run
  let isAdmitted = false
  try {
    for (let at = 0; at < plan.admission.length; at++) {
      const step = plan.admission[at]!
      const value = callStep(run, step)
      if (isPromise(value)) yield value
    }
    isAdmitted = true
    for (let at = 0; at < plan.before.length; at++) {
      const filter = plan.before[at]!
      const value = callStep(run, filter)
      if (isPromise(value)) yield value
      if (ctx.recordedRedirect !== undefined) break
    }
    if (!applyValueOrRedirect(ctx, undefined)) {
      const value = callAction(run)
      const applying = applyActionValue(run, isPromise(value) ? yield value : value)
      if (isPromise(applying)) yield applying
    }
  } catch (error) {
    if (error instanceof Pass) return (yield endByPass(run)) as false
    // A request that is refused before its session was read does not read it later.
    if (!isAdmitted && isRefusal(error)) ctx.sessionScope.ignore()
    const result = yield handleThrown(run, error)
    if (result !== undefined) return result as boolean
  }
  const result = plan.after.length > 0 || plan.stores ? yield* complete(run) : undefined
  if (result !== undefined) return result
  const starting = startStream(run)
  if (starting !== undefined) yield starting
  return true
}

/**
 * Runs the status handler and the filters after the action; if one throws, the others still run. Then saves the session and
 * commits, or rolls back if the request must not store its changes.
 * @returns the result of the lifecycle if the route has run again, else undefined
 */
function* complete(run: Run): Steps<boolean | undefined> {
  const { plan, ctx, unit } = run
  for (let at = 0; at < plan.after.length; at++) {
    const filter = plan.after[at]!
    try {
      const value = callStep(run, filter)
      if (isPromise(value)) yield value
      replaceByRedirect(ctx)
    } catch (error) {
      const result = yield handleThrown(run, error)
      if (result !== undefined) return result as boolean
    }
  }
  // A fault has rolled back before its error handlers ran.
  if (ctx.fault !== undefined) return undefined
  let isStored = false
  try {
    const saving = mayStore(ctx) ? plan.save : none
    unit?.beginEnd()
    for (let at = 0; at < saving.length; at++) {
      const step = saving[at]!
      const value = callStep(run, step)
      if (isPromise(value)) yield value
    }
    const stores = mayStore(ctx)
    // A cookie may belong to a row that is rolled back, such as a rotated token.
    if (!stores) ctx.discardCookies()
    const ending = stores ? unit?.commit() : unit?.rollback()
    if (ending !== undefined) yield ending
    isStored = stores
    const keeping = stores ? plan.keep : none
    for (let at = 0; at < keeping.length; at++) {
      const step = keeping[at]!
      const value = callStep(run, step)
      if (isPromise(value)) yield value
    }
    return undefined
  } catch (error) {
    const result = yield handleThrown(run, error, isStored)
    if (result === undefined && ctx.fault === undefined && !isStored) {
      // Cookies that the handlers of the refusal have set are discarded, too, because the handlers ran in the transaction.
      ctx.discardCookies()
      yield unit?.rollback()
    }
    return result as boolean | undefined
  }
}

/**
 * Responds to a thrown value. After an error that the unit of work may retry, the route runs again. A halt and a refusal are
 * responses. All other values are faults: `rollback` is called, which does nothing after COMMIT, then the error handlers run outside the
 * transaction. With `isStored`, the response keeps its cookies, because they may belong to stored rows.
 */
async function handleThrown(
  run: Run,
  error: unknown,
  isStored = false,
): Promise<boolean | undefined> {
  const { plan, ctx, unit } = run
  ctx.recordedRedirect = undefined
  if (unit?.mayRetry(error) === true) {
    await unit.rollback()
    ctx.restart()
    applyHead(ctx.response, run.head)
    return respond(plan, ctx, run)
  }
  try {
    if (error instanceof Halt) await applyHalt(run, error)
    else if (isRefusal(error)) await respondToRefusal(run, error)
    else throw error
  } catch (thrown) {
    const fault = recordFault(ctx, thrown, isStored)
    await unit?.rollback()
    await outsideTransaction(() => respondToFault(run, fault))
  }
  return undefined
}

/** Undoes what the route has written, so that the next matching route can run. */
async function endByPass({ ctx, unit }: Run): Promise<false> {
  ctx.recordedRedirect = undefined
  await unit?.rollback()
  endAttempt(ctx)
  return false
}

/** Calls a step. After a fault the transaction has ended, so the remaining steps run outside it. */
function callStep({ ctx, controller }: Run, step: Step): unknown {
  return ctx.fault === undefined
    ? step.call(controller, controller, ctx)
    : outsideTransaction(() => step.call(controller, controller, ctx))
}

function callAction({ plan, ctx, controller }: Run): unknown {
  const { action } = plan
  return actionChannel.active
    ? actionChannel.trace(new ActionEvent(ctx), () => action.call(controller, controller, ctx))
    : action.call(controller, controller, ctx)
}

/** Applies the value of the action to the response; for undefined, the recorded redirect or the action's own view. */
function applyActionValue(run: Run, value: unknown): MaybePromise<void> {
  const { ctx, plan } = run
  if (value === undefined) {
    if (applyValueOrRedirect(ctx, undefined)) return
    const page = renderOwnView(ctx, plan.ownView)
    return isPromise(page) ? page.then((text) => applyResult(ctx, text)) : applyResult(ctx, page)
  }
  ctx.recordedRedirect = undefined
  applyResult(ctx, value)
  if (ctx.response.status === 404 && ctx.response.body === undefined) return respondToNotFound(run)
}

/** Applies the redirect of a filter that runs after the action. */
function replaceByRedirect(ctx: FwContext): void {
  if (ctx.recordedRedirect === undefined) return
  dropBody(ctx)
  applyValueOrRedirect(ctx, undefined)
}

/** False after a fault, a status of 500 or more, or a disconnect: then the request must not store its changes. */
const mayStore = ({ fault, request, response }: FwContext): boolean =>
  fault === undefined && response.status < 500 && !request.http.aborted
