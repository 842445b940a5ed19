/** The configurations of proxies in docs/production.md, each in front of an application. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { createServer, type ProxyOptions } from 'vite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { accepts, freePort } from '../support/ports.ts'
import { serve, temporaryFolder } from '../support/serve.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/production.md'), 'utf8')
const apacheModules = '/usr/lib/apache2/modules'
// Another address than the proxy's, so that the proxy is trusted and the visitor is not. macOS has only 127.0.0.1.
const visitorAddress = '127.0.0.2'
const isLinux = process.platform === 'linux'

interface Proxy {
  readonly language: string
  readonly program: string
  /** Adds what the snippet leaves out: folders of the test, and no daemon. */
  readonly complete: (snippet: string, folder: string) => string
  readonly args: (file: string, folder: string, port: number) => readonly string[]
}

const proxies: readonly Proxy[] = [
  {
    language: 'nginx',
    program: '/usr/sbin/nginx',
    complete: (snippet, folder) =>
      `daemon off; pid nginx.pid; worker_processes 1; error_log stderr crit;
       events { worker_connections 64; }
       http {
         access_log off;
         ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}
         ${snippet}
       }`,
    args: (file, folder) => ['-p', folder, '-c', file, '-e', 'stderr'],
  },
  {
    language: 'apache',
    program: '/usr/sbin/apache2',
    complete: (snippet, folder) =>
      [
        ...['mpm_event', 'authz_core', 'proxy', 'proxy_http', 'headers'].map(
          (name) => `LoadModule ${name}_module ${apacheModules}/mod_${name}.so`,
        ),
        `ServerRoot ${folder}`,
        `PidFile ${folder}/apache.pid`,
        `DefaultRuntimeDir ${folder}`,
        `ErrorLog ${folder}/error.log`,
        'ServerName localhost',
        `Listen ${/:(\d+)>/.exec(snippet)![1]!}`,
        snippet,
      ].join('\n'),
    args: (file) => ['-f', file, '-D', 'FOREGROUND'],
  },
  {
    language: 'haproxy',
    program: '/usr/sbin/haproxy',
    complete: (snippet) =>
      `defaults\n  mode http\n  timeout connect 5s\n  timeout client 30s\n  timeout server 30s\n${snippet}`,
    args: (file) => ['-db', '-f', file],
  },
  {
    language: 'caddy',
    program: '/usr/bin/caddy',
    complete: (snippet) => `{\n  admin off\n  auto_https off\n}\n${snippet}`,
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
  {
    language: 'lighttpd',
    program: '/usr/sbin/lighttpd',
    complete: (snippet, folder) => `server.document-root = "${folder}"\n${snippet}`,
    args: (file) => ['-D', '-f', file],
  },
  {
    language: 'vcl',
    program: '/usr/sbin/varnishd',
    complete: (snippet) => snippet,
    args: (file, folder, port) => ['-F', '-j', 'none', '-n', folder, '-f', file, '-a', `:${port}`],
  },
  {
    language: 'squid',
    program: '/usr/sbin/squid',
    // Started as root, it continues as another user, who cannot read the folder of the test.
    complete: (snippet) =>
      [
        snippet,
        'pid_filename none',
        'cache_log /dev/null',
        'access_log none',
        'shutdown_lifetime 0 seconds',
      ].join('\n'),
    args: (file, _folder, port) => ['-N', '-n', `fw${port}`, '-f', file],
  },
]

/** The snippet of the page in this language, with the ports of the test. */
function readSnippet(language: string, port: number, target: number): string {
  const found = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'm').exec(page)
  return found![1]!.replaceAll('8000', String(port)).replaceAll('8080', String(target))
}

async function startProxy(proxy: Proxy, target: number): Promise<number> {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'state'))
  const port = await freePort()
  const file = join(folder, 'proxy.conf')
  writeFileSync(file, proxy.complete(readSnippet(proxy.language, port, target), folder))
  const args = proxy.args(file, join(folder, 'state'), port)
  const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  const child = spawn(proxy.program, args, { stdio: 'ignore', env })
  onTestFinished(() => stop(child))
  await accepts(port, child)
  return port
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  // Not SIGKILL: these processes end their workers themselves.
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000)
  await ended
  clearTimeout(timer)
}

/** A stream whose second part waits for `release`. */
class Parts {
  #released = Promise.withResolvers<void>()

  release(): void {
    this.#released.resolve()
  }

  async *read(): AsyncGenerator<string> {
    this.#released = Promise.withResolvers()
    yield 'first'
    await this.#released.promise
    yield 'second'
  }
}
const parts = new Parts()

