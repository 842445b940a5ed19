/** Responds to halts, and to a 404 without a body. */
import type { MaybePromise } from '../base.ts'
import { checkStatus, type HttpResponse } from '../http.ts'
import { clearPage } from './clear-page.ts'
import { respondWithStatus } from './error-response.ts'
import { Halt, type HaltOptions } from './halt.ts'
import type { Run } from './plan.ts'
import type { Step } from './registrations.ts'
import { applyResult, applyValueOrRedirect } from './result.ts'

/**
 * Applies a halt to the response. A 404 without a body gets the body of the `notFound` block, or
 * else the standard body.
 */
export function applyHalt(run: Run, { options }: Halt): MaybePromise<void> {
  const { ctx } = run
  const { response } = ctx
  ctx.recordedRedirect = undefined
  const { headers } = options
  if ((options.status ?? response.status) >= 400) clearPage(ctx, options.body !== undefined)
  // Set the headers before the body, because a text gets the charset of its type. Set them again after it, because they
  // override the headers of a result.
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

/** Responds to a 404 without a body by the controller's `notFound` block, or else with the standard body of a 404. */
export function respondToNotFound(run: Run): MaybePromise<void> {
  const { ctx, plan } = run
  if (plan.notFound === undefined) return respondWithStatus(ctx, 404)
  return runNotFoundBlock(run, plan.notFound)
}

async function runNotFoundBlock(run: Run, block: Step): Promise<void> {
  const { ctx, plan, controller } = run
  // If the block itself ends in a 404 without a body, the block is not run a second time.
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

function setHeaders({ headers }: HttpResponse, values: HaltOptions['headers'] = {}): void {
  for (const name in values) headers.set(name, values[name]!)
}
