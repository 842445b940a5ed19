/** Starts the stream of a response before its headers are sent, so that a failure still leads to an error page. */
import { AsyncContext } from '../base.ts'
import { outsideTransaction } from '../db.ts'
import { isStreamed, openBodyReader, StartedBody, type StreamedBody } from '../http.ts'
import { recordFault, respondToFault } from './fault.ts'
import type { Run } from './plan.ts'

/**
 * Makes the request the async context of its stream, without its transaction. Then waits for the first chunk, whose failure is
 * a fault after the commit. The headers of an event stream are sent at once.
 */
export function startStream(run: Run): Promise<void> | undefined {
  const { request, response } = run.ctx
  const { body, headers } = response
  if (!isStreamed(body) || request.http.method === 'HEAD') return undefined
  const bound = outsideTransaction(() => new BoundBody(body))
  response.body = bound
  const isEventStream = headers.get('content-type')?.startsWith('text/event-stream') === true
  return isEventStream ? undefined : awaitFirstChunk(run, bound)
}

/**
 * A streamed body that is read in the async context of its creation. The server reads a body outside the context of the request,
 * where a generator would have neither the request id of its log lines nor the settings of its statements.
 */
class BoundBody implements AsyncIterable<string | Uint8Array> {
  readonly #body: StreamedBody
  readonly #context = new AsyncContext()

  constructor(body: StreamedBody) {
    this.#body = body
  }

  [Symbol.asyncIterator](): AsyncIterator<string | Uint8Array> {
    const context = this.#context
    const reader = context.run(() => openBodyReader(this.#body))
    return {
      next: () => context.run(() => reader.next()),
      async return() {
        context.run(() => reader.close())
        return { done: true, value: undefined }
      },
    }
  }
}

async function awaitFirstChunk(run: Run, body: StreamedBody): Promise<void> {
  const { ctx } = run
  try {
    // A body that cannot be opened, such as a locked stream, cannot be released either.
    ctx.response.body = undefined
    const started = new StartedBody(body)
    ctx.response.body = started
    await started.started(ctx.signal)
  } catch (error) {
    await outsideTransaction(() => respondToFault(run, recordFault(ctx, error, true)))
  }
}
