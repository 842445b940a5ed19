/** Decision 24: what a visitor has written survives an old token, the end of the session, a login, and a form of another site. */
import { runInNewContext } from 'node:vm'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { FwController, mix, routes } from '../../src/runtime/controller.ts'
import { FileUploadFeature, LoginRedirects } from '../../src/runtime/feature.ts'
import { MemoryStore, SealedCookieStore } from '../../src/runtime/session.ts'
import type { Page } from '../../src/tools/testing/client.ts'
import { serve } from '../support/serve.ts'
import { startWithSessions } from '../support/session-app.ts'

const saved: string[] = []

class Notes extends mix(FwController, LoginRedirects) {
  static {
    this.protectFromForgery()
    this.beforeAction({ only: ['create', 'secret'] }, (c) => {
      if (c.session.get('user') === undefined) c.redirectToLogin('/login')
    })
  }
  page() {
    return this.ctx.sessionScope.maskToken() ?? ''
  }
  create() {
    saved.push(this.params.get('text') ?? '')
    return this.redirect303('/page')
  }
  open() {
    saved.push(this.multiParams.get('text')?.join('|') ?? '')
    return 'open'
  }
  secret() {
    return 'secret'
  }
  login() {
    this.session.renewSession()
    this.session.set('user', 7)
    return this.redirectAfterLogin('/home')
  }
  /** Stores a request as an older version of the application would have stored it. */
  store() {
    const stored = JSON.stringify({ at: Date.now(), target: '/a\\b' })
    this.session.set('return-to', this.ctx.services.keys.seal('return-to', stored))
    return 'stored'
  }
  logout() {
    this.session.endSession()
    return 'out'
  }
  provider() {
    return this.returnSameSite('/back')
  }
  direct() {
    this.session.set('user', 7)
    return 'in'
  }
}
const notes = routes(Notes, (r) => ({
  page: r.get('/page', 'page'),
  create: r.post('/notes', 'create').as('create'),
  open: r.post('/open', 'open').as('open'),
  secret: r.get('/secret', 'secret').as('secret'),
  login: r.post('/login', 'login').as('login'),
  store: r.post('/stored', 'store').as('store'),
  logout: r.post('/logout', 'logout').as('logout'),
  provider: r.post('/provider', 'provider').as('provider'),
  direct: r.post('/direct', 'direct').as('direct'),
}))

const proven = { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Dest': 'document' }
const old = { Origin: 'http://localhost' }
const secret = 'DZb2p0xw3RkT9uVnQmYc7sLhEa1JgXo5'
const start = (store?: 'cookie') =>
  startWithSessions([notes], {
    store: ({ keys, lifetime }) =>
      store === undefined ? new MemoryStore(lifetime) : new SealedCookieStore(keys, lifetime),
    configuration: {
      secretKeyBase: secret,
      csrf: { trustedOrigins: ['https://id.example'] },
      session: { idleTimeout: '2h' },
    },
  })

/** Returns the fields of the page's form. */
function fieldsOf(page: Page): Record<string, string> {
  const fields: Record<string, string> = {}
  const unescape = (text: string) =>
    text
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&')
  const shapes = [
    /<input type="hidden" name="([^"]*)" value="([^"]*)">/g,
    /<textarea name="([^"]*)"[^>]*>\n([^<]*)<\/textarea>/g,
  ]
  for (const shape of shapes)
    for (const [, name = '', value = ''] of page.body.matchAll(shape))
      fields[unescape(name)] = unescape(value)
  return fields
}
const actionOf = (page: Page) => page.attribute('form', 'action')

const text = '\nLine <b>&"\' one\nline two\n'

