/** Authentication of the specification: an action that asks for a user, and the forgery token. */
import { describe, expect, it } from 'vitest'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { ForgeryToken } from '../../src/runtime/session.ts'
import { serve } from '../support/serve.ts'

describe('Authentication 1: an action halts with 401 when the user id is missing from the session', () => {
  class Dashboard extends FwController {
    login() {
      const id = this.params.get('id')
      this.session.renewSession()
      if (id !== undefined) this.session.set('userId', JSON.parse(id))
      this.session.set('seen', true)
      return 'in'
    }
    index() {
      if (!this.session.get('userId')) this.halt(401)
      return 'dashboard'
    }
  }
  const dashboard = routes(Dashboard, (r) => ({
    login: r.get('/login', 'login'),
    index: r.get('/dashboard(.:format)?', 'index'),
  }))

  for (const [what, id] of [
    ['absent', undefined],
    ['empty', '""'],
    ['0', '0'],
    ['null', 'null'],
  ] as const) {
    for (const path of ['/dashboard', '/dashboard.json']) {
      it(`${path}: ${what}`, async () => {
        const visitor = (await serve([dashboard])).visitor()
        await visitor.get('/login', id === undefined ? {} : { query: { id } })
        expect((await visitor.get(path)).status).toBe(401)
      })
    }
  }

  it('and lets a visitor with one in', async () => {
    const app = await serve([dashboard])
    const visitor = app.visitor()
    await visitor.get('/login', { query: { id: '7' } })
    expect((await visitor.get('/dashboard')).body).toBe('dashboard')
    expect((await app.get('/dashboard')).status).toBe(401)
  })

  it('an attribute name of 129 characters is a clear error before anything is stored', async () => {
    class Long extends FwController {
      index() {
        this.session.set('a'.repeat(129), 1)
        return 'never'
      }
    }
    const app = await serve([routes(Long, (r) => ({ index: r.get('/', 'index') }))])
    expect((await app.get('/')).status).toBe(500)
    expect(app.lines.map(({ fields }) => fields['err'])).toEqual([
      expect.objectContaining({ code: 'session.name-too-long' }),
    ])
  })
})

