/** Starts the stream of a response before its headers are sent, so that a failure still leads to an error page. */
import { outsideTransaction } from '../db.ts'
import { isStreamed, StartedBody, type StreamedBody } from '../http.ts'
import { recordFault, respondToFault } from './fault.ts'
import type { Run } from './plan.ts'

/**
 * Waits for the first chunk of a stream, whose failure is a fault after the commit. The headers of an event stream are sent at
 * once.
 */
export function startStream(run: Run): Promise<void> | undefined {
  const { request, response } = run.ctx
  const { body, headers } = response
  if (!isStreamed(body) || request.http.method === 'HEAD') return undefined
  const isEventStream = headers.get('content-type')?.startsWith('text/event-stream') === true
  return isEventStream ? undefined : outsideTransaction(() => awaitFirstChunk(run, body))
}

async function awaitFirstChunk(run: Run, body: StreamedBody): Promise<void> {
  const { ctx } = run
  try {
    const started = new StartedBody(body)
    ctx.response.body = started
    await started.started(ctx.signal)
  } catch (error) {
    await respondToFault(run, recordFault(ctx, error, true))
  }
}
