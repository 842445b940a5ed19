/** Varnish and nginx as shared caches: no visitor gets the response of another one, whatever an action says. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { HttpError } from '../../src/runtime/base.ts'
import { FwApiController, FwController, mix, routes } from '../../src/runtime/controller.ts'
import { authenticateBearer } from '../../src/runtime/feature.ts'
import { accepts, freePort } from '../support/ports.ts'
import { serve, temporaryFolder } from '../support/serve.ts'

interface Cache {
  /** The name of the program, which must be in the path or in /usr/sbin. */
  readonly program: string
  readonly configuration: (port: number, target: number) => string
  readonly args: (file: string, folder: string, port: number) => readonly string[]
}

// Both store all that HTTP allows, also for requests with `Authorization` and `Cookie`.
const caches: readonly Cache[] = [
  {
    program: 'nginx',
    configuration: (port, target) => `
      daemon off; master_process off; pid nginx.pid; error_log stderr crit;
      events { worker_connections 64; }
      http {
        access_log off;
        client_body_temp_path temp; proxy_temp_path temp; fastcgi_temp_path temp;
        uwsgi_temp_path temp; scgi_temp_path temp;
        proxy_cache_path cache keys_zone=pages:1m;
        server {
          listen 127.0.0.1:${port};
          location / {
            proxy_pass http://127.0.0.1:${target};
            proxy_set_header Host localhost;
            proxy_cache pages;
            proxy_cache_valid any 10m;
            proxy_cache_revalidate on;
          }
        }
      }`,
    args: (file, folder) => ['-p', folder, '-c', file, '-e', 'stderr'],
  },
  {
    program: 'varnishd',
    configuration: (_port, target) => `
      vcl 4.1;
      backend default { .host = "127.0.0.1"; .port = "${target}"; .host_header = "localhost"; }
      sub vcl_recv {
        set req.http.Host = "localhost";
        return (hash);
      }`,
    args: (file, folder, port) =>
      [
        '-F',
        ['-j', 'none'],
        ['-n', join(folder, 'temp')],
        ['-f', file],
        ['-a', `127.0.0.1:${port}`],
        ['-p', 'default_ttl=600'],
        ['-p', 'default_grace=0'],
      ].flat(),
  },
]

const path = `${process.env['PATH']}:/usr/sbin`
const isInstalled = (program: string): boolean =>
  spawnSync(program, ['-V'], { env: { ...process.env, PATH: path } }).error === undefined

async function startCache(cache: Cache, target: number): Promise<string> {
  const folder = temporaryFolder()
  for (const name of ['temp', 'cache']) mkdirSync(join(folder, name))
  const port = await freePort()
  const file = join(folder, 'cache.conf')
  writeFileSync(file, cache.configuration(port, target))
  const env = { ...process.env, PATH: path }
  const child = spawn(cache.program, cache.args(file, folder, port), { stdio: 'ignore', env })
  onTestFinished(async () => {
    if (child.exitCode !== null) return
    const ended = once(child, 'exit')
    // Varnish ends its own child.
    child.kill('SIGTERM')
    await ended
  })
  await accepts(port, child)
  return `http://127.0.0.1:${port}`
}

const tokens = { ann: 'a'.repeat(32), bob: 'b'.repeat(32) }
const publicly = 'public, max-age=600'

/** Sets the caching that the query asks for. */
function setCaching(c: FwController | FwApiController): void {
  const value = c.params.get('caching')
  if (value !== undefined) c.response.headers.set('Cache-Control', value)
  if (c.params.get('proxied') === undefined) return
  c.response.headers.set('X-Accel-Expires', '600')
  c.response.headers.set('Expires', new Date(Date.now() + 600_000).toUTCString())
}

class Keys extends mix(FwApiController, authenticateBearer({ tokens: () => tokens })) {
  show() {
    setCaching(this)
    return this.bearer
  }
}

let runs = 0
const files = { folder: '' }

