/**
 * Sends malformed requests through nginx and haproxy. The application reads exactly the requests that the proxy sent,
 * and no response reaches another client.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { accepts, freePort } from '../support/ports.ts'
import { prepareChecks } from '../support/fault-checks.ts'
import { hasProxy, type ProxyName } from '../support/rolling-restart.ts'
import { serve, temporaryFolder } from '../support/serve.ts'

const configurations: Readonly<Record<ProxyName, (port: number, target: number) => string>> = {
  nginx: (port, target) => `
    daemon off; pid nginx.pid; worker_processes 1; error_log stderr crit;
    events { worker_connections 128; }
    http {
      access_log off; client_body_temp_path temp; proxy_temp_path temp;
      upstream node { server 127.0.0.1:${target}; keepalive 4; }
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass http://node;
          proxy_http_version 1.1;
          proxy_request_buffering off;
          proxy_set_header Connection "";
          proxy_set_header Host localhost;
        }
      }
    }\n`,
  haproxy: (port, target) => `
defaults
  mode http
  timeout connect 5s
  timeout client 10s
  timeout server 10s
  http-reuse always
listen clients
  bind 127.0.0.1:${port}
  http-request set-header Host localhost
  server node 127.0.0.1:${target}\n`,
}

async function startProxy(name: ProxyName, target: number): Promise<number> {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'temp'))
  const port = await freePort()
  const file = join(folder, 'proxy.conf')
  writeFileSync(file, configurations[name](port, target))
  const args = name === 'nginx' ? ['-p', folder, '-c', file] : ['-db', '-f', file]
  const child = spawn(name, args, { stdio: 'ignore' })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  await accepts(port, child)
  return port
}

const post = (headers: readonly string[], body: string): string =>
  ['POST /attack/ID HTTP/1.1', 'Host: localhost', ...headers, '', body].join('\r\n')
const smuggled = 'GET /smuggled/ID HTTP/1.1\r\nHost: localhost\r\n\r\n'
const chunked = 'Transfer-Encoding: chunked'

/** Requests whose framing a proxy and an application may parse differently. Some contain a second, hidden request. */
const attacks: Readonly<Record<string, string>> = {
  'Content-Length and chunked': post(
    [`Content-Length: ${5 + smuggled.length}`, chunked],
    `0\r\n\r\n${smuggled}`,
  ),
  'Content-Length 0 and chunked': post(
    ['Content-Length: 0', chunked],
    `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`,
  ),
  'two codings': post([chunked, 'Transfer-Encoding: identity'], `0\r\n\r\n${smuggled}`),
  'a coding in odd case': post(['Transfer-Encoding: ChuNKed'], `0\r\n\r\n${smuggled}`),
  'an unknown coding': post(['Transfer-Encoding: gzip, chunked'], `0\r\n\r\n${smuggled}`),
  'a coding with a tab': post(['Transfer-Encoding:\tchunked'], `0\r\n\r\n${smuggled}`),
  'a vertical tab in the coding': post(
    ['Transfer-Encoding: \u000bchunked'],
    `0\r\n\r\n${smuggled}`,
  ),
  'two lengths': post(
    ['Content-Length: 1', `Content-Length: ${1 + smuggled.length}`],
    `x${smuggled}`,
  ),
  'a length with a sign': post(['Content-Length: +1'], `x${smuggled}`),
  'a length in hexadecimal': post(['Content-Length: 0x1'], `x${smuggled}`),
  'a space before the colon': post(['Content-Length : 1'], `x${smuggled}`),
  'a line feed in a chunk extension': post([chunked], `1;\nx\r\n0\r\n\r\n${smuggled}`),
  'line feeds alone': post([chunked], `1\nx\n0\n\n${smuggled}`),
  'a wrong chunk end': post([chunked], `1\r\nxXX0\r\n\r\n${smuggled}`),
  'a huge chunk': post([chunked], `FFFFFFFFFFFFFFFF1\r\nx\r\n0\r\n\r\n${smuggled}`),
  'a folded header': post(['X: a', ` ${chunked}`], smuggled),
  'a carriage return in a header': post([`X: a\r${chunked}`], smuggled),
  'a length and HTTP/1.0 chunked': post([chunked], `0\r\n\r\n${smuggled}`).replace('1.1', '1.0'),
}

/** Sends bytes and resolves to all that arrives, until the connection ends or is silent for `silence` milliseconds. */
function exchange(port: number, text: string, silence = 0): Promise<string> {
  return new Promise((resolve) => {
    let received = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk))
    socket.setTimeout(silence, () => socket.destroy())
    socket.on('error', () => {})
    socket.on('close', () => resolve(received))
  })
}

const canary = (n: number): string =>
  `GET /canary/${n} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`

/** Starts an application that records the ids of the requests that reach it. */
async function startRecorder() {
  const seen: string[] = []
  class Recorder extends FwController {}
  const recorder = routes(Recorder, (r) => ({
    attack: r.post('/attack/:id', async (c) => {
      await c.request.body()
      seen.push(c.params.get('id')!)
      return 'attacked'
    }),
    smuggled: r.get('/smuggled/:id', (c) => {
      seen.push(c.params.get('id')!)
      return 'smuggled'
    }),
    canary: r.get('/canary/:n', (c) => `canary ${c.params.get('n')}`),
  }))
  const { app } = await serve([recorder], {
    configuration: { server: { keepAliveTimeout: '500ms' } },
  })
  const { port } = await app.listen(0)
  return { port, seen }
}

for (const name of ['nginx', 'haproxy'] as const)
  test.skipIf(!hasProxy(name))(
    `behind ${name} no request poisons a connection to the application`,
    async () => {
      const { port, seen } = await startRecorder()
      const page = async () => Number((await exchange(port, canary(0))).slice(9, 12))
      const check = await prepareChecks({ page, uploads: temporaryFolder() })
      const proxied = await startProxy(name, port)
      const answers = await Promise.all(
        Object.values(attacks).map((attack, id) =>
          exchange(proxied, attack.replaceAll('ID', String(id + 10)), 3000),
        ),
      )
      for (let n = 1; n <= 20; n++) {
        const received = await exchange(proxied, canary(n))
        expect(received).toMatch(/^HTTP\/1\.1 200/)
        expect(received).toMatch(new RegExp(`canary ${n}$`))
      }
      // Each client must get a response to every request with its id that has reached the application.
      const hidden = Object.keys(attacks).filter((_title, id) => {
        const responses = [...answers[id]!.matchAll(/HTTP\/1\.[01] \d{3} /g)].length
        return seen.filter((one) => one === String(id + 10)).length > responses
      })
      expect(hidden).toEqual([])
      await check()
    },
  )
