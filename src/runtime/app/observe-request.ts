/** Publishes the events of a request, from which logs, metrics and traces are made. */
import { requestChannel, RequestEvent, type FwContext } from '../action.ts'
import { isPromise } from '../base.ts'
import { isStreamed, WatchedBody, type HttpResponse } from '../http.ts'

type Response = HttpResponse | Promise<HttpResponse>

/** Publishes the start event, calls `respond`, which must not throw, and ends the event with the last byte. */
export function observeRequest(
  ctx: FwContext,
  respond: (ctx: FwContext) => Response,
  isDispatched = true,
): Response {
  const event = new RequestEvent(ctx, isDispatched)
  requestChannel.inFlight++
  const response = requestChannel.mustRun
    ? requestChannel.run(event, () => respond(ctx))
    : respond(ctx)
  return isPromise(response)
    ? response.then((completed) => observeBody(event, completed))
    : observeBody(event, response)
}

/** Ends the event of a request: at once, because the body is sent together with the headers, or at the end of a stream. */
function observeBody(event: RequestEvent, response: HttpResponse): HttpResponse {
  const body = event.ctx.request.http.method === 'HEAD' ? undefined : response.body
  if (isStreamed(body)) {
    const countBytes = (chunk: Uint8Array | string): void => {
      event.streamedBytes += Buffer.byteLength(chunk)
    }
    response.body = new WatchedBody(body, () => endEvent(event), countBytes)
  } else {
    event.body = body
    endEvent(event)
  }
  return response
}

function endEvent(event: RequestEvent): void {
  const { ctx } = event
  requestChannel.inFlight--
  event.isAborted = ctx.request.http.aborted
  requestChannel.finish(event, ctx.fault)
}
