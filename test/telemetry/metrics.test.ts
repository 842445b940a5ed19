/** The metrics of an application, read over HTTP and parsed by an independent parser. */
import { readFileSync } from 'node:fs'
import parse from 'parse-prometheus-text-format'
import { describe, expect, onTestFinished, test } from 'vitest'
import { HttpError } from '../../src/runtime/base.ts'
import { Configuration, FwEnv } from '../../src/runtime/config.ts'
import { FwController, mix, routes } from '../../src/runtime/controller.ts'
import { currentDatabase, useDatabase } from '../../src/runtime/db.ts'
import { openInMemory } from '../../src/runtime/db/engines.fixture.ts'
import { FwSessionFilter } from '../../src/runtime/feature.ts'
import { HttpServer } from '../../src/runtime/server.ts'
import { createApp, FwLifeCycle, type ServletContext } from '../../src/runtime/app.ts'
import { generateViews } from '../../src/templates/compile.ts'
import { recordingLogger, temporaryFolder, type LogLine } from '../support/serve.ts'
import '../../src/view.ts'

let release: () => void = () => {}

class Pages extends mix(FwController, FwSessionFilter) {
  show() {
    return 'member'
  }
  page() {
    return this.render('/page')
  }
  full() {
    throw new HttpError(503, 'db.pool-exhausted', 'No connection was free.')
  }
  async waits() {
    await new Promise<void>((resolve) => (release = resolve))
    return 'waited'
  }
  /** Fails with the request's abort, like a query that the leaving client cancels. */
  async leaves() {
    const { signal } = this.request.http
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve())
      release()
    })
    throw signal.reason
  }
  async reads() {
    const sql = 'select 1 as one'
    return (await currentDatabase().query({ sql, parameters: [] })).rows
  }
  keep() {
    this.session.set('name', 'Ann')
    return 'kept'
  }
}
const pages = routes(Pages, (r) => ({
  show: r.get('/members/:id', 'show'),
  page: r.get('/page', 'page'),
  full: r.get('/full', 'full'),
  waits: r.get('/waits', 'waits'),
  leaves: r.get('/leaves', 'leaves'),
  reads: r.get('/reads', 'reads'),
  keep: r.get('/keep', 'keep'),
}))

class Boot extends FwLifeCycle {
  override initFwApp(ctx: ServletContext): void {
    pages.mount(ctx, '/app')
  }
}

type Metrics = Readonly<Record<string, unknown>>

/** Serves with metrics on a free port of their own, unless the settings say otherwise. */
async function start(metrics: Metrics = { port: 0 }) {
  const lines: LogLine[] = []
  const root = temporaryFolder({
    'package.json': '{ "name": "shop", "version": "1.4.0", "type": "module" }',
    'src/main/webapp/WEB-INF/views/page.html.ssp': '<h1>A page</h1>\n',
  })
  generateViews({ root })
  const database = await openInMemory()
  useDatabase(database)
  const app = await createApp(Boot, {
    root,
    logger: recordingLogger(lines),
    database,
    configuration: Configuration.from(
      { metrics: { enabled: true, ...metrics } },
      new FwEnv('test'),
    ),
  })
  onTestFinished(async () => {
    await app.close(0)
    useDatabase(undefined)
    await database.close()
  })
  const { url } = await app.listen(0)
  const own = lines.find(({ message }) => message.startsWith('metrics at'))?.fields['url']
  const scrape = async (target = String(own), headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(target, { headers })
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      body: await response.text(),
    }
  }
  const families = async () =>
    new Map(parse((await scrape()).body).map((family) => [family.name, family]))
  /** The value of each series of a histogram by its other labels; the parser merges the series. */
  const counts = async (name: string): Promise<Readonly<Record<string, string>>> =>
    Object.fromEntries(
      [...(await scrape()).body.matchAll(new RegExp(`^${name}_count(\\S*) (\\S+)$`, 'gm'))].map(
        ([, labels, value]) => [labels ?? '', value ?? ''],
      ),
    )
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(url + path, { headers })
  return { app, url, own: String(own), scrape, families, counts, get }
}

