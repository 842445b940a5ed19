/** Endpoints › Response helpers of the specification; decisions 5 to 8. */
import { describe, expect, it, test } from 'vitest'
import { MethodOverride } from '../../src/runtime/app.ts'
import { FwController, microFilter, routes } from '../../src/runtime/controller.ts'
import { BadRequest, NotFound, Ok } from '../../src/runtime/http.ts'
import { unescape } from '../../src/runtime/view.ts'
import { serve } from '../support/serve.ts'

class Helpers extends FwController {
  requestedType() {
    this.response.defaultType(this.params.get('type') ?? '')
    return 'x'
  }
  halted() {
    this.status = 202
    this.halt()
  }
  full() {
    this.halt({ status: 403, headers: { 'X-Why': 'no' }, reason: 'Nope', body: 'stop' })
  }
  withBody() {
    this.haltWithBody(404)
  }
  plain404() {
    this.halt(404)
  }
  notFound() {
    return NotFound()
  }
  ok() {
    this.response.headers.set('X-A', 'old')
    return Ok('fine', { 'X-A': 'new' })
  }
  bad() {
    return BadRequest('<p>No.</p>')
  }
  headers() {
    this.response.headers.set('X-A', '1')
    this.response.headers.set('X-B', '1')
    this.response.headers.delete('X-A')
    this.status = 201
    return 'x'
  }
  setCookies() {
    this.cookies.set('k', 'v', { secure: true })
    this.cookies.set('k', 'w')
    this.cookies.delete('old')
    return this.cookies.get('k')
  }
  secureCookie() {
    this.cookies.set('secure', 'yes', { secure: true })
    this.cookies.set('plain', 'no', { secure: false })
  }
  nothing() {}
  json() {
    return { a: 1 }
  }
  list() {
    return [1, 2]
  }
  number() {
    return 204
  }
  bytes() {
    return new Uint8Array([1, 2, 3])
  }
  streamed() {
    return new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('streamed'))
        controller.close()
      },
    })
  }
  blob() {
    return new Blob(['b'], { type: 'text/csv' })
  }
  fetched() {
    return new Response('r', { status: 203, headers: { 'x-r': '1' } })
  }
}
const names = [
  'halted',
  'requestedType',
  'full',
  'withBody',
  'plain404',
  'notFound',
  'ok',
  'bad',
  'headers',
  'setCookies',
  'secureCookie',
  'nothing',
  'json',
  'list',
  'number',
  'bytes',
  'streamed',
  'blob',
  'fetched',
] as const
const helpers = routes(Helpers, (r) =>
  Object.fromEntries(names.map((name) => [name, r.get(`/${name}`, name)])),
)
const get = async (name: (typeof names)[number], query = '') =>
  (await serve([helpers])).get(`/${name}${query}`)

test('a Content-Type that a header cannot have is refused', async () => {
  const page = await get('requestedType', '?type=text/html%0d%0aSet-Cookie:%20evil=1')
  expect([page.status, page.headers.get('set-cookie')]).toEqual([500, null])
  expect((await get('requestedType', '?type=text/css')).headers.get('content-type')).toMatch(
    'text/css',
  )
})

describe('halt', () => {
  it('without a status keeps the one set before', async () => {
    expect((await get('halted')).status).toBe(202)
  })

  it('takes status, headers, reason and body', async () => {
    const page = await get('full')
    expect([page.status, page.headers.get('x-why'), page.body]).toEqual([403, 'no', 'stop'])
  })

  it('sends the reason in the status line', async () => {
    const { app } = await serve([helpers])
    const { url } = await app.listen(0)
    const response = await fetch(new URL('/full', url))
    expect([response.status, response.statusText]).toEqual([403, 'Nope'])
  })

  it('ends the action at once', async () => {
    const steps: string[] = []
    class Halts extends FwController {
      index() {
        steps.push('before')
        this.halt(401)
        steps.push('after')
      }
    }
    const app = await serve([routes(Halts, (r) => ({ index: r.get('/', 'index') }))])
    expect([(await app.get('/')).status, steps]).toEqual([401, ['before']])
  })

  it('haltWithBody responds with a body', async () => {
    const page = await get('withBody')
    expect([page.status, page.html('h1')]).toEqual([404, '404 Not Found'])
  })

  for (const name of ['plain404', 'notFound'] as const) {
    it(`${name} without a body is a final 404 with the body of that status (decision 5)`, async () => {
      const page = await get(name)
      expect([page.status, page.html('h1')]).toEqual([404, '404 Not Found'])
    })
  }
})

