/** The events of a request and of its action, from which logs, metrics and traces are made. */
import {
  HttpError,
  takeRandomBytes,
  WorkChannel,
  type CurrentRequest,
  type WorkEvent,
} from '../base.ts'
import type { HttpRequest } from '../http.ts'
import type { FwContext } from './context.ts'
import { clientLeft, isCausedByClient } from './fault.ts'
import { Halt, Pass } from './halt.ts'

/** A span as defined by W3C Trace Context. */
interface TraceContext {
  /** The id of the trace: 32 hexadecimal digits. */
  readonly traceId: string
  /** The id of the span: 16 hexadecimal digits. */
  readonly spanId: string
  readonly isSampled: boolean
}

const traceparentSyntax =
  /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-.*)?$/

/** Parses the `traceparent` header that a configured proxy sent; returns undefined if it is absent or malformed. */
function adoptedTrace(http: HttpRequest): TraceContext | undefined {
  const header = http.isProxied === true ? http.header('traceparent') : undefined
  const match = header === undefined ? null : traceparentSyntax.exec(header)
  if (match === null) return undefined
  const [, traceId = '', spanId = '', flags = ''] = match
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** Creates a trace for a request without a `traceparent`. */
const newTrace = (): TraceContext => ({
  traceId: takeRandomBytes(16).toString('hex'),
  spanId: takeRandomBytes(8).toString('hex'),
  isSampled: false,
})

/** The event of a request. It begins when the context is created and ends after the last byte of the response. */
export class RequestEvent implements WorkEvent, CurrentRequest {
  readonly ctx: FwContext
  /** False for a malformed request, for which no route is looked up. */
  readonly isDispatched: boolean
  readonly startedAt: number = performance.now()
  millis = 0
  error: unknown
  /** The response's body if it was not streamed; undefined for HEAD. */
  body: string | Uint8Array | undefined
  /** The number of bytes of a streamed body that have been sent so far. */
  streamedBytes = 0
  /** True if the client disconnected, or the server responded in place of the application, before the response was complete. */
  isAborted = false
  #trace: TraceContext | undefined

  constructor(ctx: FwContext, isDispatched = true) {
    this.ctx = ctx
    this.isDispatched = isDispatched
  }

  /** The number of bytes of the response's body, without transfer coding; 0 for HEAD. */
  get bytes(): number {
    const { body } = this
    return body === undefined ? this.streamedBytes : Buffer.byteLength(body)
  }

  /** The HTTP method, after a method override. */
  get method(): string {
    return this.ctx.request.method
  }

  /** The status of the response; 499 if the request failed because its client left. */
  get status(): number {
    const { ctx } = this
    const isLost = this.isAborted && ctx.fault !== undefined && isCausedByClient(ctx, ctx.fault)
    return isLost ? clientLeft : ctx.response.status
  }

  /** The pattern of the route; undefined for public files, fallback handlers and 404. */
  get route(): string | undefined {
    return this.ctx.match?.target.pattern
  }

  get controller(): string | undefined {
    return this.ctx.plan?.controllerName
  }

  get action(): string | undefined {
    return this.ctx.routeName
  }

  get requestId(): string {
    return this.ctx.requestId
  }

  /** The span of this request: that of a tracer, else the one that a configured proxy sent. */
  get trace(): TraceContext | undefined {
    return (this.#trace ??= adoptedTrace(this.ctx.request.http))
  }

  set trace(trace: TraceContext | undefined) {
    this.#trace = trace
  }

  get traceId(): string | undefined {
    return this.trace?.traceId
  }

  get traceparent(): string {
    const { traceId, spanId, isSampled } = (this.#trace = this.trace ?? newTrace())
    return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
  }
}

/** The event of the run of a route's action, without its filters. */
export class ActionEvent implements WorkEvent {
  readonly ctx: FwContext
  readonly startedAt: number = performance.now()
  millis = 0
  error: unknown

  constructor(ctx: FwContext) {
    this.ctx = ctx
  }

  /** The thrown value if it is a fault, that is, neither a halt nor a pass nor an `HttpError` below 500. */
  get fault(): unknown {
    const { error } = this
    if (error instanceof Halt || error instanceof Pass) return undefined
    return error instanceof HttpError && error.status < 500 ? undefined : error
  }
}

/** The channels `fw:request:start` and `fw:request:end`. */
export const requestChannel: WorkChannel<RequestEvent> = new WorkChannel('fw:request')

/** The channels `fw:action:start` and `fw:action:end`. */
export const actionChannel: WorkChannel<ActionEvent> = new WorkChannel('fw:action')
