/**
 * Runs the lifecycle of a request: the steps of its plan, one after another.
 *
 *   guard → body → load → token → before → beforeAction → action → trap → afterAction → after → save → commit → keep
 *
 * A halt, a redirect in a filter and an `HttpError` below 500 set the response; the lifecycle then continues with `trap`. A
 * fault first rolls back and runs the error handlers. The lifecycle then continues with `trap` too, but skips `save`, `commit`
 * and `keep`.
 */
import { HttpError, isPromise } from '../base.ts'
import { outsideTransaction } from '../db.ts'
import { isStreamed, StartedBody, type StreamedBody } from '../http.ts'
import { dropBody } from './clear-page.ts'
import type { FwContext } from './context.ts'
import { recordFault, respondToFault, respondToRefusal, rollBack } from './fault.ts'
import { applyHalt, respondToNotFound } from './halt-response.ts'
import type { MaybePromise, Plan, Run } from './plan.ts'
import { actionChannel, ActionEvent } from './request-event.ts'
import { renderOwnView } from './view.ts'
import { applyResult, applyValueOrRedirect } from './result.ts'
import { Halt, Pass } from './halt.ts'

/** Runs the matched route. @returns false if it called `pass()`; a promise only if a step returns a promise or throws */
export function runPlan(plan: Plan, ctx: FwContext): MaybePromise<boolean> {
  if (plan.around.length === 0) return runSteps(plan, ctx)
  const wrapped = plan.around.reduceRight<() => unknown>(
    (next, around) => () => around(ctx, next),
    () => runSteps(plan, ctx),
  )
  return wrapped() as MaybePromise<boolean>
}

/** Returned instead of a position if the route called `pass()`. */
const passed = -1
/** Returned instead of a position if the request must run again from its first filter. */
const restarted = -2

/** Runs the steps synchronously until one returns a promise or throws; `runAsync` runs the rest. */
function runSteps(plan: Plan, ctx: FwContext): MaybePromise<boolean> {
  const run: Run = { plan, ctx, controller: new plan.controller(ctx) }
  const { steps } = plan
  let at = 0
  try {
    while (at < steps.length) {
      if (at >= plan.saveAt && hasFailed(run, at)) return endFailed(run)
      const value = callStep(run, at)
      if (isPromise(value)) return runAsync(run, at, value)
      const next = nextPosition(run, at)
      const replacement = applyValue(run, at, value)
      if (replacement !== undefined) return runAsync(run, at, replacement)
      at = next
    }
  } catch (error) {
    return runAsync(run, handleThrown(run, at, error))
  }
  return complete(run)
}

/** The key under which the context stores its run if the response is a stream. */
const streamingRun: unique symbol = Symbol('streaming run')

type Streaming = FwContext & { [streamingRun]?: Run }

function complete(run: Run): true {
  if (isStreamed(run.ctx.response.body)) (run.ctx as Streaming)[streamingRun] = run
  return true
}

/** Waits for the first chunk of a stream, whose failure is a fault. The headers of an event stream are sent at once. */
export function startStream(ctx: Streaming): Promise<void> | undefined {
  const run = ctx[streamingRun]
  const { body, headers } = ctx.response
  if (run === undefined || !isStreamed(body) || ctx.request.http.method === 'HEAD') return undefined
  const isEventStream = headers.get('content-type')?.startsWith('text/event-stream') === true
  return isEventStream ? undefined : awaitFirstChunk(run, body)
}

async function awaitFirstChunk(run: Run, body: StreamedBody): Promise<void> {
  const { ctx } = run
  try {
    const started = new StartedBody(body)
    ctx.response.body = started
    await started.started(ctx.signal)
  } catch (error) {
    await respondToFault(run, recordFault(ctx, error))
  }
}

