/** Decisions 23 and 39: a flash message stays until a whole page has shown it, and a prefetch stores nothing. */
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { describe, expect, it, onTestFinished } from 'vitest'
import { FwController, mix, routes } from '../../src/runtime/controller.ts'
import { useDatabase } from '../../src/runtime/db.ts'
import { openInMemory } from '../../src/runtime/db/engines.fixture.ts'
import { rateLimit } from '../../src/runtime/feature.ts'
import { startWithSessions } from '../support/session-app.ts'
import { MemoryStore } from '../../src/runtime/session.ts'

class Pages extends FwController {
  static {
    this.protectFromForgery()
  }
  save() {
    this.flash.set('notice', 'Saved')
    return this.redirect303('/page')
  }
  /** A page that shows the message, as a layout does. */
  page() {
    return `<p>${String(this.flash.get('notice'))}</p>`
  }
  /** A page that does not show messages. */
  plain() {
    void this.session.get('cart')
    return 'plain'
  }
  json() {
    return { notice: this.flash.get('notice') ?? '-' }
  }
  moved() {
    void this.flash.get('notice')
    return this.redirect('/page')
  }
  file() {
    this.response.headers.set('Content-Disposition', 'attachment; filename=a.html')
    return this.page()
  }
  tagged() {
    this.response.headers.set('ETag', '"a"')
    return this.page()
  }
  events() {
    void this.flash.get('notice')
    return this.response.sse(
      (async function* () {
        yield 'one'
      })(),
    )
  }
  live() {
    void this.flash.get('notice')
    return this.view.live('news', () => 'one')
  }
  empty() {
    void this.flash.get('notice')
    return 204
  }
  discard() {
    this.flash.discard()
    return {}
  }
  keep() {
    this.flash.keep()
    return this.page()
  }
  now() {
    this.flash.now.set('notice', 'Now')
    return this.page()
  }
  unseen() {
    return String(this.request.isPrefetch)
  }
  returnTo() {
    this.session.set('returnTo', '/page')
    this.cookies.set('seen', '1')
    this.flash.set('notice', 'From a prefetch')
    return this.page()
  }
  token() {
    return `<i>${this.ctx.sessionScope.maskToken() ?? 'none'}</i>`
  }
}
const pages = routes(Pages, (r) => ({
  save: r.get('/save', 'save'),
  page: r.get('/page', 'page'),
  post: r.post('/page', 'page'),
  plain: r.get('/plain', 'plain'),
  json: r.get('/json', 'json'),
  moved: r.get('/moved', 'moved'),
  file: r.get('/file', 'file'),
  tagged: r.get('/tagged', 'tagged'),
  events: r.get('/events', 'events'),
  live: r.get('/live', 'live'),
  empty: r.get('/empty', 'empty'),
  discard: r.get('/discard', 'discard'),
  keep: r.get('/keep', 'keep'),
  now: r.get('/now', 'now'),
  unseen: r.get('/unseen', 'unseen'),
  returnTo: r.get('/return', 'returnTo'),
  token: r.get('/token', 'token'),
}))

const start = (session: object = {}) =>
  startWithSessions([pages], {
    store: ({ lifetime }) => new MemoryStore(lifetime),
    configuration: {
      secretKeyBase: 'DZb2p0xw3RkT9uVnQmYc7sLhEa1JgXo5',
      accessLog: { enabled: true },
      session,
    },
  })

const shown = '<p>Saved</p>'
const gone = '<p>undefined</p>'

/** Requests that read a waiting message without showing it as part of a page. */
const others: [string, string, Record<string, string>, string?][] = [
  ['JSON', '/json', {}],
  ['JSON by fetch', '/json', { 'Sec-Fetch-Dest': 'empty' }],
  ['HEAD', '/page', {}, 'HEAD'],
  ['a page by fetch', '/page', { 'Sec-Fetch-Dest': 'empty', 'Sec-Fetch-Mode': 'cors' }],
  ['a page by XMLHttpRequest', '/page', { 'X-Requested-With': 'XMLHttpRequest' }],
  ['a fragment for htmx', '/page', { 'HX-Request': 'true' }],
  ['a fragment for htmx 4', '/page', { 'HX-Request': 'true', 'HX-Request-Type': 'partial' }],
  ['a frame of Turbo', '/page', { 'Turbo-Frame': 'rows', 'X-Turbo-Request-Id': '1' }],
  ['a fragment for Unpoly', '/page', { 'X-Up-Version': '3.11.0', 'X-Up-Target': '.rows' }],
  ['a fragment for Alpine', '/page', { 'X-Alpine-Request': 'true', 'X-Alpine-Target': 'rows' }],
  ['an image', '/page', { 'Sec-Fetch-Dest': 'image' }],
  ['an attachment', '/file', { 'Sec-Fetch-Dest': 'document' }],
  ['a redirect', '/moved', { 'Sec-Fetch-Dest': 'document' }],
  ['a 304', '/tagged', { 'Sec-Fetch-Dest': 'document', 'If-None-Match': '"a"' }],
  ['an event stream', '/events', {}],
  ['a 204', '/empty', {}],
  ['a prefetch', '/page', { 'Sec-Fetch-Dest': 'document', 'Sec-Purpose': 'prefetch' }],
  [
    'a prerendered page',
    '/page',
    { 'Sec-Fetch-Dest': 'document', 'Sec-Purpose': 'prefetch;prerender' },
  ],
  ['a prefetch by Turbo', '/page', { 'X-Sec-Purpose': 'prefetch', 'X-Turbo-Request-Id': '1' }],
]

