/** Starts the stream of a response before its headers are sent, so that a failure still leads to an error page. */
import { AsyncContext } from '../base.ts'
import { outsideTransaction } from '../db.ts'
import {
  DerivedBody,
  isStreamed,
  openBodyReader,
  StartedBody,
  type BodyReader,
  type StreamedBody,
} from '../http.ts'
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
class BoundBody extends DerivedBody {
  readonly #body: StreamedBody
  readonly #context = new AsyncContext()
  #reader: BodyReader | undefined

  constructor(body: StreamedBody) {
    super()
    this.#body = body
  }

  next(): Promise<IteratorResult<string | Uint8Array, unknown>> {
    return this.#context.run(() => this.#open().next())
  }

  protected closeSource(): void {
    this.#context.run(() => this.#open().close())
  }

  #open(): BodyReader {
    return (this.#reader ??= openBodyReader(this.#body))
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
