/** Refusals and faults replace a page: headers that describe the page do not stay on their response. */
import { expect, it } from 'vitest'
import { HttpError } from '../../src/runtime/base.ts'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { Forbidden, NotFound } from '../../src/runtime/http.ts'
import { serve } from '../support/serve.ts'

const pageHeaders = {
  'Cache-Control': 'public, max-age=600',
  'CDN-Cache-Control': 'max-age=600',
  'Surrogate-Control': 'max-age=600',
  'X-Accel-Expires': '600',
  Expires: 'Fri, 01 Jan 2100 00:00:00 GMT',
  'Content-Encoding': 'br',
  'Content-Disposition': 'attachment; filename="a.pdf"',
  'Content-Language': 'de',
  'Content-Location': '/a.pdf',
  ETag: '"a"',
  'Last-Modified': 'Fri, 01 Jan 2021 00:00:00 GMT',
  'Accept-Ranges': 'bytes',
  Location: '/other',
  'X-Accel-Redirect': '/private/a.pdf',
  'HX-Redirect': '/other',
  'HX-Location': '/other',
  'HX-Refresh': 'true',
  'HX-Push-Url': '/other',
  'HX-Replace-Url': '/other',
}
const keptHeaders = {
  Allow: 'GET',
  'Retry-After': '7',
  'WWW-Authenticate': 'Basic',
  Vary: 'Accept, X-Tenant',
  'Access-Control-Allow-Origin': 'https://a.example',
  'Content-Security-Policy': "default-src 'none'",
  'X-Request-Id': 'own',
  'HX-Trigger': 'refused',
}

class Pages extends FwController {
  static {
    this.error(RangeError, () => undefined)
    this.after((c) => {
      if (c.params.get('how') === 'after') throw new HttpError(403, 'action.cross-origin', 'no')
      if (c.params.get('how') === 'afterHalt') c.halt(403)
      if (c.params.get('how') === 'afterRedirect') c.redirect('/elsewhere')
    })
  }
  page(): unknown {
    for (const [name, value] of Object.entries({ ...pageHeaders, ...keptHeaders }))
      this.response.headers.set(name, value)
    if (this.params.get('how') !== 'page') this.cookies.set('a', '1')
    return this.end(this.params.get('how'))
  }
  end(how: string | undefined): unknown {
    if (how === 'refusal') throw new HttpError(403, 'action.cross-origin', 'no')
    if (how === 'fault') throw new Error('broken')
    if (how === 'halt') this.halt(403)
    if (how === 'haltBody') this.halt({ status: 403, body: 'no' })
    if (how === 'haltResult') this.halt(Forbidden('no'))
    if (how === 'haltWithBody') this.haltWithBody(403)
    if (how === 'result') return Forbidden('no')
    if (how === 'missing') return NotFound()
    if (how === 'number') return 404
    if (how === 'pass') this.pass()
    return 'page'
  }
}
const pages = routes(Pages, (r) => ({ page: r.get('/:how', 'page') }))

const present = (headers: Headers, names: object) =>
  Object.keys(names).filter((name) => headers.has(name))

it.each([
  ['refusal', 403],
  ['after', 403],
  ['halt', 403],
  ['haltBody', 403],
  ['haltResult', 403],
  ['haltWithBody', 403],
  ['afterHalt', 403],
  ['result', 403],
  ['missing', 404],
  ['number', 404],
  ['pass', 404],
  ['fault', 500],
])('%s removes the headers of the page and keeps those of the response', async (how, status) => {
  const page = await (await serve([pages])).get(`/${how}`)
  expect(page.status).toBe(status)
  expect(page.body).not.toBe('page')
  expect(present(page.headers, pageHeaders)).toEqual(['Cache-Control'])
  expect(page.headers.get('cache-control')).toBe(how === 'fault' ? 'private, no-cache' : 'no-store')
  expect(present(page.headers, keptHeaders)).toEqual(Object.keys(keptHeaders))
  expect(page.headers.has('set-cookie')).toBe(how !== 'fault')
})

it('a page without a refusal keeps all of its headers', async () => {
  const { headers } = await (await serve([pages])).get('/page')
  expect(present(headers, { ...pageHeaders, ...keptHeaders })).toEqual(
    Object.keys({ ...pageHeaders, ...keptHeaders }),
  )
})

class Refusing extends FwController {
  static {
    this.error(HttpError, (error, c) => {
      if (c.params.get('how') !== 'block') c.pass()
      c.response.headers.set('Cache-Control', 'public, max-age=5')
      return error.message
    })
  }
  index(): unknown {
    const { headers } = this.response
    const how = this.params.get('how')
    const cacheControl = { 'Cache-Control': 'public, max-age=5' }
    headers.set('Content-Type', 'text/plain; charset=utf-8')
    headers.set('Cache-Control', 'no-store')
    this.response.reason = 'Fine'
    if (how === 'halt') this.halt({ status: 404, headers: cacheControl, body: '<b>' })
    if (how === 'result') return NotFound('<b>', cacheControl)
    if (how === 'redirected') this.redirect('/elsewhere')
    throw new HttpError(404, 'feature.file-not-found', 'missing')
  }
}
const refusing = routes(Refusing, (r) => ({ index: r.get('/:how', 'index') }))

it.each(['halt', 'result', 'block'])('%s sets the caching of its own refusal', async (how) => {
  const { status, headers } = await (await serve([refusing])).get(`/${how}`)
  expect([status, headers.get('cache-control')]).toEqual([404, 'public, max-age=5'])
})

it.each(['halt', 'result'])(
  'the text of %s keeps the type that the action has set',
  async (how) => {
    const page = await (await serve([refusing])).get(`/${how}`)
    expect([page.body, page.headers.get('content-type')]).toEqual([
      '<b>',
      'text/plain; charset=utf-8',
    ])
  },
)

it('a refusal may be stored no longer than the page', async () => {
  const { headers } = await (await serve([refusing])).get('/plain')
  expect(headers.get('cache-control')).toBe('no-store')
})

it('a refusal replaces an earlier redirect and reason', async () => {
  const app = await serve([refusing])
  const page = await app.get('/redirected')
  expect([page.status, page.headers.get('location')]).toEqual([404, null])
  expect((await app.app.fetch(new Request('http://localhost/plain'))).statusText).toBe('')
})

const bodyHeaders = ['Content-Encoding', 'Content-Disposition', 'Content-Language', 'ETag']

it('a redirect after the action removes the headers of the body that it replaces', async () => {
  const { status, headers } = await (await serve([pages])).get('/afterRedirect')
  expect([status, headers.get('location')]).toEqual([302, '/elsewhere'])
  expect(bodyHeaders.filter((name) => headers.has(name))).toEqual([])
})

it('a status handler replaces the headers of the body with the body', async () => {
  class Trapping extends FwController {
    static {
      this.trap(202, () => 'accepted')
    }
    index() {
      for (const name of bodyHeaders) this.response.headers.set(name, pageHeaders[name as 'ETag'])
      this.status = 202
      return 'page'
    }
  }
  const trapping = routes(Trapping, (r) => ({ index: r.get('/', 'index') }))
  const { body, headers } = await (await serve([trapping])).get('/')
  expect(body).toBe('accepted')
  expect(bodyHeaders.filter((name) => headers.has(name))).toEqual([])
})
