/** Publishes the events of a request: the start event before its route is looked up, the end event after the last byte. */
import { requestChannel, RequestEvent, type FwContext } from '../action.ts'
import { isPromise } from '../base.ts'
import { isStreamed, WatchedBody, type HttpResponse, type StreamedBody } from '../http.ts'

type Response = HttpResponse | Promise<HttpResponse>

/**
 * Publishes the start event, calls `respond`, which must not throw, and publishes the end event when the response is complete.
 */
export function observeRequest(
  ctx: FwContext,
  respond: (ctx: FwContext) => Response,
  isDispatched = true,
): Response {
  const event = new RequestEvent(ctx, isDispatched)
  requestChannel.inFlight++
  const response = requestChannel.mustRun ? runInChannel(event, respond) : respond(ctx)
  return isPromise(response)
    ? response.then((completed) => observeBody(event, completed))
    : observeBody(event, response)
}

const runInChannel = (event: RequestEvent, respond: (ctx: FwContext) => Response): Response =>
  requestChannel.run(event, () => respond(event.ctx))

/**
 * Publishes the end event. A streamed response ends when its body has been sent or aborted. Any other body is sent together
 * with the headers, so that request ends at once.
 */
function observeBody(event: RequestEvent, response: HttpResponse): HttpResponse {
  const { body } = response
  const isHead = event.ctx.request.http.method === 'HEAD'
  if (!isHead && isStreamed(body)) return watchBody(event, response, body)
  if (!isHead && !isStreamed(body)) event.body = body
  end(event)
  return response
}

function watchBody(event: RequestEvent, response: HttpResponse, body: StreamedBody): HttpResponse {
  const onChunk = (chunk: Uint8Array | string): void => {
    event.streamedBytes += Buffer.byteLength(chunk)
  }
  response.body = new WatchedBody(body, () => end(event), onChunk)
  return response
}

function end(event: RequestEvent): void {
  const { ctx } = event
  requestChannel.inFlight--
  event.isAborted = ctx.request.http.aborted
  requestChannel.finish(event, ctx.fault)
}
