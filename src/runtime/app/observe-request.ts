/** Publishes the events of a request: the start before its route is looked up, the end after the last byte. */
import { requestChannel, RequestEvent, type FwContext } from '../action.ts'
import { isPromise } from '../base.ts'
import { isStreamed, WatchedBody, type HttpResponse } from '../http.ts'

type Response = HttpResponse | Promise<HttpResponse>

/** Calls `respond`, which must not throw, inside the stores that are bound to the start of requests. */
export function observeRequest(
  ctx: FwContext,
  respond: (ctx: FwContext) => Response,
  isDispatched = true,
): Response {
  const event = new RequestEvent(ctx, isDispatched)
  requestChannel.inFlight++
  const response = requestChannel.isEnclosed
    ? requestChannel.run(event, () => respond(ctx))
    : respond(ctx)
  return isPromise(response)
    ? response.then((completed) => observeBody(event, completed))
    : observeBody(event, response)
}

/** A streamed body ends its request when it is sent or given up; any other body is sent with the head. */
function observeBody(event: RequestEvent, response: HttpResponse): HttpResponse {
  const { body } = response
  const isHead = event.ctx.request.http.method === 'HEAD'
  if (!isHead && isStreamed(body)) {
    const onChunk = (chunk: Uint8Array | string): void => void (event.bytes += byteLength(chunk))
    response.body = new WatchedBody(body, () => end(event), onChunk)
    return response
  }
  if (!isHead && body !== undefined && !isStreamed(body)) event.bytes = byteLength(body)
  end(event)
  return response
}

const byteLength = (chunk: Uint8Array | string): number =>
  typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.byteLength

function end(event: RequestEvent): void {
  const { ctx } = event
  requestChannel.inFlight--
  event.isAborted = ctx.request.http.aborted
  requestChannel.finish(event, ctx.fault)
}
