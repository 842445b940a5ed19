/** Errors of the specification; decisions 4, 5, 6 and 25: error blocks, status traps, not-found blocks. */
import { describe, expect, it } from 'vitest'
import { FwController, FwServlet, microFilter, mix, routes } from '../../src/runtime/controller.ts'
import { ErrorPageFilter } from '../../src/runtime/feature.ts'
import { FwError, HttpError } from '../../src/runtime/base.ts'
import { NotFound, Unauthorized } from '../../src/runtime/http.ts'
import { ParamType } from '../../src/runtime/params.ts'
import { serve } from '../support/serve.ts'

class TeapotError extends Error {}
class HotTeapotError extends TeapotError {}

describe('error blocks', () => {
  class Base extends FwController {
    static {
      this.error((error) => `base ${(error as Error).message}`)
      this.error(TeapotError, (_error, c) => {
        c.status = 418
        return 'tea'
      })
    }
    fails() {
      const kind = this.params.get('kind')
      this.status = 202
      if (kind === 'teapot') throw new TeapotError('t')
      if (kind === 'hot') throw new HotTeapotError('h')
      if (kind === 'refused') throw new HttpError(422, 'params.invalid', 'No.')
      throw new Error('plain')
    }
  }
  const get = async (controller: typeof Base, kind: string) => {
    const app = await serve([routes(controller, (r) => ({ fails: r.get('/:kind', 'fails') }))])
    const { status, body } = await app.get(`/${kind}`)
    return [status, body]
  }

  it('are chosen by class, the last registered first; the status is 500 before (decision 4)', async () => {
    expect(await get(Base, 'plain')).toEqual([500, 'base plain'])
    expect(await get(Base, 'teapot')).toEqual([418, 'tea'])
    expect(await get(Base, 'hot')).toEqual([418, 'tea'])
  })

  it('of a subclass come first and never reach the base', async () => {
    class Sub extends Base {
      static {
        this.error(HotTeapotError, () => 'hot')
      }
    }
    expect(await get(Sub, 'hot')).toEqual([500, 'hot'])
    expect(await get(Sub, 'teapot')).toEqual([418, 'tea'])
    expect(await get(Base, 'hot')).toEqual([418, 'tea'])
  })

  it('that pass, or throw the error again, leave it to the ones before', async () => {
    class Passing extends Base {
      static {
        this.error(TeapotError, (_error, c) => c.pass())
        this.error(TeapotError, (error) => {
          throw error
        })
      }
    }
    expect(await get(Passing, 'teapot')).toEqual([418, 'tea'])
  })

  it('that fail themselves are logged, and the next one runs', async () => {
    class Failing extends Base {
      static {
        this.error(TeapotError, () => {
          throw new Error('block')
        })
      }
    }
    const app = await serve([routes(Failing, (r) => ({ fails: r.get('/:kind', 'fails') }))])
    expect((await app.get('/teapot')).body).toBe('tea')
    expect(app.lines.map(({ fields }) => (fields['err'] as Error).message)).toEqual(['block'])
  })

  it('may halt, and redirect (decision 6)', async () => {
    class Leading extends Base {
      static {
        this.error(TeapotError, (_error, c) => c.redirect('/kitchen'))
        this.error(HotTeapotError, (_error, c) => c.halt({ status: 503, body: 'later' }))
      }
    }
    expect(await get(Leading, 'hot')).toEqual([503, 'later'])
    expect(await get(Leading, 'teapot')).toEqual([302, ''])
  })

  it('get an HttpError below 500 only by its class; other handlers do not run', async () => {
    expect((await get(Base, 'refused'))[0]).toBe(422)
    class Telling extends Base {
      static {
        this.error(HttpError, (error) => `refused ${error.code}`)
      }
    }
    expect(await get(Telling, 'refused')).toEqual([422, 'refused params.invalid'])
    class Errors extends Base {
      static {
        this.error(Error, () => 'any error')
      }
    }
    expect((await get(Errors, 'refused'))[1]).not.toBe('any error')
    expect(await get(Errors, 'plain')).toEqual([500, 'any error'])
  })

  const mixed: Readonly<Record<string, typeof FwController>> = {
    'error page first': mix(FwController, ErrorPageFilter),
    'error page last': mix(Base, ErrorPageFilter),
  }
  for (const [name, Mixed] of Object.entries(mixed)) {
    it(`come before error filters, whatever the mixing order (${name})`, async () => {
      class Blocks extends Mixed {
        static {
          this.error(TeapotError, () => 'block')
        }
        brew() {
          throw new TeapotError('x')
        }
      }
      const app = await serve([routes(Blocks, (r) => ({ brew: r.get('/', 'brew') }))])
      expect((await app.get('/')).body).toBe('block')
      expect(app.lines).toEqual([])
    })
  }

  it("run after the headers of the action's page are removed", async () => {
    class Cached extends FwController {
      static {
        this.error(() => 'sorry')
      }
      index() {
        this.response.headers.set('Cache-Control', 'public, max-age=600')
        this.response.headers.set('ETag', '"a"')
        this.response.headers.set('X-Kept', '1')
        throw new Error('x')
      }
    }
    const page = await (await serve([routes(Cached, (r) => ({ i: r.get('/', 'index') }))])).get('/')
    expect(['cache-control', 'etag', 'x-kept'].map((name) => page.headers.get(name))).toEqual([
      'private, no-cache',
      null,
      '1',
    ])
  })
})