const turbo = { Accept: 'text/html, application/xhtml+xml', 'X-Turbo-Request-Id': '1' }
/** Requests whose response replaces the whole page. */
const whole: [string, Record<string, string>][] = [
  ['a navigation', { 'Sec-Fetch-Dest': 'document' }],
  ['a page in a frame', { 'Sec-Fetch-Dest': 'iframe' }],
  [
    'a navigation through a service worker',
    { 'Sec-Fetch-Dest': 'empty', 'Sec-Fetch-Mode': 'navigate' },
  ],
  ['a client without fetch metadata', {}],
  ['a visit of Turbo', { 'Sec-Fetch-Dest': 'empty', ...turbo }],
  [
    'the page after a form of Turbo',
    { 'Sec-Fetch-Dest': 'empty', ...turbo, Accept: `text/vnd.turbo-stream.html, ${turbo.Accept}` },
  ],
  [
    'a boosted link of htmx',
    { 'Sec-Fetch-Dest': 'empty', 'HX-Request': 'true', 'HX-Boosted': 'true' },
  ],
  [
    'a page of Unpoly',
    { 'Sec-Fetch-Dest': 'empty', 'X-Up-Version': '3.11.0', 'X-Up-Target': 'main' },
  ],
  ['the main element of Alpine', { 'Sec-Fetch-Dest': 'empty', 'X-Alpine-Target': 'main' }],
  [
    'a page of Alpine',
    {
      'Sec-Fetch-Dest': 'empty',
      'X-Requested-With': 'XMLHttpRequest',
      'X-Alpine-Request': 'true',
      'X-Alpine-Target': 'rows flash',
    },
  ],
]

describe.each([{}, { sweepUnusedFlashEntries: false }])('a flash message, %j,', (session) => {
  it.each(others)('stays after %s', async (_what, path, headers, method) => {
    const visitor = (await start(session)).visitor()
    await visitor.get('/save')
    for (let times = 0; times < 3; times++)
      await visitor.request(method ?? 'GET', path, { headers })
    expect((await visitor.get('/page')).body).toBe(shown)
    expect((await visitor.get('/page')).body).toBe(gone)
  })

  it('stays after a live list', async () => {
    const database = await openInMemory()
    useDatabase(database)
    onTestFinished(async () => {
      useDatabase(undefined)
      await database.close()
    })
    const client = await start(session)
    const [cookie = ''] = (await client.get('/save')).headers.getSetCookie()
    const headers = { cookie: cookie.split(';', 1)[0]! }
    for (let times = 0; times < 3; times++) {
      const leaving = new AbortController()
      const { signal } = leaving
      const response = await client.app.fetch(
        new Request('http://localhost/live', { headers, signal }),
      )
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
      let event: string | undefined
      while (event !== 'data: one\n\n') event = (await reader.read()).value
      leaving.abort()
    }
    expect((await client.get('/page', { headers })).body).toBe(shown)
    expect((await client.get('/page', { headers })).body).toBe(gone)
  })

  it.each(whole)('is removed by %s', async (_what, headers) => {
    const visitor = (await start(session)).visitor()
    await visitor.get('/save')
    expect((await visitor.get('/page', { headers })).body).toBe(shown)
    expect((await visitor.get('/page')).body).toBe(gone)
  })
})

describe('a flash message that no page showed', () => {
  it('is removed by the second page', async () => {
    const visitor = (await start()).visitor()
    await visitor.get('/save')
    await visitor.get('/plain')
    expect((await visitor.get('/json')).json()).toEqual({ notice: 'Saved' })
    await visitor.get('/plain')
    expect((await visitor.get('/json')).json()).toEqual({ notice: '-' })
  })

  it('is shown by the second page', async () => {
    const visitor = (await start()).visitor()
    await visitor.get('/save')
    await visitor.get('/plain')
    expect((await visitor.get('/page')).body).toBe(shown)
    expect((await visitor.get('/page')).body).toBe(gone)
  })

  it('is as new if it is set or kept again', async () => {
    const visitor = (await start()).visitor()
    for (const again of ['/save', '/keep']) {
      await visitor.get('/save')
      await visitor.get('/plain')
      await visitor.get(again)
      await visitor.get('/plain')
      expect((await visitor.get('/page')).body).toBe(shown)
    }
  })

  it('stays with sweepUnusedFlashEntries: false', async () => {
    const visitor = (await start({ sweepUnusedFlashEntries: false })).visitor()
    await visitor.get('/save')
    for (let times = 0; times < 3; times++) await visitor.get('/plain')
    expect((await visitor.get('/page')).body).toBe(shown)
  })
})

