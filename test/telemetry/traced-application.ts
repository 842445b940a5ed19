/** Runs in a child process after `tracer.ts`: an application whose spans are printed as JSON. */
import { trace } from '@opentelemetry/api'
import { FwController, FwLifeCycle, FwSessionFilter, mix, routes } from '../../src/index.ts'
import { createApp, type ServletContext } from '../../src/runtime/app.ts'
import { HttpError } from '../../src/runtime/base.ts'
import { Configuration, FwEnv } from '../../src/runtime/config.ts'
import { currentDatabase, openDatabase, useDatabase } from '../../src/runtime/db.ts'
import { job, jobMigration, runJobs } from '../../src/runtime/jobs.ts'
import { exporter } from './tracer.ts'

const Note = job(
  'note',
  {},
  () => void trace.getTracer('application').startSpan('in the job').end(),
)

class Pages extends mix(FwController, FwSessionFilter) {
  async page() {
    this.session.set('name', 'Ann')
    await currentDatabase().query({ sql: 'select $1::int as one', parameters: [1] })
    trace.getTracer('application').startSpan('own work').end()
    return this.render('/page')
  }
  broken() {
    throw new TypeError('it burns')
  }
  async enqueue() {
    await Note.enqueue()
    return 'enqueued'
  }
  refused() {
    throw new HttpError(422, 'params.invalid', 'No.')
  }
}
const pages = routes(Pages, (r) => ({
  page: r.get('/pages/:token', 'page'),
  broken: r.get('/broken', 'broken'),
  refused: r.get('/refused', 'refused'),
  enqueue: r.get('/enqueue', 'enqueue'),
}))
class Boot extends FwLifeCycle {
  override initFwApp(ctx: ServletContext): void {
    pages.mount(ctx, '/app')
  }
}

const database = await openDatabase({ kind: 'pglite', folder: 'memory' })
useDatabase(database)
for (const sql of jobMigration.up) await database.query({ sql, parameters: [] })
const app = await createApp(Boot, {
  root: process.argv[2]!,
  database,
  configuration: Configuration.from(
    { tracing: { enabled: true }, server: { trustedProxies: '127.0.0.1' } },
    new FwEnv('test'),
  ),
})
const { url } = await app.listen(0)
const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
exporter.reset()
for (const path of ['/app/pages/hush?q=4', '/app/broken', '/app/refused', '/none', '/app/enqueue'])
  await (await fetch(url + path, { headers: { traceparent } })).text()
await runJobs()
await app.close(0)
await database.close()
const spans = exporter.getFinishedSpans().map((span) => ({
  name: span.name,
  kind: span.kind,
  status: span.status,
  attributes: span.attributes,
  events: span.events.map(({ name, attributes }) => ({ name, attributes })),
  id: span.spanContext().spanId,
  traceId: span.spanContext().traceId,
  parent: span.parentSpanContext?.spanId,
}))
process.stdout.write(JSON.stringify(spans))
