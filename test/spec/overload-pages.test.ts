/** The pages of a server that is too busy: 503 under overload, 429 above a rate limit. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ErrorPageFilter, rateLimit } from '../../src/runtime/feature.ts'
import { HttpError } from '../../src/runtime/base.ts'
import { FwController, mix, routes } from '../../src/runtime/controller.ts'
import type { HttpRequest } from '../../src/runtime/http.ts'
import { serve } from '../support/serve.ts'

const webapp = 'src/main/webapp/WEB-INF'
const page = (key: string): string =>
  `<% const heading = s.i18n.get('${key}') %>\n<% set('title', heading) %>\n<h1>\${heading}</h1><p>\${s.requestPath}</p>`
const files = {
  [`${webapp}/layouts/default.ssp`]:
    '<%@val title: string = "" %><html lang="${s.i18n.locale}">${s.csrfMetaTags}<script>void 0</script><code>${s.requestId}</code><title>${title}</title><nav>Our site</nav>${body}</html>',
  [`${webapp}/views/error/503.html.ssp`]: page('busy'),
  [`${webapp}/views/error/429.html.ssp`]: page('tooMany'),
  [`${webapp}/views/error/500.html.ssp`]: page('failed'),
  'src/main/resources/messages.yml': 'busy: Busy\ntooMany: Too many\nfailed: Failed\n',
  'src/main/resources/messages_de.yml': 'busy: Überlastet\ntooMany: Zu viele\nfailed: Fehler\n',
}

/** Returns a request for a page. */
function request(host = 'localhost'): HttpRequest {
  const headers = new Map([['accept', 'text/html']])
  const body = { isEmpty: true } as HttpRequest['body']
  const { signal } = new AbortController()
  return {
    method: 'GET',
    target: '/',
    mountPath: '',
    httpVersion: '1.1',
    scheme: 'http',
    host,
    remoteAddress: '127.0.0.1',
    body,
    signal,
    aborted: false,
    header: (name) => headers.get(name),
    headers: () => headers,
  }
}

/** Starts a server that handles one request, and sends that one. Further requests are refused until the test ends. */
async function startBusy() {
  const end = Promise.withResolvers<string>()
  const begun = Promise.withResolvers<void>()
  class Pages extends FwController {
    wait() {
      begun.resolve()
      return end.promise
    }
  }
  const pages = routes(Pages, (r) => ({ wait: r.get('/wait', 'wait') }))
  const { app } = await serve([pages], {
    files,
    configuration: { server: { hosts: ['127.0.0.1'], maxRequests: 1 } },
  })
  const { url } = await app.listen(0)
  const first = fetch(`${url}/wait`)
  await begun.promise
  onTestFinished(async () => {
    end.resolve('served')
    expect(await (await first).text()).toBe('served')
  })
  const send = async (path: string, headers: Readonly<Record<string, string>>) => {
    const response = await fetch(url + path, { headers })
    return { status: response.status, headers: response.headers, body: await response.text() }
  }
  /** Sends the request until the page has been rendered. */
  const get: typeof send = async (path, headers) => {
    for (;;) {
      const response = await send(path, headers)
      if (response.headers.get('content-type') !== 'text/plain; charset=utf-8') return response
    }
  }
  return { app, url, send, get }
}

test('under overload a browser gets the page of 503, in its layout and language', async () => {
  const { get } = await startBusy()
  const english = await get('/wait', { accept: 'text/html', 'accept-language': 'en' })
  expect(english.status).toBe(503)
  expect(english.headers.get('retry-after')).toBe('1')
  expect(english.headers.get('cache-control')).toContain('no-store')
  expect(english.headers.get('x-content-type-options')).toBe('nosniff')
  expect(english.body).toContain('<nav>Our site</nav>')
  expect(english.body).toContain('<h1>Busy</h1>')
  const german = await get('/wait', { accept: 'text/html', 'accept-language': 'de' })
  expect(german.body).toContain('<h1>Überlastet</h1>')
})

test('the page contains nothing of the visitor for whom it was rendered', async () => {
  const { get } = await startBusy()
  const headers = { accept: 'text/html', cookie: 'token=secret' }
  const first = await get('/wait?token=secret', headers)
  const second = await get('/elsewhere', { accept: 'text/html' })
  expect(first.body).not.toContain('wait')
  const withoutIds = (body: string) => body.replace(/nonce="[^"]+"|<code>[^<]+/g, '')
  expect(withoutIds(second.body)).toBe(withoutIds(first.body))
  expect(first.headers.get('set-cookie')).toBeNull()
})