describe('redirect (decision 8)', () => {
  class Leads extends FwController {
    static {
      this.before((c) => (c.request.path.text === '/guarded' ? c.redirect('/login') : undefined))
    }
    to() {
      return this.redirect(this.params.get('target') ?? '')
    }
    permanent() {
      return this.redirect301('/x')
    }
    found() {
      return this.redirect302('/x')
    }
    other() {
      return this.redirect303('/x/')
    }
    allowed() {
      return this.redirect('https://else.example/a?b=1', { allowOtherHost: true })
    }
    recorded() {
      this.redirect('/x')
    }
    guarded() {
      return 'never'
    }
  }
  const leads = routes(Leads, (r) => ({
    to: r.get('/to', 'to'),
    permanent: r.get('/permanent', 'permanent'),
    found: r.get('/found', 'found'),
    other: r.get('/other', 'other'),
    allowed: r.get('/allowed', 'allowed'),
    recorded: r.get('/recorded', 'recorded'),
    guarded: r.get('/guarded', 'guarded'),
  }))

  for (const [path, status, location] of [
    ['/permanent', 301, '/x'],
    ['/found', 302, '/x'],
    ['/other', 303, '/x/'],
    ['/allowed', 302, 'https://else.example/a?b=1'],
    ['/recorded', 302, '/x'],
    ['/guarded', 302, '/login'],
  ] as const) {
    it(`${path} leads to ${location} with ${status}`, async () => {
      const page = await (await serve([leads])).get(path)
      expect([page.status, page.location, page.body]).toEqual([status, location, ''])
    })
  }

  for (const target of [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    '/a\r\nX: 1',
    '/\t/evil.example',
    '\\\\evil.example',
  ]) {
    it(`refuses ${JSON.stringify(target)}`, async () => {
      const app = await serve([leads])
      const page = await app.get('/to', { query: { target } })
      expect([page.status, page.location]).toEqual([500, undefined])
      expect((app.lines[0]!.fields['err'] as { code: string }).code).toBe('action.redirect-refused')
    })
  }

  describe('by default of an action for', () => {
    class Writes extends FwController {
      static {
        this.before((c) => (c.params.get('by') === 'filter' ? c.redirect('/x') : undefined))
      }
      write() {
        return this.redirect('/x')
      }
      explicit() {
        return this.redirect302('/x')
      }
    }
    const writes = routes(Writes, (r) => ({
      post: r.post('/write', 'write'),
      put: r.put('/write', 'write'),
      patch: r.patch('/write', 'write'),
      delete: r.delete('/write', 'write'),
      explicit: r.put('/explicit', 'explicit'),
    }))

    it.each([
      ['POST', 302],
      ['PUT', 303],
      ['PATCH', 303],
      ['DELETE', 303],
    ])('%s has the status %i', async (method, status) => {
      const app = await serve([writes])
      for (const by of ['action', 'filter']) {
        const page = await app.request(method, '/write', { query: { by } })
        expect([page.status, page.location]).toEqual([status, '/x'])
      }
    })

    it.each(['PUT', 'PATCH', 'DELETE'])(
      'a form whose _method is %s has the status 303',
      async (method) => {
        const app = await serve([new MethodOverride(), writes])
        expect((await app.post('/write', { query: { _method: method } })).status).toBe(303)
      },
    )

    it('PUT with an explicit status has that', async () => {
      expect((await (await serve([writes])).put('/explicit')).status).toBe(302)
    })
  })

  it('puts the context path before a path, once', async () => {
    const app = await serve([leads], { configuration: { contextPath: '/shop' } })
    expect((await app.get('/shop/to', { query: { target: '/x?y=1' } })).location).toBe(
      '/shop/x?y=1',
    )
    expect((await app.get('/shop/to', { query: { target: '/shop/x' } })).location).toBe('/shop/x')
  })
})