describe('the text for Prometheus', () => {
  test('is parsed by another parser, with a help text for each metric', async () => {
    const app = await start()
    await (await app.get('/app/members/5')).text()
    const { status, type, body } = await app.scrape()
    expect({ status, type }).toEqual({
      status: 200,
      type: 'text/plain; version=0.0.4; charset=utf-8',
    })
    const parsed = parse(body)
    const declared = [...body.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name]) => name)
    expect(parsed.map(({ name }) => name)).toEqual(declared)
    expect(new Set(declared).size).toBe(declared.length)
    for (const { name, help } of parsed) expect(`${name}: ${help}`).toMatch(/: \S+/)
  })

  test('has a histogram of requests by method, route and status', async () => {
    const app = await start()
    for (const path of ['/app/members/5', '/app/members/6', '/nowhere'])
      await (await app.get(path)).text()
    const name = 'http_server_request_duration_seconds'
    expect(await app.counts(name)).toEqual({
      '{http_request_method="GET",http_route="/app/members/:id",http_response_status_code="200"}':
        '2',
      '{http_request_method="GET",http_route="",http_response_status_code="404"}': '1',
    })
    const { type } = (await app.families()).get(name)!
    expect(type).toBe('HISTOGRAM')
    const { body } = await app.scrape()
    const buckets = [...body.matchAll(new RegExp(`^${name}_bucket.*"200",le="(.*)"} (.*)$`, 'gm'))]
    expect(buckets.map(([, le]) => le).at(-1)).toBe('+Inf')
    const values = buckets.map(([, , value]) => Number(value))
    expect(values).toEqual(values.toSorted((one, other) => one - other))
    expect(values.at(-1)).toBe(2)
  })

  test('counts a request whose client has left as 499', async () => {
    const app = await start()
    const leaving = new AbortController()
    const isWaiting = new Promise<void>((resolve) => (release = resolve))
    const gone = fetch(`${app.url}/app/leaves`, { signal: leaving.signal }).catch(() => 'gone')
    await isWaiting
    leaving.abort()
    await gone
    const labels =
      '{http_request_method="GET",http_route="/app/leaves",http_response_status_code="499"}'
    await expect
      .poll(() => app.counts('http_server_request_duration_seconds'))
      .toEqual({ [labels]: '1' })
  })

  test('has the requests in flight', async () => {
    const app = await start()
    const active = async () =>
      Number((await app.families()).get('http_server_active_requests')!.metrics[0]!.value)
    // Other files of this process may have left streams that nobody reads.
    const others = await active()
    const waiting = app.get('/app/waits')
    await expect.poll(active).toBe(others + 1)
    release()
    await (await waiting).text()
    expect(await active()).toBe(others)
  })

  test('has statements, sessions, views and refusals', async () => {
    const app = await start()
    for (const path of ['/app/reads', '/app/page', '/app/full']) await (await app.get(path)).text()
    const kept = await app.get('/app/keep')
    const cookie = kept.headers.getSetCookie()[0]!.split(';', 1)[0]!
    await (await app.get('/app/members/5', { cookie })).text()
    expect(await app.counts('db_client_operation_duration_seconds')).toEqual({
      '{db_operation_name="SELECT",outcome="ok"}': '1',
    })
    expect(await app.counts('fw_view_render_duration_seconds')).toEqual({
      '{view="/page",format="html",outcome="ok"}': '1',
    })
    expect(await app.counts('fw_session_store_duration_seconds')).toEqual({
      '{store="MemoryStore",operation="write",outcome="ok"}': '1',
      '{store="MemoryStore",operation="read",outcome="ok"}': '1',
    })
    expect((await app.families()).get('fw_sheds_total')!.metrics).toEqual([
      { labels: { code: 'db.pool-exhausted' }, value: '1' },
    ])
  })

  test('has the connections of each pool, and how long callers waited', async () => {
    const app = await start()
    const database = currentDatabase()
    const lease = await database.pool.reserve()
    const waiting = database.pool.reserve()
    const gauge = async (name: string) =>
      (await app.families()).get(`db_client_connection_${name}`)!.metrics
    const labels = { db_client_connection_pool_name: 'default' }
    expect(await gauge('open')).toEqual([{ labels, value: '1' }])
    expect(await gauge('busy')).toEqual([{ labels, value: '1' }])
    expect(await gauge('max')).toEqual([{ labels, value: '1' }])
    expect(await gauge('pending_requests')).toEqual([{ labels, value: '1' }])
    database.pool.release(lease)
    database.pool.release(await waiting)
    expect(await gauge('busy')).toEqual([{ labels, value: '0' }])
    expect(await app.counts('db_client_connection_wait_time_seconds')).toEqual({
      '{outcome="ok"}': '1',
    })
  })

  test('has the event loop, collections, memory and versions', async () => {
    const families = await (await start()).families()
    for (const name of [
      'nodejs_eventloop_delay_seconds',
      'nodejs_eventloop_utilization',
      'nodejs_eventloop_time_seconds_total',
      'v8js_gc_duration_seconds',
      'process_resident_memory_bytes',
      'process_cpu_seconds_total',
    ])
      expect([...families.keys()]).toContain(name)
    expect(families.get('fw_build_info')!.metrics).toEqual([
      {
        labels: {
          fwjs: expect.stringMatching(/^\d+\.\d+\.\d+/),
          application: 'shop',
          version: '1.4.0',
          node: process.versions.node,
        },
        value: '1',
      },
    ])
  })
})

