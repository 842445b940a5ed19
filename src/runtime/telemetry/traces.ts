/** Creates OpenTelemetry spans for requests, actions, views, SQL statements and sessions. */
import type * as OpenTelemetry from '@opentelemetry/api'
import type { Context, Span, SpanOptions, Tracer } from '@opentelemetry/api'
import {
  actionChannel,
  redactTarget,
  requestChannel,
  type ActionEvent,
  type RequestEvent,
} from '../action.ts'
import { FwError, redacted, type WorkChannel, type WorkEvent } from '../base.ts'
import { sqlChannel, type StatementEvent } from '../db.ts'
import type { HttpRequest } from '../http.ts'
import { sessionChannel, type SessionEvent } from '../session.ts'
import { viewChannel, type ViewEvent } from '../view.ts'

type Api = typeof OpenTelemetry

/** Describes the span for one kind of work. */
interface SpanDescription<E> {
  name(event: E): string
  options(event: E): SpanOptions
  /** Returns the context of the parent span; by default the active context. */
  parent?(event: E): Context
  began?(event: E, span: Span): void
  ended?(event: E, span: Span): void
  /** Returns the fault that the span records; by default the thrown value. */
  fault?(event: E): unknown
}

/** Creates spans until the returned function is called. @throws FwError `telemetry.package-missing` */
export async function startTracing(version: string): Promise<() => void> {
  const api = await loadApi()
  const tracing = new Tracing(api, api.trace.getTracer('fwjs', version))
  const stops = [
    tracing.observe(requestChannel, requestSpans(api)),
    tracing.observe(actionChannel, actionSpans),
    tracing.observe(viewChannel, viewSpans),
    tracing.observe(sqlChannel, statementSpans(api)),
    tracing.observe(sessionChannel, sessionSpans),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

async function loadApi(): Promise<Api> {
  try {
    return await import('@opentelemetry/api')
  } catch (cause) {
    throw new FwError(
      'telemetry.package-missing',
      'tracing.enabled needs the package @opentelemetry/api: npm install @opentelemetry/api',
      { cause },
    )
  }
}

class Tracing {
  readonly #api: Api
  readonly #tracer: Tracer

  constructor(api: Api, tracer: Tracer) {
    this.#api = api
    this.#tracer = tracer
  }

  /** Creates a span for each event of the channel. The span is the active one while the work runs. */
  observe<E extends WorkEvent>(
    channel: WorkChannel<E>,
    description: SpanDescription<E>,
  ): () => void {
    const { context, trace } = this.#api
    const spans = new WeakMap<E, Span>()
    const begin = (event: E): Context => {
      const parent = description.parent?.(event) ?? context.active()
      const name = description.name(event)
      const span = this.#tracer.startSpan(name, description.options(event), parent)
      spans.set(event, span)
      description.began?.(event, span)
      return trace.setSpan(parent, span)
    }
    const removeInterceptor = channel.intercept((event, work) => context.with(begin(event), work))
    const unsubscribe = channel.subscribe({
      end: (event) => {
        const span = spans.get(event)
        if (span !== undefined) this.#end(event, span, description)
      },
    })
    return () => {
      removeInterceptor()
      unsubscribe()
    }
  }

  #end<E extends WorkEvent>(event: E, span: Span, description: SpanDescription<E>): void {
    description.ended?.(event, span)
    const fault = description.fault === undefined ? event.error : description.fault(event)
    if (fault !== undefined) {
      const { message, name } = toError(fault)
      const { code } = fault as { readonly code?: unknown }
      span.recordException(toError(fault))
      span.setAttribute('error.type', typeof code === 'string' ? code : name)
      span.setStatus({ code: this.#api.SpanStatusCode.ERROR, message })
    }
    span.end()
  }
}

const toError = (fault: unknown): Error =>
  fault instanceof Error ? fault : new Error(String(fault))

const headerGetter = {
  get: (http: HttpRequest, name: string): string | undefined => http.header(name.toLowerCase()),
  keys: (http: HttpRequest): string[] => Array.from(http.headers(), ([name]) => name),
}

function requestSpans(api: Api): SpanDescription<RequestEvent> {
  const { context, propagation, trace, SpanKind } = api
  return {
    name: ({ method }) => method,
    options: ({ ctx, method }) => ({
      // If an instrumented HTTP server already has a span for the request, this span is internal work of it.
      kind: trace.getActiveSpan() === undefined ? SpanKind.SERVER : SpanKind.INTERNAL,
      attributes: withoutAbsent({
        'http.request.method': method,
        'url.scheme': ctx.request.http.scheme,
        'server.address': ctx.request.http.host,
        'client.address': ctx.request.remoteAddress,
        'user_agent.original': ctx.request.header('user-agent'),
        'network.protocol.version': ctx.request.http.httpVersion,
      }),
    }),
    parent: ({ ctx: { request } }) => {
      const active = context.active()
      const isAdopted = request.http.isProxied === true && trace.getSpan(active) === undefined
      return isAdopted ? propagation.extract(active, request.http, headerGetter) : active
    },
    began(event, span) {
      const { traceId, spanId, traceFlags } = span.spanContext()
      if (api.isSpanContextValid(span.spanContext()))
        event.trace = { traceId, spanId, isSampled: (traceFlags & 1) === 1 }
    },
    ended(event, span) {
      const { method, route, status, requestId, bytes } = event
      if (route !== undefined) span.updateName(`${method} ${route}`)
      const [path = '', query] = formatTarget(event).split('?', 2)
      const attributes = {
        'http.route': route,
        'http.response.status_code': status,
        'http.response.body.size': bytes,
        'url.path': path,
        'url.query': query,
        'fw.request_id': requestId,
      }
      span.setAttributes(withoutAbsent(attributes))
      if (status >= 500) span.setAttribute('error.type', String(status))
      if (status >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR })
    },
  }
}

const formatTarget = ({ ctx, isDispatched }: RequestEvent): string =>
  isDispatched ? redactTarget(ctx.request.http.target, ctx) : redacted

const withoutAbsent = (
  attributes: Readonly<Record<string, string | number | undefined>>,
): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(attributes).filter(
      (entry): entry is [string, string | number] => entry[1] !== undefined,
    ),
  )

const actionSpans: SpanDescription<ActionEvent> = {
  name: ({ ctx }) => actionName(ctx),
  options: ({ ctx }) => ({ attributes: { 'code.function.name': actionName(ctx) } }),
  fault: ({ fault }) => fault,
}

const actionName = ({ plan, routeName }: ActionEvent['ctx']): string =>
  `${plan?.controllerName ?? ''}.${routeName ?? 'inline'}`

const viewSpans: SpanDescription<ViewEvent> = {
  name: ({ view }) => `render ${view}`,
  options: ({ view, format }) => ({ attributes: { 'fw.view': view, 'fw.format': format } }),
}

function statementSpans({ SpanKind }: Api): SpanDescription<StatementEvent> {
  return {
    name: ({ operation }) => operation,
    options: ({ sql, operation }) => ({
      kind: SpanKind.CLIENT,
      attributes: {
        'db.system.name': 'postgresql',
        'db.operation.name': operation,
        // The values of a statement are sent as parameters, so the SQL text contains none of them.
        'db.query.text': sql,
      },
    }),
  }
}

const sessionSpans: SpanDescription<SessionEvent> = {
  name: ({ operation }) => `session ${operation}`,
  options: ({ store }) => ({ attributes: { 'fw.session.store': store } }),
}