describe('result values (decision 7)', () => {
  it('an action result is applied, its headers replace', async () => {
    const page = await get('ok')
    expect([page.status, page.headers.get('x-a'), page.body]).toEqual([200, 'new', 'fine'])
    const bad = await get('bad')
    expect([bad.status, bad.body]).toEqual([400, '<p>No.</p>'])
  })

  it('headers are set and deleted, the status is kept', async () => {
    const page = await get('headers')
    expect([page.status, page.headers.get('x-a'), page.headers.get('x-b')]).toEqual([
      201,
      null,
      '1',
    ])
  })

  it('a cookie set twice is one header, with the defaults of decision 26', async () => {
    const page = await get('setCookies')
    expect(page.body).toBe('w')
    const [set, deleted, ...others] = page.headers.getSetCookie()
    expect(set).toMatch(/^k=w; (?=.*Path=\/)(?=.*HttpOnly)(?=.*SameSite=Lax)/i)
    expect(deleted).toMatch(/^old=; Max-Age=0;/)
    expect(others).toEqual([])
  })

  it('a cookie is secure if its options say so', async () => {
    const [secure, plain] = (await get('secureCookie')).headers.getSetCookie()
    expect(secure).toMatch(/^secure=yes;.*; Secure/)
    expect(plain).toMatch(/^plain=no;/)
    expect(plain).not.toContain('Secure')
  })

  for (const [name, status, type, body] of [
    ['nothing', 200, null, ''],
    ['json', 200, 'application/json; charset=utf-8', '{"a":1}'],
    ['list', 200, 'application/json; charset=utf-8', '[1,2]'],
    ['number', 204, null, ''],
    ['bytes', 200, 'application/octet-stream', '\u0001\u0002\u0003'],
    ['streamed', 200, 'application/octet-stream', 'streamed'],
    ['blob', 200, 'text/csv', 'b'],
    ['fetched', 203, 'text/plain;charset=UTF-8', 'r'],
    ['ok', 200, 'text/html; charset=utf-8', 'fine'],
  ] as const) {
    it(`${name} gives ${status} ${type}`, async () => {
      const page = await get(name)
      expect([page.status, page.headers.get('content-type'), page.body]).toEqual([
        status,
        type,
        body,
      ])
    })
  }

  it('a text of the micro layer is text/plain', async () => {
    const app = await serve([
      microFilter((r) => ({
        hello: r.get('/hello/:name', (c) => `Hello ${c.params.get('name')}`),
      })),
    ])
    const page = await app.get('/hello/Ann')
    expect([page.headers.get('content-type'), page.body]).toEqual([
      'text/plain; charset=utf-8',
      'Hello Ann',
    ])
    for (const [path, accept] of [
      ['/hello/Ann?format=html', '*/*'],
      ['/hello/Ann?format=svg', '*/*'],
      ['/hello/Ann', 'text/html'],
      ['/hello/Ann', 'image/svg+xml'],
    ] as const) {
      const { headers } = await app.get(path, { headers: { accept } })
      expect([path, headers.get('content-type')]).toEqual([path, 'text/plain; charset=utf-8'])
    }
  })

  it('a client chooses no format that executes for a text', async () => {
    class Pages extends FwController {
      show() {
        return 'page'
      }
    }
    const app = await serve([routes(Pages, (r) => ({ show: r.get('/x(.:format)?', 'show') }))])
    const typeOf = async (path: string, accept = '*/*') =>
      (await app.get(path, { headers: { accept } })).headers.get('content-type')
    for (const format of ['svg', 'swf', 'pdf', 'xhtml', 'js']) {
      expect(await typeOf(`/x.${format}`)).toBe('text/html; charset=utf-8')
      expect(await typeOf(`/x?format=${format}`)).toBe('text/html; charset=utf-8')
    }
    expect(await typeOf('/x', 'image/svg+xml')).toBe('text/html; charset=utf-8')
    expect(await typeOf('/x', 'text/plain')).toBe('text/plain; charset=utf-8')
  })

  it('a text is not converted: under Accept of JSON, an action returns JSON or an object', async () => {
    class Texts extends FwController {
      plain() {
        return 'x'
      }
      json() {
        return '{"a":1}'
      }
      object() {
        return { a: 1 }
      }
    }
    const texts = routes(Texts, (r) => ({
      plain: r.get('/plain', 'plain'),
      json: r.get('/json', 'json'),
      object: r.get('/object', 'object'),
    }))
    const app = await serve([texts])
    for (const [path, body] of [
      ['/plain', 'x'],
      ['/json', '{"a":1}'],
      ['/object', '{"a":1}'],
    ] as const) {
      const page = await app.get(path, { headers: { accept: 'application/json' } })
      expect([page.headers.get('content-type'), page.body]).toEqual([
        'application/json; charset=utf-8',
        body,
      ])
    }
  })

  it('SafeHtml is HTML in every layer', async () => {
    const app = await serve([
      microFilter((r) => ({
        page: r.get('/page', () => unescape('<p>x</p>')),
        result: r.get('/result', () => Ok(unescape('<p>x</p>'))),
      })),
    ])
    for (const path of ['/page', '/result']) {
      const page = await app.get(path, { headers: { accept: 'text/plain' } })
      expect([page.headers.get('content-type'), page.body]).toEqual([
        'text/html; charset=utf-8',
        '<p>x</p>',
      ])
    }
  })

  it('a text with an explicit type gets its charset', async () => {
    const app = await serve([
      microFilter((r) => ({
        csv: r.get('/csv', () => Ok('ä', {}, { contentType: 'text/csv' })),
        xml: r.get('/xml', () => Ok('<ä/>', { 'Content-Type': 'application/atom+xml' })),
        halted: r.get('/halted', (c) => c.halt(Ok('ä', {}, { contentType: 'text/xml' }))),
        json: r.get('/json', () => Ok('{}', {}, { contentType: 'application/json' })),
      })),
    ])
    for (const [path, type] of [
      ['/csv', 'text/csv; charset=utf-8'],
      ['/xml', 'application/atom+xml; charset=utf-8'],
      ['/halted', 'text/xml; charset=utf-8'],
      ['/json', 'application/json'],
    ] as const)
      expect((await app.get(path)).headers.get('content-type')).toBe(type)
  })
})