describe('Authentication 2: protection against forged requests', () => {
  const seen: string[] = []
  class Posts extends FwController {
    static {
      this.protectFromForgery({ except: ['hook'] })
      this.before(() => seen.push('before'))
    }
    pageWithForm() {
      const token = new ForgeryToken(this.session)
      return { token: token.mask(), again: token.mask() }
    }
    create() {
      return 'created'
    }
    login() {
      this.session.renewSession()
      return 'in'
    }
    hook() {
      return 'hooked'
    }
    script() {
      this.response.headers.set('Content-Type', 'text/javascript')
      return 'secret()'
    }
  }
  const posts = routes(Posts, (r) => ({
    form: r.get('/form', 'pageWithForm'),
    create: r.post('/posts/?', 'create').as('create'),
    login: r.post('/login', 'login'),
    hook: r.post('/hook', 'hook').as('hook'),
    script: r.get('/me.js', 'script'),
  }))
  const start = async () => {
    const app = await serve([posts], {
      configuration: { csrf: { trustedOrigins: ['https://app.example.com'] } },
    })
    const visitor = app.visitor()
    const { token, again } = (await visitor.get('/form')).json() as { token: string; again: string }
    return { app, visitor, token, again }
  }

  it('each masked token is different, and every one is good, as parameter and as either header', async () => {
    const { visitor, token, again } = await start()
    expect(again).not.toBe(token)
    for (const each of [token, again]) {
      expect((await visitor.post('/posts', { form: { 'csrf-token': each } })).body).toBe('created')
      for (const name of ['X-CSRF-Token', 'X-XSRF-TOKEN'])
        expect((await visitor.post('/posts', { headers: { [name]: each } })).status).toBe(200)
    }
  })

  it('without a good token: 403, whatever the content type, before any filter runs', async () => {
    const { visitor, token, app } = await start()
    seen.length = 0
    const types = [
      'text/plain',
      'APPLICATION/X-WWW-FORM-URLENCODED',
      'application/json; charset=utf-8',
      'x',
    ]
    for (const type of types) {
      const page = await visitor.post('/posts', {
        headers: { 'content-type': type },
        body: '{"a":1}',
      })
      expect(page.status).toBe(403)
    }
    for (const bad of ['', 'x', token.slice(1), `${token}x`, '['.repeat(86), token.toUpperCase()])
      expect((await visitor.post('/posts', { form: { 'csrf-token': bad } })).status).toBe(403)
    expect((await visitor.post('/posts/', {})).status).toBe(403)
    expect((await app.post('/posts', { form: { 'csrf-token': token } })).status).toBe(403)
    expect(seen).toEqual([])
  })

  it('another session’s token is refused, and the old one after a login', async () => {
    const { app, visitor, token } = await start()
    const other = app.visitor()
    await other.get('/form')
    expect((await other.post('/posts', { form: { 'csrf-token': token } })).status).toBe(403)
    expect((await visitor.post('/login', { form: { 'csrf-token': token } })).status).toBe(200)
    expect((await visitor.post('/posts', { form: { 'csrf-token': token } })).status).toBe(403)
  })

  it('an exemption is by route name', async () => {
    const { visitor } = await start()
    expect((await visitor.post('/hook', {})).body).toBe('hooked')
    expect((await visitor.post('/posts', {})).status).toBe(403)
    class Wrong extends FwController {
      static {
        this.protectFromForgery({ except: ['nothere'] })
      }
      index() {
        return 'x'
      }
    }
    await expect(serve([routes(Wrong, (r) => ({ index: r.get('/', 'index') }))])).rejects.toThrow(
      /nothere/,
    )
  })

  it.each([
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ 'sec-fetch-site': 'same-origin' }, 200],
    [{ 'sec-fetch-site': 'none' }, 200],
    [{ origin: 'https://attacker.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: 'http://localhost' }, 200],
    [{ origin: 'https://app.example.com', 'sec-fetch-site': 'cross-site' }, 200],
    [{}, 200],
  ])('where a request says it is from: %j with a good token gives %i', async (headers, status) => {
    const { visitor, token } = await start()
    const page = await visitor.post('/posts', { headers, form: { 'csrf-token': token } })
    expect(page.status).toBe(status)
    if (status === 403) expect((await visitor.post('/hook', { headers })).status).toBe(403)
  })

  it('the refusal is the view /error/403 with its layout, or the format’s body', async () => {
    const app = await serve([posts], {
      files: {
        'src/main/webapp/WEB-INF/layouts/default.ssp':
          '<html><head>${s.csrfMetaTags}</head>${body}</html>',
        'src/main/webapp/WEB-INF/views/error/403.html.ssp': '<h1>Forged</h1>',
      },
    })
    const visitor = app.visitor()
    await visitor.get('/form')
    const refuse = (headers: object) =>
      visitor.post('/posts', { headers: { ...headers, accept: 'text/html' } })
    const withoutToken = await refuse({})
    expect(withoutToken.status).toBe(403)
    expect(withoutToken.body).toMatch(/csrf-token.*<h1>Forged/s)
    // Refused before the session was read.
    const ofOtherSite = await refuse({ 'sec-fetch-site': 'cross-site' })
    expect(ofOtherSite.status).toBe(403)
    expect(ofOtherSite.body).toBe('<html><head></head><h1>Forged</h1></html>')
    const json = await visitor.post('/posts', { headers: { accept: 'application/json' } })
    expect(json.headers.get('content-type')).toBe('application/problem+json')
    expect(json.json()).toMatchObject({ status: 403, code: 'feature.forged-request' })
    expect(app.lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  it('a script for this visitor is not for pages of other sites', async () => {
    const { visitor } = await start()
    const from = async (site: string) =>
      (
        await visitor.get('/me.js', {
          headers: { 'sec-fetch-site': site, 'sec-fetch-dest': 'script' },
        })
      ).status
    expect(await from('cross-site')).toBe(403)
    expect(await from('same-site')).toBe(403)
    expect(await from('same-origin')).toBe(200)
    expect((await visitor.get('/me.js')).status).toBe(200)
  })
})