test('until its page has been rendered, a browser gets a plain 503', async () => {
  const { send } = await startBusy()
  const response = await send('/wait', { accept: 'text/html' })
  expect([response.status, response.body]).toEqual([503, 'Service Unavailable\n'])
  expect(response.headers.get('retry-after')).toBe('1')
})

test('ports that clients choose do not displace the pages', async () => {
  const { app, get } = await startBusy()
  const { application } = app
  await get('/wait', { accept: 'text/html' })
  const rendered = app.application.refuse(request())
  await expect.poll(() => application.refuse(request())?.status).toBe(503)
  expect(rendered).toBe(undefined)
  for (let port = 1; port <= 300; port++) application.refuse(request(`127.0.0.1:${port}`))
  expect(application.refuse(request())?.status).toBe(503)
  await expect.poll(() => application.refuse(request('127.0.0.1:1'))?.status).toBe(503)
  expect(application.refuse(request('127.0.0.1:300'))).toBeUndefined()
  // After a minute the oldest page makes room.
  const now = performance.now() + 60_000
  const clock = vi.spyOn(performance, 'now').mockReturnValue(now)
  onTestFinished(() => clock.mockRestore())
  expect(application.refuse(request('127.0.0.1:300'))).toBeUndefined()
  await expect.poll(() => application.refuse(request('127.0.0.1:300'))?.status).toBe(503)
})

test('each response has its own nonce and request id', async () => {
  const { get } = await startBusy()
  const responses = [
    await get('/wait', { accept: 'text/html' }),
    await get('/wait', { accept: 'text/html' }),
  ]
  const nonces = responses.map(({ body }) => /nonce="([^"]+)"/.exec(body)?.[1])
  const ids = responses.map(({ body }) => /<code>([^<]+)/.exec(body)?.[1])
  expect(new Set([...nonces, ...ids, undefined]).size).toBe(5)
  for (const [at, { headers }] of responses.entries()) {
    expect(headers.get('content-security-policy')).toContain(`'nonce-${nonces[at]}'`)
    expect(headers.get('x-request-id')).toBe(ids[at])
  }
})

test('the request for which a page was rendered does not stay in memory', async () => {
  const { app } = await startBusy()
  let first: HttpRequest | undefined = request()
  const reference = new WeakRef(first)
  await expect.poll(() => app.application.refuse(first!)?.status).toBe(503)
  first = undefined
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  await expect
    .poll(() => {
      collect()
      return reference.deref()
    })
    .toBeUndefined()
})

test('under overload an API client gets problem details', async () => {
  const { get } = await startBusy()
  for (const [path, accept] of [
    ['/wait', 'application/json'],
    ['/api/items', '*/*'],
  ] as const) {
    const { status, headers, body } = await get(path, { accept })
    expect(status).toBe(503)
    expect(headers.get('content-type')).toBe('application/problem+json')
    expect(headers.get('retry-after')).toBe('1')
    expect(JSON.parse(body)).toMatchObject({ status: 503, code: 'server.overloaded' })
  }
})

test('a client above its rate limit gets the page of 429 with Retry-After', async () => {
  const limiter = {
    consume: async () => {
      throw { msBeforeNext: 3000 }
    },
  }
  const pages = routes(class extends mix(FwController, rateLimit({ limiter })) {}, (r) => ({
    show: r.get('/', () => 'never'),
  }))
  const app = await serve([pages], { files })
  const response = await app.get('/', { headers: { accept: 'text/html', 'accept-language': 'de' } })
  expect(response.status).toBe(429)
  expect(response.headers.get('retry-after')).toBe('3')
  expect(response.body).toContain('<nav>Our site</nav>')
  expect(response.body).toContain('<h1>Zu viele</h1>')
})

test('a fault with status 503 has the page of 503 in controllers with ErrorPageFilter, too', async () => {
  const pages = routes(class extends mix(FwController, ErrorPageFilter) {}, (r) => ({
    busy: r.get('/busy', () => {
      throw new HttpError(503, 'db.pool-exhausted', 'No connection was free.')
    }),
    broken: r.get('/broken', () => {
      throw new Error('broken')
    }),
  }))
  const app = await serve([pages], { files })
  const busy = await app.get('/busy')
  expect([busy.status, busy.headers.get('retry-after')]).toEqual([503, '1'])
  expect(busy.body).toContain('<h1>Busy</h1>')
  expect((await app.get('/broken')).body).toContain('<h1>Failed</h1>')
})
