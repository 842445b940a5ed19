/** What the operator and the developer learn when the origin check refuses a request. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FwEnv } from '../../src/runtime/config.ts'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { developmentErrorReporter } from '../../src/tools/dev.ts'
import { serve, type ServeOptions } from '../support/serve.ts'

class Notes extends FwController {}
const notes = routes(Notes, (r) => ({ create: r.post('/notes', () => 'created') }))

async function start(options: ServeOptions = {}) {
  const { app, lines } = await serve([notes], options)
  const post = async (url: string, headers: Record<string, string>) => {
    const response = await app.fetch(new Request(url, { method: 'POST', headers }))
    return { status: response.status, text: await response.text() }
  }
  return { post, lines }
}

const rewritten =
  'A page of https://shop.test sent the request to http://localhost:8080. If both are the same site, a proxy replaces ' +
  'Host: let it pass Host on, or send X-Forwarded-Host and list the proxy in server.trustedProxies. If https://shop.test ' +
  'is yours, add it to csrf.trustedOrigins.'

test.each([
  [
    'a proxy that rewrites Host',
    'http://localhost:8080',
    { origin: 'https://shop.test' },
    rewritten,
  ],
  [
    'a browser that says cross-site',
    'http://localhost',
    { origin: 'https://shop.test', 'sec-fetch-site': 'cross-site' },
    'A page of https://shop.test sent the request to http://localhost; the browser says Sec-Fetch-Site: cross-site. ' +
      'If https://shop.test is yours, add it to csrf.trustedOrigins.',
  ],
  [
    'a page over http',
    'https://localhost',
    { origin: 'http://localhost' },
    'A page of http://localhost sent the request to https://localhost: redirect http to https in the proxy.',
  ],
  [
    'a hidden origin',
    'http://localhost',
    { origin: 'null' },
    'The browser hides the origin of a request to http://localhost, as it does for pages with Referrer-Policy: no-referrer and in sandboxed frames.',
  ],
])('%s: the log names both origins and the setting', async (_title, base, headers, message) => {
  const { post, lines } = await start()
  expect(await post(`${base}/notes`, headers)).toMatchObject({
    status: 403,
    text: expect.stringContaining('The request came from another site.'),
  })
  await post(`${base}/notes`, headers)
  expect(lines).toMatchObject([
    { level: 'warn', fields: { code: 'action.cross-origin', path: '/notes' }, message },
  ])
})

test('a long origin is cut in the log', async () => {
  const { post, lines } = await start()
  await post('http://localhost/notes', { origin: `https://${'a'.repeat(5000)}.test` })
  expect(lines[0]!.message.length).toBeLessThan(1000)
})

test('the page of development explains the refusal, also if the application has a view for 403', async () => {
  const view = 'src/main/webapp/WEB-INF/views/error/403.html.ssp'
  const files = { [view]: '<p>No.</p>' }
  const headers = { origin: 'https://shop.test', accept: 'text/html' }
  const reporter = developmentErrorReporter(new FwEnv('development'), join('/', 'nowhere'))!
  const development = await start({ files, errorReporter: reporter })
  expect((await development.post('http://localhost:8080/notes', headers)).text).toContain(rewritten)
  const production = await start({ files })
  expect((await production.post('http://localhost:8080/notes', headers)).text).toBe('<p>No.</p>')
})
