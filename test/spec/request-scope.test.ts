/** General rules › 2 of the specification: request-scope values, the parameters that a form shows, names and URLs. */
import { describe, expect, it } from 'vitest'
import { Temporal } from '../../src/runtime/base.ts'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { Params, ParamType } from '../../src/runtime/params.ts'
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

  it('view.get returns values, checks their class, and has the values of every request', async () => {
    const page = await ask(
      '/shop/ask/1?q=2',
      (c) => {
        c.set('when', Temporal.PlainDate.from('2000-01-02'))
        return {
          when: c.view.get('when', Temporal.PlainDate)?.year,
          nothing: c.view.get('nothing') === undefined,
          contextPath: c.view.get('contextPath'),
          requestPath: c.view.get('requestPath'),
          whole: c.view.get('requestPathWithQueryString'),
          id: c.view.get('params', Params)?.get('id'),
          errors: c.view.get('errorMessages'),
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

  it('a value of another class than the requested one is a conflict', async () => {
    for (const wrong of [
      (c: Scoped) => {
        c.set('when', 'x')
        return c.view.get('when', Temporal.PlainDate)
      },
      (c: Scoped) => {
        c.set('params', 'x')
        return c.view.addParam('a', '1')
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

  for (const [name, options] of [
    ['camel case', undefined],
    ['snake case', { snakeCase: true }],
  ] as const) {
    it(`setAsParams and addParam show a record in a form (${name})`, async () => {
      class Shows extends FwController {
        index() {
          this.view.setAsParams(
            { firstName: 'Ann', birthday: Temporal.PlainDate.from('2000-01-02') },
            options,
          )
          this.view.addParam('nickName', 'A', options)
          const shown = this.view.get('params', Params)!
          const both = [...shown.toMap()]
          this.view.resetParams()
          return [both, [...this.view.get('params', Params)!.toMap()]]
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

  it('set as the last statement renders the view of the route, if it exists (decision 32)', async () => {
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
  it('ctx.routeName is the name of the route', async () => {
    expect((await ask('/ask/1', (c) => c.ctx.routeName)).body).toBe('ask')
    const page = await ask('/else', (c) => String(c.ctx.routeName))
    expect(page.body).toBe('undefined')
  })

  it('url, fullUrl and relativeUrl', async () => {
    const page = await ask(
      '/shop/ask/1',
      (c) => [
        c.url('/x', { q: 'a b' }),
        c.url('x'),
        c.ctx.fullUrl('/x', { q: '&' }),
        c.ctx.fullUrl('https://else.example/y'),
        c.ctx.relativeUrl('edit', { a: 1 }),
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