it('responses to writes clear prefetched pages after the first prefetch, or by the setting', async () => {
  const clear = async (app: Awaited<ReturnType<typeof start>>, method = 'POST') =>
    (await app.request(method, '/page')).headers.get('clear-site-data')
  const app = await start()
  expect(await clear(app)).toBeNull()
  await app.get('/page', { headers: { 'Sec-Purpose': 'prefetch' } })
  expect(await clear(app)).toBe('"prefetchCache", "prerenderCache"')
  expect(await clear(app, 'GET')).toBeNull()
  const configured = await startWithSessions([pages], {
    store: () => new MemoryStore(),
    configuration: { security: { speculationRules: true } },
  })
  expect((await configured.post('/page')).headers.get('clear-site-data')).toContain('prerender')
})

it.each([{ speculationRules: false }, { headers: { 'Clear-Site-Data': 'off' } }])(
  'responses to writes never clear prefetched pages with %j',
  async (security) => {
    const app = await startWithSessions([pages], {
      store: () => new MemoryStore(),
      configuration: { security },
    })
    await app.get('/page', { headers: { 'Sec-Purpose': 'prefetch' } })
    expect((await app.post('/page')).headers.get('clear-site-data')).toBeNull()
  },
)

it('discard removes a message after any response, and now hides it on a page', async () => {
  const visitor = (await start()).visitor()
  await visitor.get('/save')
  await visitor.get('/discard')
  expect((await visitor.get('/page')).body).toBe(gone)
  await visitor.get('/save')
  expect((await visitor.get('/now')).body).toBe('<p>Now</p>')
  expect((await visitor.get('/page')).body).toBe(gone)
})

describe('a prefetch', () => {
  const headers = { 'Sec-Purpose': 'prefetch' }

  it('begins no session, sets no cookie and stores no value', async () => {
    const app = await start()
    const visitor = app.visitor()
    const first = await visitor.get('/return', { headers })
    expect([first.status, first.headers.getSetCookie()]).toEqual([200, []])
    expect((await visitor.get('/page')).body).toBe(gone)
    await visitor.get('/return')
    await visitor.get('/page')
    await visitor.get('/return', { headers })
    expect((await visitor.get('/page')).body).toBe(gone)
  })

  it('does not prolong the session', async () => {
    const clock = { time: Date.UTC(2026, 0, 1) }
    const store = new MemoryStore({ now: () => clock.time })
    const app = await startWithSessions([pages], { store: () => store })
    const visitor = app.visitor()
    await visitor.get('/save')
    const [begun] = store.records().map(({ expireAt }) => expireAt)
    clock.time += 10 * 60_000
    await visitor.get('/plain', { headers })
    expect(store.records()).toMatchObject([{ expireAt: begun }])
    await visitor.get('/plain')
    expect(store.records()).toMatchObject([{ expireAt: begun! + 10 * 60_000 }])
  })

  it('creates no forgery token, and repeats that of the visitor', async () => {
    const visitor = (await start()).visitor()
    expect((await visitor.get('/token', { headers })).body).toBe('<i>none</i>')
    await visitor.get('/token')
    expect((await visitor.get('/token', { headers })).body).not.toBe('<i>none</i>')
  })

  it('is a request with a safe method only', async () => {
    const app = await start()
    for (const purpose of ['prefetch', 'prefetch;prerender', 'prefetch;anonymous-client-ip'])
      for (const name of ['Sec-Purpose', 'X-Sec-Purpose']) {
        const page = await app.get('/unseen', { headers: { [name]: purpose } })
        expect(page.body).toBe('true')
        expect(page.headers.get('vary')).toBe('Accept, Sec-Purpose, X-Sec-Purpose')
      }
    const page = await app.get('/unseen', { headers: { 'Sec-Purpose': 'other' } })
    expect(page.body).toBe('false')
    expect(page.headers.get('vary')).toBe('Accept, Sec-Purpose, X-Sec-Purpose')
    const visitor = app.visitor()
    await visitor.get('/save')
    const sent = { ...headers, 'Sec-Fetch-Site': 'same-origin' }
    const posted = await visitor.post('/page', { form: {}, headers: sent })
    expect(posted.body).toBe(shown)
    expect((await visitor.get('/page')).body).toBe(gone)
  })

  it('is marked in the access log', async () => {
    const app = await start()
    await app.get('/unseen', { headers })
    await app.get('/unseen')
    const requests = app.lines.filter(({ message }) => message === 'request')
    expect(requests.map(({ fields }) => fields['prefetch'])).toEqual([true, undefined])
  })

  it('is counted apart from the visits of a rate limit', async () => {
    const limiter = new RateLimiterMemory({ points: 2, duration: 60 })
    class Limited extends mix(FwController, rateLimit({ limiter, key: () => 'one' })) {
      index() {
        return 'ok'
      }
    }
    const limited = routes(Limited, (r) => ({ index: r.get('/limited', 'index') }))
    const app = await startWithSessions([limited], { store: () => new MemoryStore() })
    const statuses = []
    for (const sent of [headers, headers, headers, {}, {}, {}])
      statuses.push((await app.get('/limited', { headers: sent })).status)
    expect(statuses).toEqual([200, 200, 429, 200, 200, 429])
  })
})