class Pages extends FwController {}
const pages = routes(Pages, (r) => ({
  client: r.get('/client', ({ request }) =>
    [request.remoteAddress, request.http.scheme, request.host].join(' '),
  ),
  path: r.get('/path/*', ({ request }) => request.http.target),
  key: r.get('/key', ({ request }) => request.header('authorization') ?? 'none'),
  form: r.post('/form', () => 'saved'),
  stream: r.get('/stream', ({ response }) => response.stream(parts.read())),
  events: r.get('/events', ({ response }) => response.sse(parts.read())),
}))

/** Starts an application that trusts 127.0.0.1, and returns its port. */
async function startApplication(): Promise<number> {
  const hosts = ['shop.test', '127.0.0.1']
  const { app } = await serve([pages], {
    configuration: { server: { hosts, trustedProxies: ['127.0.0.1'] } },
  })
  return (await app.listen(0)).port
}

interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a request as a visitor of shop.test, and resolves with the response once its headers have arrived. */
async function open(port: number, path: string, { method = 'GET', headers = {} }: Sent = {}) {
  const sent = httpRequest({
    host: '127.0.0.1',
    localAddress: isLinux ? visitorAddress : undefined,
    port,
    path,
    method,
    agent: false,
    headers: { host: 'shop.test', ...headers },
  })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.setEncoding('utf8')
  return response
}

async function send(port: number, path: string, sent?: Sent): Promise<string> {
  const response = await open(port, path, sent)
  let body = ''
  for await (const chunk of response) body += String(chunk)
  return `${response.statusCode} ${body}`
}

/** Returns true if the first part arrives while the application holds the second one back, for at most 5 s. */
async function isStreamed(port: number, path: string): Promise<boolean> {
  const late = setTimeout(() => parts.release(), 5000)
  const response = await open(port, path)
  let body = ''
  let isEarly = false
  for await (const chunk of response) {
    body += String(chunk)
    if (!isEarly && body.includes('first') && !body.includes('second')) {
      isEarly = true
      parts.release()
    }
  }
  clearTimeout(late)
  expect(body).toMatch(/first[^]*second/)
  return isEarly
}

const forged = {
  'x-forwarded-for': '6.6.6.6',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'evil.test',
}
const form = { method: 'POST', headers: { origin: 'http://shop.test', 'content-length': '0' } }

for (const proxy of proxies)
  test.skipIf(!existsSync(proxy.program) || !isLinux)(
    `the configuration for ${proxy.program} passes host, path and streams on, and no header that a visitor forged`,
    async () => {
      const port = await startProxy(proxy, await startApplication())
      expect(await send(port, '/client', { headers: forged })).toBe(
        `200 ${visitorAddress} http shop.test`,
      )
      expect(await send(port, '/client')).toBe(`200 ${visitorAddress} http shop.test`)
      expect(await send(port, '/form', form)).toBe('200 saved')
      for (const path of ['/path/a%2Fb%3Bc', '/path/a%252Fb', '/path/%C3%BC?x=a%2Fb&y=%7C'])
        expect(await send(port, path)).toBe(`200 ${path}`)
      expect(await send(port, '/key', { headers: { authorization: 'Bearer key' } })).toBe(
        '200 Bearer key',
      )
      expect(await isStreamed(port, '/stream')).toBe(true)
      expect(await isStreamed(port, '/events')).toBe(true)
    },
  )

describe('the development server of Vite', () => {
  /** Starts Vite with these options of its proxy, and returns its port. */
  async function startVite(proxy: Readonly<Record<string, string | ProxyOptions>>) {
    const port = await freePort()
    const root = temporaryFolder({ 'index.html': '' })
    const options = { port, host: '127.0.0.1', allowedHosts: ['shop.test'], proxy }
    const server = await createServer({
      root,
      configFile: false,
      logLevel: 'silent',
      optimizeDeps: { noDiscovery: true },
      server: options,
    })
    onTestFinished(() => server.close())
    await server.listen()
    return port
  }

  test('passes Host on with the configuration, so that forms are accepted, and streams', async () => {
    const snippet = readSnippet('js', 0, await startApplication())
    const target = /http:\/\/[\d.:]+/.exec(snippet)![0]
    expect(snippet).toContain("'/': { target: '" + target + "', changeOrigin: false }")
    const port = await startVite({ '/': { target, changeOrigin: false } })
    expect(await send(port, '/client')).toBe('200 127.0.0.1 http shop.test')
    expect(await send(port, '/form', form)).toBe('200 saved')
    expect(await isStreamed(port, '/stream')).toBe(true)
  })

  test('replaces Host with the short form, so that forms are refused', async () => {
    const port = await startVite({ '/': `http://127.0.0.1:${await startApplication()}` })
    expect(await send(port, '/form', form)).toMatch(/^403 /)
  })
})