describe('the names of metrics', () => {
  const emitted = async () => {
    const { body } = await (await start()).scrape()
    return new Map(
      [...body.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]),
    )
  }

  test('the dashboard of Grafana uses metrics and labels that exist', async () => {
    const types = await emitted()
    const file = 'templates/deploy/grafana.json'
    const { panels } = JSON.parse(readFileSync(file, 'utf8')) as {
      readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[]
    }
    const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
    const series = [...types].flatMap(([name, type]) =>
      type === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => name + suffix) : [name],
    )
    const used = expressions.flatMap((expr) =>
      [...expr.matchAll(/\b([a-z][a-z\d_]*)\{/g)].map(([, name]) => name!),
    )
    expect(used.length).toBeGreaterThanOrEqual(expressions.length)
    expect(used.filter((name) => !series.includes(name))).toEqual([])
  })

  test('docs/observability.md lists every metric', async () => {
    const page = readFileSync('docs/observability.md', 'utf8')
    const listed = (name: string): boolean =>
      page.includes(`\`${name}\``) ||
      (name.startsWith('db_client_connection_') &&
        page.includes(`\`${name.slice('db_client_connection'.length)}\``))
    expect([...(await emitted()).keys()].filter((name) => !listed(name!))).toEqual([])
  })
})

describe('metrics are private', () => {
  const token = 'a-token-of-the-scraper'

  test('the port of the application does not serve them', async () => {
    const app = await start()
    expect((await app.get('/metrics')).status).toBe(404)
    expect((await app.scrape(app.own.replace('/metrics', '/other'))).status).toBe(404)
  })

  test('with a token, the port of the application serves them to who sends it, whatever the Host', async () => {
    const app = await start({ token })
    expect(app.own).toBe('undefined')
    const url = `${app.url}/metrics`
    expect((await app.scrape(url)).status).toBe(401)
    expect((await app.scrape(url, { authorization: 'Bearer wrong' })).status).toBe(401)
    const { status, body } = await app.scrape(url, { authorization: `Bearer ${token}` })
    expect(status).toBe(200)
    expect(parse(body).length).toBeGreaterThan(10)
  })

  test('a port and a token need both', async () => {
    const app = await start({ port: 0, token })
    expect((await app.scrape()).status).toBe(401)
    expect((await app.scrape(app.own, { authorization: `Bearer ${token}` })).status).toBe(200)
    expect((await app.get('/metrics', { authorization: `Bearer ${token}` })).status).toBe(404)
  })

  test('a port that is in use is a failed start', async () => {
    const taken = new HttpServer(() => new Promise(() => {}))
    const { port } = await taken.listen(0)
    onTestFinished(() => taken.close(0))
    await expect(start({ port })).rejects.toMatchObject({ code: 'server.listen-failed' })
  })

  test('without the setting there are none', async () => {
    const app = await start({ enabled: false })
    expect(app.app.application.metrics).toBeUndefined()
    expect((await app.get('/metrics')).status).toBe(404)
  })
})