/** Runs the steps from the position `from`. `first` is the promise of that step, if the step has already started. */
async function runAsync(
  run: Run,
  from: MaybePromise<number>,
  first?: PromiseLike<unknown>,
): Promise<boolean> {
  const { plan } = run
  let started = first
  let at = isPromise(from) ? await from : from
  while (at >= 0 && at < plan.steps.length) {
    if (started === undefined && at >= plan.saveAt && hasFailed(run, at)) return endFailed(run)
    try {
      const value = started ?? callStep(run, at)
      const settled = isPromise(value) ? await value : value
      const next = nextPosition(run, at)
      const replacement = applyValue(run, at, settled)
      if (replacement !== undefined) void applyValue(run, at, await replacement)
      at = next
    } catch (error) {
      at = await handleThrown(run, at, error)
    }
    started = undefined
  }
  if (at !== restarted) return at !== passed && complete(run)
  run.ctx.restart()
  return runPlan(plan, run.ctx)
}

/** Runs a step. After a fault the transaction has ended, so the remaining steps run outside it. */
function callStep({ plan, ctx, controller }: Run, at: number): unknown {
  const step = plan.steps[at]!
  if (at === plan.actionAt && actionChannel.active)
    return actionChannel.trace(new ActionEvent(ctx), () => step.call(controller, controller, ctx))
  return ctx.fault === undefined
    ? step.call(controller, controller, ctx)
    : outsideTransaction(() => step.call(controller, controller, ctx))
}

/** Returns the position of the next step. A redirect in a filter before the action skips the action. */
const nextPosition = ({ plan, ctx }: Run, at: number): number =>
  ctx.recordedRedirect !== undefined && at < plan.actionAt ? plan.afterAt : at + 1

/**
 * Applies the value of the step at `at` to the response. Only redirects and the value of the action itself have an effect.
 * @returns a promise of the value to apply instead: the page of the action's own view, or `null` after a not-found handler
 */
function applyValue(run: Run, at: number, value: unknown): Promise<unknown> | undefined {
  const { plan, ctx } = run
  if (at === plan.actionAt) return applyActionValue(run, value)
  if (ctx.recordedRedirect === undefined) return undefined
  if (at > plan.actionAt) dropBody(ctx)
  applyValueOrRedirect(ctx, undefined)
  return undefined
}

function applyActionValue(run: Run, value: unknown): Promise<unknown> | undefined {
  const { ctx, plan } = run
  const { response } = ctx
  if (value === undefined) {
    if (applyValueOrRedirect(ctx, undefined)) return undefined
    const page = renderOwnView(ctx, plan.ownView)
    if (isPromise(page)) return page
    applyResult(ctx, page)
    return undefined
  }
  ctx.recordedRedirect = undefined
  applyResult(ctx, value)
  if (response.status !== 404 || response.body !== undefined) return undefined
  const responding = respondToNotFound(run)
  return isPromise(responding) ? responding.then(() => null) : undefined
}

/** True if the request must not store its changes: after a fault, a status of 500 or more, or a disconnect before COMMIT. */
function hasFailed({ plan, ctx }: Run, at: number): boolean {
  const { fault, request, response } = ctx
  return fault !== undefined || response.status >= 500 || (at < plan.keepAt && request.http.aborted)
}

/** Ends a failed request. Rolls back, unless a fault was thrown: then the rollback was done before the error handlers ran. */
function endFailed(run: Run): MaybePromise<boolean> {
  if (run.ctx.fault !== undefined || run.plan.rollbacks.length === 0) return true
  return rollBack(run).then(() => true)
}

/** Handles a thrown error, halt or pass. @returns the position of the next step, `passed` or `restarted` */
async function handleThrown(run: Run, at: number, error: unknown): Promise<number> {
  const { plan, ctx } = run
  const passes = error instanceof Pass && at <= plan.actionAt
  if (passes || plan.retries.some((shouldRetry) => shouldRetry(error, ctx))) {
    ctx.recordedRedirect = undefined
    await rollBack(run)
    return passes ? passed : restarted
  }
  try {
    if (error instanceof Halt) {
      const responding = applyHalt(run, error)
      if (isPromise(responding)) await responding
    } else if (error instanceof HttpError && error.status < 500) {
      // The step threw before the session was read, so the session is not read later either.
      if (at < plan.tokenAt) ctx.ignoreSession()
      await respondToRefusal(run, error)
    } else throw error
  } catch (thrown) {
    const fault = recordFault(ctx, thrown)
    await rollBack(run)
    await outsideTransaction(() => respondToFault(run, fault))
  }
  return Math.max(at + 1, plan.afterAt)
}
