/** Creates OpenTelemetry spans for requests, actions, views, SQL statements and sessions. */
import type * as OpenTelemetry from '@opentelemetry/api'
import type { Context, Span, SpanOptions, Tracer } from '@opentelemetry/api'
import { actionChannel, requestChannel, type ActionEvent, type RequestEvent } from '../action.ts'
import { FwError, type WorkChannel, type WorkEvent } from '../base.ts'
import { sqlChannel, type StatementEvent } from '../db.ts'
import type { HttpRequest } from '../http.ts'
import { jobChannel, type JobEvent } from '../jobs.ts'
import { sessionChannel, type SessionEvent } from '../session.ts'
import { viewChannel, type ViewEvent } from '../view.ts'
import { formatTarget } from './access-log.ts'

type Api = typeof OpenTelemetry

/** Describes the span for one kind of work. */
interface SpanDescription<E> {
  readonly name: (event: E) => string
  readonly options: (event: E) => SpanOptions
  /** Returns the context of the parent span; by default the active context. */
  readonly parent?: (event: E) => Context
  readonly began?: (event: E, span: Span) => void
  readonly ended?: (event: E, span: Span) => void
  /** Returns the fault that the span records; by default the thrown value. */
  readonly fault?: (event: E) => unknown
}

/** Creates spans until the returned function is called. @throws FwError `telemetry.package-missing` */
export async function startTracing(version: string): Promise<() => void> {
  const api = await loadApi()
  const tracer = api.trace.getTracer('fwjs', version)
  const stops = [
    createSpans(api, tracer, requestChannel, requestSpans(api)),
    createSpans(api, tracer, actionChannel, actionSpans),
    createSpans(api, tracer, viewChannel, viewSpans),
    createSpans(api, tracer, sqlChannel, statementSpans(api)),
    createSpans(api, tracer, sessionChannel, sessionSpans),
    createSpans(api, tracer, jobChannel, jobSpans(api)),
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

/** Creates a span for each event of the channel. The span is the active one while the work runs. */
function createSpans<E extends WorkEvent>(
  { context, trace, SpanStatusCode }: Api,
  tracer: Tracer,
  channel: WorkChannel<E>,
  { name, options, parent, began, ended, fault }: SpanDescription<E>,
): () => void {
  const spans = new WeakMap<E, Span>()
  const begin = (event: E): Context => {
    const outer = parent?.(event) ?? context.active()
    const span = tracer.startSpan(name(event), options(event), outer)
    spans.set(event, span)
    began?.(event, span)
    return trace.setSpan(outer, span)
  }
  const end = (event: E): void => {
    const span = spans.get(event)
    if (span === undefined) return
    ended?.(event, span)
    const thrown = fault === undefined ? event.error : fault(event)
    if (thrown !== undefined) {
      const { message, name } = toError(thrown)
      const { code } = thrown as { readonly code?: unknown }
      span.recordException(toError(thrown))
      span.setAttribute('error.type', typeof code === 'string' ? code : name)
      span.setStatus({ code: SpanStatusCode.ERROR, message })
    }
    span.end()
  }
  const removeInterceptor = channel.intercept((event, work) => context.with(begin(event), work))
  const unsubscribe = channel.subscribe({ end })
  return () => {
    removeInterceptor()
    unsubscribe()
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
      attributes: {
        'http.request.method': method,
        'url.scheme': ctx.request.http.scheme,
        'server.address': ctx.request.http.host,
        'client.address': ctx.request.remoteAddress,
        'user_agent.original': ctx.request.header('user-agent'),
        'network.protocol.version': ctx.request.http.httpVersion,
      },
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
      span.setAttributes({
        'http.route': route,
        'http.response.status_code': status,
        'http.response.body.size': bytes,
        'url.path': path,
        'url.query': query,
        'fw.request_id': requestId,
      })
      if (status >= 500) span.setAttribute('error.type', String(status))
      if (status >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR })
    },
  }
}

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

/** The span of a job is in the trace of the request that enqueued it. */
function jobSpans({ context, propagation, SpanKind }: Api): SpanDescription<JobEvent> {
  return {
    name: ({ row }) => `job ${row.name}`,
    options: ({ row }) => ({
      kind: SpanKind.CONSUMER,
      attributes: {
        'messaging.system': 'fw_jobs',
        'messaging.operation.type': 'process',
        'messaging.destination.name': row.queue,
        'messaging.message.id': row.id,
        'fw.job.name': row.name,
        'fw.job.attempt': row.attempt,
      },
    }),
    parent: ({ row: { traceparent } }) =>
      traceparent === null
        ? context.active()
        : propagation.extract(context.active(), { traceparent }),
    ended: ({ outcome }, span) => void span.setAttribute('fw.job.outcome', outcome),
  }
}

const sessionSpans: SpanDescription<SessionEvent> = {
  name: ({ operation }) => `session ${operation}`,
  options: ({ store }) => ({ attributes: { 'fw.session.store': store } }),
}
