/** General rules › 2 of the specification: request-scope values, the parameters that a form shows, names and URLs. */
import { describe, expect, it } from 'vitest'
import { Temporal } from '../../src/base.ts'
import { FwController, mix, routes } from '../../src/controller.ts'
import { ScopeAccess } from '../../src/feature.ts'
import { Params, ParamType } from '../../src/params.ts'
import { serve } from '../support/serve.ts'

class Scoped extends FwController {
  answer(): unknown {
    return undefined
  }
}
const ask = async (path: string, answer: (c: Scoped) => unknown, configuration = {}) => {
  const app = await serve(
    [routes(Scoped, (r) => ({ ask: r.get('/ask/:id', answer).as('ask'), any: r.get({}, answer) }))],
    { configuration },
  )
  return app.get(path)
}

describe('General rule 2: request-scope values', () => {
  it('set puts one or several, and the view finds them', async () => {
    const files = {
      'src/main/webapp/WEB-INF/views/scope.html.ssp':
        '<%@val a: string %><%@val b: number %><p>${a} ${b}</p>',
    }
    class Sets extends FwController {
      index() {
        this.set('a', 'one')
        this.set({ b: 2 })
        return this.render('/scope')
      }
    }
    const app = await serve([routes(Sets, (r) => ({ index: r.get('/', 'index') }))], { files })
    expect((await app.get('/')).html('p')).toBe('one 2')
  })

  it('getFromRequestScope gives values, typed ones checked, and those that every request has', async () => {
    const page = await ask(
      '/shop/ask/1?q=2',
      (c) => {
        c.set('when', Temporal.PlainDate.from('2000-01-02'))
        return {
          when: c.getFromRequestScope('when', Temporal.PlainDate)?.year,
          nothing: c.getFromRequestScope('nothing') === undefined,
          contextPath: c.getFromRequestScope('contextPath'),
          requestPath: c.getFromRequestScope('requestPath'),
          whole: c.getFromRequestScope('requestPathWithQueryString'),
          id: c.getFromRequestScope('params', Params)?.get('id'),
          errors: c.getFromRequestScope('errorMessages'),
        }
      },
      { contextPath: '/shop' },
    )
    expect(page.json()).toEqual({
      when: 2000,
      nothing: true,
      contextPath: '/shop',
      requestPath: '/shop/ask/1',
      whole: '/shop/ask/1?q=2',
      id: '1',
      errors: [],
    })
  })

  it('a value of another kind than the one asked for is a conflict', async () => {
    for (const wrong of [
      (c: Scoped) => {
        c.set('when', 'x')
        return c.getFromRequestScope('when', Temporal.PlainDate)
      },
      (c: Scoped) => {
        c.set('params', 'x')
        return c.addParam('a', '1')
      },
    ]) {
      const message = await ask('/ask/1', (c) => {
        try {
          return wrong(c)
        } catch (error) {
          return (error as { code?: string }).code
        }
      })
      expect(message.body).toBe('feature.request-scope-conflict')
    }
  })

  abstract class SnakeCased extends FwController {
    override get useSnakeCasedParamKeys() {
      return true
    }
  }
  const bases: Readonly<Record<string, typeof FwController>> = {
    'camel case': mix(FwController, ScopeAccess),
    'snake case': SnakeCased,
  }
  for (const [name, Base] of Object.entries(bases)) {
    it(`setAsParams and addParam show a record in a form (${name})`, async () => {
      class Shows extends Base {
        index() {
          this.setAsParams({ firstName: 'Ann', birthday: Temporal.PlainDate.from('2000-01-02') })
          this.addParam('nickName', 'A')
          const shown = this.getFromRequestScope('params', Params)!
          const both = [...shown.toMap()]
          this.setParams()
          return [both, [...this.getFromRequestScope('params', Params)!.toMap()]]
        }
      }
      const app = await serve([routes(Shows, (r) => ({ index: r.get('/', 'index') }))])
      const [shown, sent] = (await app.get('/?q=1')).json() as [[string, string][], unknown]
      expect(sent).toEqual([['q', '1']])
      expect(Object.fromEntries(shown)).toEqual(
        name === 'camel case'
          ? {
              q: '1',
              firstName: 'Ann',
              birthday: '2000-01-02',
              birthdayYear: '2000',
              birthdayMonth: '1',
              birthdayDay: '2',
              nickName: 'A',
            }
          : {
              q: '1',
              first_name: 'Ann',
              birthday: '2000-01-02',
              birthday_year: '2000',
              birthday_month: '1',
              birthday_day: '2',
              nick_name: 'A',
            },
      )
    })
  }

  it('set as the last statement renders the view of the route, else gives nothing (decision 32)', async () => {
    class OrderItemsController extends FwController {
      index() {
        this.set('n', 1)
      }
      show() {
        return this.set('n', 1)
      }
    }
    const files = {
      'src/main/webapp/WEB-INF/views/order_items/index.html.ssp': '<%@val n: number %><b>${n}</b>',
    }
    const app = await serve(
      [
        routes(OrderItemsController, (r) => ({
          index: r.get('/', 'index'),
          show: r.get('/show', 'show'),
        })),
      ],
      { files },
    )
    expect((await app.get('/')).html('b')).toBe('1')
    const { status, body } = await app.get('/show')
    expect([status, body]).toEqual([200, ''])
  })
})

describe('names and URLs', () => {
  it('currentActionName is the name of the route', async () => {
    expect((await ask('/ask/1', (c) => c.currentActionName)).body).toBe('ask')
    const page = await ask('/else', (c) => String(c.currentActionName))
    expect(page.body).toBe('undefined')
  })

  it('url, fullUrl and relativeUrl', async () => {
    const page = await ask(
      '/shop/ask/1',
      (c) => [
        c.url('/x', { q: 'a b' }),
        c.url('x'),
        c.fullUrl('/x', { q: '&' }),
        c.fullUrl('https://else.example/y'),
        c.relativeUrl('edit', { a: 1 }),
      ],
      { contextPath: '/shop' },
    )
    expect(page.json()).toEqual([
      '/shop/x?q=a%20b',
      '/shop/x',
      'http://localhost/shop/x?q=%26',
      'https://else.example/y',
      'edit?a=1',
    ])
  })

  it('dates are Temporal values, and ISO texts in JSON (decision 14)', async () => {
    const page = await ask('/ask/1?day=2000-01-02&at=03:04:05', (c) => ({
      day: c.params.getAs('day', ParamType.LocalDate),
      at: c.params.getAs('at', ParamType.LocalTime),
      instant: Temporal.Instant.from('2000-01-02T03:04:05Z'),
    }))
    expect(page.json()).toEqual({
      day: '2000-01-02',
      at: '03:04:05',
      instant: '2000-01-02T03:04:05Z',
    })
  })

  it('numbers keep to the safe range, larger ones are bigint (decision 13)', async () => {
    const page = await ask('/ask/9007199254740993', (c) => [
      c.params.getAs('id', ParamType.Long) === undefined,
      String(c.params.getAs('id', ParamType.BigInt)),
      c.params.getAs('id', ParamType.BigDecimal),
    ])
    expect(page.json()).toEqual([true, '9007199254740993', '9007199254740993'])
  })
})