describe('status traps', () => {
  class Trapping extends FwController {
    static {
      this.trap([400, 499], (c) => `range ${c.status}`)
      this.trap(401, () => 'old')
      this.trap(401, (c) => {
        c.response.headers.set('X-Trap', '1')
        return 'trapped'
      })
      this.trap(410, (c) => c.halt({ status: 404, body: '404' }))
      this.trap(409, (c) => c.pass())
      this.trap(408, () => undefined)
      this.trap(412, async () => ({ late: true }))
      this.trap(418, () => {
        throw new Error('trap')
      })
    }
    act() {
      const status = Number(this.params.get('status'))
      if (this.params.get('how') === 'halt')
        this.halt({ status, headers: { 'X-Halt': '1' }, body: 'halted' })
      if (this.params.get('how') === 'result') return Unauthorized('result')
      if (this.params.get('how') === 'error') throw new HttpError(status, 'params.invalid', 'No.')
      this.status = status
      return 'action'
    }
  }
  class Inheriting extends Trapping {}
  const get = async (path: string, controller = Trapping) => {
    const app = await serve([routes(controller, (r) => ({ act: r.get('/:how/:status', 'act') }))])
    return app.get(path)
  }

  for (const [path, status, body] of [
    ['/set/200', 200, 'action'],
    ['/set/401', 401, 'trapped'],
    ['/set/403', 403, 'range 403'],
    ['/halt/401', 401, 'trapped'],
    ['/result/401', 401, 'trapped'],
    ['/error/403', 403, 'range 403'],
    ['/halt/410', 404, '404'],
    ['/set/409', 409, 'action'],
    ['/set/408', 408, 'action'],
    ['/set/412', 412, '{"late":true}'],
  ] as const) {
    it(`${path} answers ${status} ${body}`, async () => {
      const page = await get(path)
      expect([page.status, page.body]).toEqual([status, body])
    })
  }

  it('keep status and headers of the halt they answer (decision 6)', async () => {
    const page = await get('/halt/401')
    expect([page.status, page.headers.get('x-halt'), page.headers.get('x-trap')]).toEqual([
      401,
      '1',
      '1',
    ])
  })

  it('are inherited; one that fails is a fault', async () => {
    expect((await get('/set/401', Inheriting)).body).toBe('trapped')
    expect((await get('/set/418')).status).toBe(500)
  })

  it('a status that cannot be is refused at once', () => {
    expect(() => Trapping.trap(42, () => 'x')).toThrow(/status/)
  })
})

