/** Work for the end of a request: done when its response is sent, given up, or will never be. */
import { isStreamed, WatchedBody } from '../http.ts'
import type { FwContext } from './context.ts'

/** Has `work` done once the response is sent, however the request ends; a failure of it is logged. */
export function atRequestEnd(ctx: FwContext, work: () => unknown): void {
  if (ctx.endings === undefined) ctx.endings = [work]
  else ctx.endings.push(work)
}

/**
 * Does what `atRequestEnd` was given: now, or for a streamed body when it is over. The last thing before the response
 * goes to the container.
 */
export function endRequest(ctx: FwContext): void {
  const { endings, response } = ctx
  if (endings === undefined) return
  ctx.endings = undefined
  const finish = (): void => {
    for (const work of endings) attempt(ctx, work)
  }
  if (isStreamed(response.body)) response.body = new WatchedBody(response.body, finish)
  else finish()
}

function attempt(ctx: FwContext, work: () => unknown): void {
  Promise.resolve()
    .then(work)
    .catch((error: unknown) => {
      ctx.services.logger.error({ err: error }, 'the end of a request failed')
    })
}