describe('a form with an old token', () => {
  it('is saved if the browser proves that it is of the same origin', async () => {
    const app = await start()
    expect((await app.post('/open', { form: { text }, headers: proven })).body).toBe('open')
    expect(saved.at(-1)).toBe(text)
  })

  it.each([
    ['Origin', old],
    ['Referer', { Referer: 'http://localhost/page' }],
    ['the user', { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Dest': 'document' }],
  ])(
    'comes back with its values and a token, by %s; sent again, it is saved',
    async (_by, headers) => {
      const visitor = (await start()).visitor()
      await visitor.get('/page')
      const form = { text, 'csrf-token': 'x'.repeat(86), empty: '', password: 'p' }
      const page = await visitor.post('/open', { form, headers, query: { q: 'a"b' } })
      expect(page.status).toBe(422)
      expect(page.headers.get('cache-control')).toBe('no-store')
      expect(page.html('[role=alert]')).toMatch(/too old/)
      const fields = fieldsOf(page)
      expect(fields).toMatchObject({ text, empty: '', password: 'p' })
      const again = await visitor.post(actionOf(page)!, { form: fields, headers })
      expect([again.body, saved.at(-1)]).toEqual(['open', text])
    },
  )

  it.each([
    ['another site', { Origin: 'https://evil.example' }],
    [
      'another site by fetch metadata',
      { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' },
    ],
    ['a trusted origin', { Origin: 'https://id.example' }],
    ['an opaque origin', { Origin: 'null' }],
    ['a client without headers', {}],
    ['a foreign referrer', { Referer: 'https://evil.example/' }],
    ['a script', { ...old, 'X-Requested-With': 'fetch' }],
    ['an API client', { ...old, Accept: 'application/json' }],
  ])('is a 403 from %s', async (_from, headers) => {
    const visitor = (await start()).visitor()
    await visitor.get('/page')
    const count = saved.length
    const page = await visitor.post('/open', { form: { text }, headers })
    expect([page.status, saved.length]).toEqual([403, count])
    expect(page.headers.getSetCookie()).toEqual([])
  })

  it('is shown in the layout and in the language of the application, with fields for the files', async () => {
    class Files extends mix(FwController, FileUploadFeature) {
      static {
        this.protectFromForgery()
      }
      create() {
        return 'created'
      }
    }
    const files = routes(Files, (r) => ({ create: r.post('/files', 'create') }))
    const app = await serve([files], {
      files: {
        'src/main/webapp/WEB-INF/layouts/default.ssp':
          '<html><body class="own">${body}</body></html>',
        'src/main/resources/messages.yml': 'repeat:\n  tooOld: Zu alt.\n',
      },
    })
    const multipart = { title: 'Ann', photo: new File(['bytes'], 'ann.png') }
    const page = await app.post('/files', { multipart, headers: old })
    expect(page.status).toBe(422)
    expect(page.html('.own [role=alert]')).toBe('Zu alt.')
    expect(page.attribute('form', 'enctype')).toBe('multipart/form-data')
    expect(page.attribute('[type=file]', 'name')).toBe('photo')
    expect(fieldsOf(page)).toMatchObject({ title: 'Ann' })
  })

  it('with files is a 415 where the controller reads none', async () => {
    const app = await start()
    const multipart = { text: 'a', photo: new File(['bytes'], 'ann.png') }
    const page = await app.post('/open', { multipart, headers: old })
    expect(page.status).toBe(415)
  })
})

describe.each([undefined, 'cookie'] as const)(
  'after the end of the session (store %s)',
  (store) => {
    it('a form is sent again after the login', async () => {
      const visitor = (await start(store)).visitor()
      const count = saved.length
      const refused = await visitor.post('/notes', { form: { text }, headers: proven })
      expect([refused.status, refused.location]).toEqual([303, '/login'])
      const page = await visitor.post('/login', { headers: proven })
      expect([page.status, actionOf(page)]).toEqual([422, '/notes'])
      expect(saved).toHaveLength(count)
      const again = await visitor.post('/notes', { form: fieldsOf(page), headers: proven })
      expect([again.location, saved.at(-1)]).toEqual(['/page', text])
      expect((await visitor.post('/login', { headers: proven })).location).toBe('/home')
    })

    it('a page is shown after the login, but not a prefetched one', async () => {
      const visitor = (await start(store)).visitor()
      await visitor.get('/secret', { query: { a: 1 }, headers: { 'Sec-Purpose': 'prefetch' } })
      expect((await visitor.post('/login', { headers: proven })).location).toBe('/home')
      await visitor.post('/logout', { headers: proven })
      await visitor.get('/secret', { query: { a: 1 } })
      expect((await visitor.post('/login', { headers: proven })).location).toBe('/secret?a=1')
    })

    it.each([
      ['for thirty minutes', 30 * 60_000, '/secret', '/notes'],
      ['no longer than thirty minutes', 30 * 60_000 + 1, '/home', undefined],
    ])('a page and a form are kept %s', async (_limit, millis, location, action) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
      onTestFinished(() => void vi.useRealTimers())
      const visitor = (await start(store)).visitor()
      await visitor.get('/secret')
      vi.setSystemTime(Date.now() + millis)
      expect((await visitor.post('/login', { headers: proven })).location).toBe(location)
      await visitor.post('/logout', { headers: proven })
      await visitor.post('/notes', { form: { text }, headers: proven })
      vi.setSystemTime(Date.now() + millis)
      const page = await visitor.post('/login', { headers: proven })
      expect([page.status, actionOf(page)]).toEqual([action === undefined ? 303 : 422, action])
    })

    it('a backslash in the address of a page or form is encoded', async () => {
      const visitor = (await start(store)).visitor()
      await visitor.get('/secret?file=a\\b')
      expect((await visitor.post('/login', { headers: proven })).location).toBe(
        '/secret?file=a%5Cb',
      )
      await visitor.post('/logout', { headers: proven })
      await visitor.post('/notes?file=a\\b', { form: { text }, headers: proven })
      expect(actionOf(await visitor.post('/login', { headers: proven }))).toBe('/notes?file=a%5Cb')
    })

    it('a stored address that redirects refuse leads to the default path', async () => {
      const visitor = (await start(store)).visitor()
      await visitor.post('/stored', { headers: proven })
      const page = await visitor.post('/login', { headers: proven })
      expect([page.status, page.location]).toEqual([303, '/home'])
    })

    it('a form that is too large for the session is shown again with a link to the login', async () => {
      const visitor = (await start(store)).visitor()
      const large = 'ab\n'.repeat(30_000)
      const page = await visitor.post('/notes', { form: { text: large }, headers: proven })
      expect([page.status, page.attribute('a', 'href')]).toEqual([422, '/login'])
      await visitor.post('/login', { headers: proven })
      await visitor.post('/notes', { form: fieldsOf(page), headers: proven })
      expect(saved.at(-1)).toBe(large)
    })

    it('a form that waits is not replaced by a page or a form of another tab', async () => {
      const visitor = (await start(store)).visitor()
      await visitor.post('/notes', { form: { text }, headers: proven })
      expect((await visitor.get('/secret')).location).toBe('/login')
      const second = await visitor.post('/notes', { form: { text: 'two' }, headers: proven })
      expect([second.status, second.attribute('a', 'href')]).toEqual([422, '/login'])
      expect(fieldsOf(second)).toMatchObject({ text: 'two' })
      const page = await visitor.post('/login', { headers: proven })
      expect(fieldsOf(page)).toMatchObject({ text })
      await visitor.post('/notes', { form: fieldsOf(second), headers: proven })
      expect(saved.at(-1)).toBe('two')
    })

    it('neither scripts nor other sites leave a request for the login', async () => {
      const visitor = (await start(store)).visitor()
      const empty = { 'Sec-Fetch-Dest': 'empty' }
      await visitor.get('/secret', { headers: empty })
      await visitor.post('/notes', { form: { text }, headers: { ...proven, ...empty } })
      const foreign = { Origin: 'https://id.example', 'Sec-Fetch-Site': 'cross-site' }
      await visitor.post('/notes', { form: { text }, headers: foreign })
      expect((await visitor.post('/login', { headers: proven })).location).toBe('/home')
    })
  },
)

describe('a form of a trusted site', () => {
  const foreign = {
    Origin: 'https://id.example',
    'Sec-Fetch-Site': 'cross-site',
    'Sec-Fetch-Dest': 'document',
  }

  class Callback extends mix(FwController, LoginRedirects) {
    provider() {
      return this.returnSameSite('/back')
    }
    direct() {
      this.session.set('user', 7)
      return 'in'
    }
    token() {
      return this.ctx.sessionScope.maskToken() ?? 'none'
    }
  }
  const callback = routes(Callback, (r) => ({
    provider: r.post('/callback', 'provider'),
    direct: r.post('/begin', 'direct'),
    token: r.post('/token', 'token'),
  }))
  const trusting = () =>
    startWithSessions([callback], {
      store: () => new MemoryStore(),
      configuration: { secretKeyBase: secret, csrf: { trustedOrigins: ['https://id.example'] } },
    })

  it('begins no session, because it comes without the session cookie', async () => {
    const app = await trusting()
    for (const headers of [foreign, { Origin: 'https://id.example' }]) {
      const page = await app.post('/begin', { form: { code: '1' }, headers })
      expect([page.status, page.headers.getSetCookie()]).toEqual([500, []])
    }
    const errors = app.lines.map(({ fields }) => fields['err'])
    const message = expect.stringContaining('Respond with returnSameSite(path) of LoginRedirects')
    expect(errors).toContainEqual(expect.objectContaining({ code: 'session.cross-site', message }))
    const token = await app.post('/token', { headers: foreign })
    expect([token.body, token.headers.getSetCookie()]).toEqual(['none', []])
    const sameSite = { ...foreign, 'Sec-Fetch-Site': 'same-site' }
    expect((await app.post('/begin', { headers: sameSite })).body).toBe('in')
  })

  it('is repeated as a request of the own site', async () => {
    const app = await trusting()
    const form = { code: '<1>', state: 'a"b', submit: 'Continue' }
    const page = await app.post('/callback', { form, headers: foreign })
    expect([page.status, actionOf(page)]).toEqual([200, '/back'])
    expect(fieldsOf(page)).toEqual(form)
    expect(page.headers.getSetCookie()).toEqual([])
    expect(page.headers.get('content-security-policy')).toContain(
      `'nonce-${page.attribute('script', 'nonce')}'`,
    )
    // In a browser, a field hides the method of the same name.
    const sent: unknown[] = []
    class HTMLFormElement {
      submit() {
        sent.push(this)
      }
    }
    const element = Object.assign(new HTMLFormElement(), { submit: 'a field' })
    runInNewContext(page.html('script')!, { HTMLFormElement, document: { forms: [element] } })
    expect(sent).toEqual([element])
  })
})