describe('notFound and methodNotAllowed blocks', () => {
  class Pages extends FwController {
    static {
      this.notFound((c) => `no ${c.request.path.text} ${c.status}`)
      this.methodNotAllowed((_c, allowed) => `only ${allowed.join(' ')}`)
      this.before((c) => c.response.headers.set('X-Before', '1'))
    }
    show() {
      if (this.params.get('id') === 'halt') this.halt(404)
      if (this.params.get('id') === 'result') return NotFound()
      if (this.params.get('id') === 'body') this.halt({ status: 404, body: 'own' })
      return 'page'
    }
  }
  const pages = () => routes(Pages, (r) => ({ show: r.get('/pages/:id', 'show') }))
  const others = () => microFilter((r) => ({ other: r.get('/other', () => 'other') }))

  it('the status is 404 or 405 before they run (decision 4), and no filter runs', async () => {
    const app = await serve([pages(), others()])
    const missing = await app.get('/nowhere')
    expect([missing.status, missing.body]).toEqual([404, 'no /nowhere 404'])
    expect(missing.headers.get('x-before')).toBe(null)
    const wrong = await app.delete('/pages/1')
    expect([wrong.status, wrong.body, wrong.headers.get('allow')]).toEqual([
      405,
      'only GET HEAD OPTIONS',
      'GET, HEAD, OPTIONS',
    ])
  })

  it('run only when no controller matches', async () => {
    expect((await (await serve([pages(), others()])).get('/other')).body).toBe('other')
  })

  it('answer halt(404) and NotFound() without a body (decision 5), not one with a body', async () => {
    const app = await serve([pages()])
    const bodies = await Promise.all(
      ['halt', 'result', 'body'].map(async (id) => (await app.get(`/pages/${id}`)).body),
    )
    expect(bodies).toEqual(['no /pages/halt 404', 'no /pages/result 404', 'own'])
  })

  it('may change the status; the one with the longest mount path runs', async () => {
    class Admin extends FwController {
      static {
        this.notFound((c) => {
          c.status = 410
          return 'admin'
        })
      }
      index() {
        return 'x'
      }
    }
    const app = await serve([
      pages(),
      [routes(Admin, (r) => ({ index: r.get('/', 'index') })), '/admin'],
    ])
    const page = await app.get('/admin/nowhere')
    expect([page.status, page.body]).toEqual([410, 'admin'])
    expect((await app.get('/nowhere')).body).toBe('no /nowhere 404')
  })

  it('methodNotAllowed may pass, which makes the path a 404', async () => {
    class Passing extends FwServlet {
      static {
        this.methodNotAllowed((c) => c.pass())
        this.notFound(() => 'nothing here')
      }
      index() {
        return 'x'
      }
    }
    const app = await serve([routes(Passing, (r) => ({ index: r.get('/', 'index') }))])
    const page = await app.post('/')
    expect([page.status, page.body, page.headers.get('allow')]).toEqual([404, 'nothing here', null])
  })

  it('a block that ends in a bare 404 itself has the plain page', async () => {
    for (const again of [() => NotFound(), (c: FwController) => c.halt(404)]) {
      class Again extends FwController {
        static {
          this.notFound(again)
        }
        show() {
          return NotFound()
        }
      }
      const app = await serve([routes(Again, (r) => ({ show: r.get('/x', 'show') }))])
      for (const path of ['/x', '/y']) {
        expect((await app.get(path)).html('h1')).toBe('404 Not Found')
      }
    }
  })

  it('a block that fails is a fault of its controller', async () => {
    class Broken extends FwController {
      static {
        this.notFound(() => {
          throw new Error('x')
        })
        this.error(() => 'handled')
      }
      show() {
        return NotFound()
      }
    }
    const app = await serve([routes(Broken, (r) => ({ show: r.get('/x', 'show') }))])
    for (const path of ['/x', '/y']) {
      const page = await app.get(path)
      expect([page.status, page.body]).toEqual([500, 'handled'])
    }
  })
})

describe('machine readable errors (decision 25)', () => {
  class Refusing extends FwController {
    index() {
      throw new HttpError(400, 'params.invalid', 'Wrong.', { details: { errors: { name: ['x'] } } })
    }
    fails() {
      throw new FwError('model.column-unknown', 'secret')
    }
  }
  const refusing = () =>
    routes(Refusing, (r) => ({ index: r.get('/', 'index'), fails: r.get('/fails', 'fails') }))

  it('JSON is application/problem+json, with status and message', async () => {
    const page = await (
      await serve([refusing()])
    ).get('/', { headers: { accept: 'application/json' } })
    expect(page.headers.get('content-type')).toBe('application/problem+json')
    expect(page.json()).toEqual({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      message: 'Wrong.',
      code: 'params.invalid',
      errors: { name: ['x'] },
    })
  })

  it('XML likewise', async () => {
    const page = await (await serve([refusing()])).get('/?format=xml')
    expect(page.headers.get('content-type')).toContain('application/xml')
    expect(page.body).toContain('<status>400</status>')
    expect(page.body).toContain('<message>Wrong.</message>')
  })

  it('a fault does not reveal its text, in any format', async () => {
    for (const format of ['html', 'json', 'xml', 'txt']) {
      const page = await (await serve([refusing()])).get(`/fails?format=${format}`)
      expect([page.status, page.body.includes('secret')]).toEqual([500, false])
    }
  })
})

describe('the specification’s table of errors', () => {
  it('an id that is absent or unknown is haltWithBody(404); a missing user is halt(401)', async () => {
    const members = new Map([[7, { name: 'Ann' }]])
    class Members extends FwController {
      show() {
        const id = this.params.getAs('id', ParamType.Long)
        const member = id === undefined ? undefined : members.get(id)
        if (member === undefined) this.haltWithBody(404)
        this.set('member', member)
        return this.render('/members/show')
      }
      dashboard() {
        this.halt(401)
      }
    }
    const files = {
      'src/main/webapp/WEB-INF/views/error/404.html.ssp': '<h1>Gone fishing</h1>',
      'src/main/webapp/WEB-INF/views/members/show.html.ssp':
        '<%@val member: { name: string } %><h1>${member.name}</h1>',
    }
    const app = await serve(
      [
        routes(Members, (r) => ({
          show: r.get('/members/:id', 'show').as('show'),
          none: r.get('/member', 'show').as('none'),
          dashboard: r.get('/dashboard', 'dashboard'),
        })),
      ],
      { files },
    )
    const shown = await app.get('/members/7')
    expect([shown.status, shown.html('h1')]).toEqual([200, 'Ann'])
    for (const path of ['/members/8', '/members/x', '/member']) {
      const missing = await app.get(path)
      expect([missing.status, missing.html('h1')]).toEqual([404, 'Gone fishing'])
    }
    const { status, body } = await app.get('/dashboard')
    expect([status, body]).toEqual([401, ''])
  })
})