class Pages extends FwController {
  public() {
    this.response.headers.set('Cache-Control', publicly)
    return String(++runs)
  }
  login() {
    this.session.set('name', this.params.get('name'))
    return 'welcome'
  }
  visit() {
    setCaching(this)
    return String(this.session.get('name') ?? 'nobody')
  }
  credentials() {
    setCaching(this)
    return this.request.header('authorization') ?? 'nobody'
  }
  nonce() {
    setCaching(this)
    return this.ctx.cspNonce
  }
  theme() {
    setCaching(this)
    return this.cookies.get('theme') ?? 'light'
  }
  refused() {
    setCaching(this)
    this.response.headers.set('ETag', '"page"')
    const kind = this.request.header('x-kind')
    if (kind === 'refusal') throw new HttpError(403, 'action.cross-origin', 'refused')
    if (kind === 'halt') this.halt({ status: 404, body: 'halted' })
    if (kind === 'fault') throw new Error('broken')
    return 'page'
  }
  file() {
    const name = this.request.header('x-name') ?? 'ann'
    return this.response.sendFile(name, { root: files.folder })
  }
}
const keys = routes(Keys, (r) => ({ show: r.get('/key', 'show') }))
const pages = routes(Pages, (r) => ({
  public: r.get('/public', 'public'),
  login: r.get('/login', 'login'),
  visit: r.get('/session', 'visit'),
  credentials: r.get('/credentials', 'credentials'),
  nonce: r.get('/nonce', 'nonce'),
  theme: r.get('/theme', 'theme'),
  refused: r.get('/refused', 'refused'),
  file: r.get('/file', 'file'),
}))

const queries = ['', `?caching=${publicly}`, '?caching=max-age=600', '?proxied']

describe.each(caches)('$program', (cache) => {
  async function start() {
    const { app } = await serve([keys, pages])
    const { port } = await app.listen(0)
    const origin = await startCache(cache, port)
    return async (target: string, headers: Readonly<Record<string, string>> = {}) => {
      const response = await fetch(origin + target, { headers })
      const body = await response.text()
      return { status: response.status, body, headers: response.headers }
    }
  }

  const isReady = isInstalled(cache.program)
  if (!isReady) console.warn(`${cache.program} is not installed: its test is skipped.`)

  test.skipIf(!isReady)(
    'stores public pages, and gives no visitor the page, the file or the refusal of another one',
    async () => {
      const get = await start()
      await checkPages(get)
      await checkRefusals(get)
      await checkFiles(get)
    },
  )
})

type Get = (
  target: string,
  headers?: Readonly<Record<string, string>>,
) => Promise<{ readonly status: number; readonly body: string; readonly headers: Headers }>

async function checkPages(get: Get): Promise<void> {
  const read = async (target: string, headers?: Readonly<Record<string, string>>) =>
    (await get(target, headers)).body
  expect(await read('/public')).toBe(await read('/public'))
  const cookies: Record<string, string> = {}
  for (const name of ['ann', 'bob']) {
    const { headers } = await get(`/login?name=${name}`)
    cookies[name] = headers.get('set-cookie')!.split(';')[0]!
  }
  for (const query of queries) {
    for (const name of ['ann', 'bob'] as const) {
      const authorization = `Bearer ${tokens[name]}`
      expect(await read(`/key${query}`, { authorization })).toBe(name)
      expect(await read(`/session${query}`, { cookie: cookies[name]! })).toBe(name)
      expect(await read(`/credentials${query}`, { authorization })).toBe(authorization)
      expect(await read(`/theme${query}`, { cookie: `theme=${name}` })).toBe(name)
    }
    expect((await get(`/key${query}`)).status).toBe(401)
    expect(await read(`/session${query}`)).toBe('nobody')
    expect(await read(`/credentials${query}`)).toBe('nobody')
    expect(await read(`/theme${query}`)).toBe('light')
    expect(await read(`/nonce${query}`)).not.toBe(await read(`/nonce${query}`))
  }
}

/** A cache must not store a refusal or fault under the headers of the page that it replaced. */
async function checkRefusals(get: Get): Promise<void> {
  for (const [kind, status] of [
    ['refusal', 403],
    ['halt', 404],
    ['fault', 500],
  ] as const)
    for (const query of queries) {
      const target = `/refused${query}${query === '' ? '?' : '&'}kind=${kind}`
      expect((await get(target, { 'x-kind': kind })).status).toBe(status)
      expect(await get(target)).toMatchObject({ status: 200, body: 'page' })
    }
}

/** The files of two visitors have equal size and time. */
async function checkFiles(get: Get): Promise<void> {
  files.folder = temporaryFolder({ ann: 'of ann', bob: 'of bob' })
  const time = new Date('2026-01-02T03:04:05Z')
  for (const name of ['ann', 'bob']) utimesSync(join(files.folder, name), time, time)
  for (const [name, other] of [
    ['ann', 'bob'],
    ['bob', 'ann'],
  ] as const) {
    const { headers, body } = await get('/file', { 'x-name': name })
    expect(body).toBe(`of ${name}`)
    const sent = { 'x-name': other, 'if-none-match': headers.get('etag')! }
    expect((await get('/file', sent)).body).toBe(`of ${other}`)
  }
}
