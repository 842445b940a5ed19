/** Spans of OpenTelemetry, from an application in a process of its own under `node --import`. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { generateViews } from '../../src/templates/compile.ts'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'

interface SpanRecord {
  readonly name: string
  readonly kind: number
  readonly status: { readonly code: number }
  readonly attributes: Readonly<Record<string, unknown>>
  readonly events: readonly { readonly name: string; readonly attributes: object }[]
  readonly id: string
  readonly traceId: string
  readonly parent?: string
}

const [internal, server, client] = [0, 1, 2]
const error = 2
let spans: readonly SpanRecord[]
const named = (name: string): SpanRecord => spans.find((span) => span.name === name)!
const childrenOf = ({ id }: SpanRecord): string[] =>
  spans.filter(({ parent }) => parent === id).map(({ name }) => name)

beforeAll(async () => {
  const root = mkdtempSync(join(tmpdir(), 'fw-traces-'))
  const views = join(root, 'src/main/webapp/WEB-INF/views')
  mkdirSync(views, { recursive: true })
  writeFileSync(join(root, 'package.json'), '{ "name": "shop", "type": "module" }')
  writeFileSync(join(views, 'page.html.ssp'), '<h1>A page</h1>\n')
  generateViews({ root })
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      '--conditions=fwjs-source',
      '--liftoff-only',
      '--import',
      join(import.meta.dirname, 'tracer.ts'),
      join(import.meta.dirname, 'traced-application.ts'),
      root,
    ],
    { env: { ...process.env, FW_ENV: 'test', DATABASE_URL: undefined }, maxBuffer: 16 * 1024 ** 2 },
  )
  rmSync(root, { recursive: true, force: true })
  spans = JSON.parse(stdout.slice(stdout.indexOf('[{'))) as SpanRecord[]
})

test('a request is a server span of the trace that the proxy sent, named by its route', () => {
  expect(named('GET /app/pages/:token')).toMatchObject({
    kind: server,
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    parent: '00f067aa0ba902b7',
    status: { code: 0 },
    attributes: {
      'http.request.method': 'GET',
      'http.route': '/app/pages/:token',
      'http.response.status_code': 200,
      'url.path': '/app/pages/[redacted]',
      'url.query': 'q=4',
      'url.scheme': 'http',
      'client.address': '127.0.0.1',
      'fw.request_id': expect.any(String),
    },
  })
})

test('action, view, statement and session are spans inside it, like those of the application', () => {
  const request = named('GET /app/pages/:token')
  expect(childrenOf(request)).toEqual(['Pages.page', 'session write'])
  const action = named('Pages.page')
  expect(action.kind).toBe(internal)
  expect(childrenOf(action)).toEqual(['SELECT', 'own work', 'render /page'])
  expect(named('SELECT')).toMatchObject({
    kind: client,
    attributes: {
      'db.system.name': 'postgresql',
      'db.operation.name': 'SELECT',
      'db.query.text': 'select $1::int as one',
    },
  })
  expect(named('session write').attributes).toEqual({ 'fw.session.store': 'MemoryStore' })
})

test('a fault is recorded in the spans of action and request', () => {
  for (const name of ['GET /app/broken', 'Pages.broken']) {
    const { status, events } = named(name)
    expect(status).toMatchObject({ code: error })
    expect(events).toMatchObject([
      { name: 'exception', attributes: { 'exception.message': 'it burns' } },
    ])
  }
  expect(named('GET /app/broken').attributes).toMatchObject({ 'http.response.status_code': 500 })
})

test('a refusal is no fault', () => {
  expect(named('GET /app/refused')).toMatchObject({
    status: { code: 0 },
    events: [],
    attributes: { 'http.response.status_code': 422 },
  })
  expect(named('Pages.refused')).toMatchObject({ status: { code: 0 }, events: [] })
})

test('a request without a route has the name of its method', () => {
  const span = named('GET')
  expect(span.attributes).toMatchObject({ 'http.response.status_code': 404, 'url.path': '/none' })
  expect(span.attributes).not.toHaveProperty('http.route')
})

test('a job is a consumer span in the trace of the request that enqueued it', () => {
  expect(named('job note')).toMatchObject({
    kind: 4,
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    parent: named('GET /app/enqueue').id,
    attributes: { 'fw.job.name': 'note', 'fw.job.outcome': 'done', 'fw.job.attempt': 1 },
  })
  expect(childrenOf(named('job note'))).toContain('in the job')
})
