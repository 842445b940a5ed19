/** Response helpers where one does not expect them: redirects in late filters, values no response can have, streams that fail. */
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { registrationsOf } from '../../src/runtime/action.ts'
import { HttpError } from '../../src/runtime/base.ts'
import { FwController, mix, routes } from '../../src/runtime/controller.ts'
import { ErrorPageFilter, rateLimit } from '../../src/runtime/feature.ts'
import { HttpResponse } from '../../src/runtime/http.ts'
import { emptyUnit } from '../support/empty-unit.ts'
import { serve } from '../support/serve.ts'

abstract class Faulty extends FwController {
  boom(): void {
    throw new Error('boom')
  }
}

describe('a redirect (decision 8)', () => {
  it('in an after filter takes the place of the action’s answer', async () => {
    class Late extends FwController {
      static {
        this.after((c) => void c.redirect('/elsewhere'))
      }
      index(): string {
        return 'secret'
      }
    }
    const page = await (
      await serve([routes(Late, (r) => ({ index: r.get('/', 'index') }))])
    ).get('/')
    expect([page.status, page.location, page.body]).toEqual([302, '/elsewhere', ''])
  })

  it('in a trap takes the place of the answer', async () => {
    class Trapped extends FwController {
      static {
        this.trap(401, (c) => void c.redirect('/login'))
      }
      index(): void {
        this.halt({ status: 401, body: 'no' })
      }
    }
    const page = await (
      await serve([routes(Trapped, (r) => ({ index: r.get('/', 'index') }))])
    ).get('/')
    expect([page.status, page.location, page.body]).toEqual([302, '/login', ''])
  })

  it('in an error filter responds once all of them have run', async () => {
    const ran: string[] = []
    class Errors extends Faulty {
      static {
        this.addErrorFilter((_error, c) => void c.redirect('/sorry'))
        this.addErrorFilter(() => void ran.push('second'))
      }
    }
    const page = await (
      await serve([routes(Errors, (r) => ({ boom: r.get('/', 'boom') }))])
    ).get('/')
    expect([page.status, page.location, ran]).toEqual([302, '/sorry', ['second']])
  })

  it('in a rendering error filter responds, returned or not', async () => {
    class Errors extends Faulty {
      static {
        this.addRenderingErrorFilter((_error, c) => void c.redirect('/sorry'))
      }
    }
    const page = await (
      await serve([routes(Errors, (r) => ({ boom: r.get('/', 'boom') }))])
    ).get('/')
    expect([page.status, page.location]).toEqual([302, '/sorry'])
  })

  it('of a route that passes is forgotten', async () => {
    const controller = routes(class extends FwController {}, (r) => ({
      next: r.get('/', () => 'next'),
      passing: r.get('/', (c) => {
        c.redirect('/elsewhere')
        c.pass()
      }),
    }))
    expect((await (await serve([controller])).get('/')).body).toBe('next')
  })
})

describe('an impossible response is a fault like any other', () => {
  class Odd extends FwController {
    static undone: string[] = []
    static {
      registrationsOf(this).beginUnit = (ctx) => ({
        ...emptyUnit,
        async rollback() {
          Odd.undone.push(ctx.request.path.raw)
        },
      })
      this.addRenderingErrorFilter(() => 'the error filter')
    }
    number(): number {
      return 42
    }
    setter(): void {
      this.status = 99
    }
    haltStatus(): void {
      this.halt(1000)
    }
    haltBody(): void {
      this.halt({ body: { toJSON: () => expect.unreachable() } })
    }
    ownView(): void {}
  }
  const odd = routes(Odd, (r) => ({
    number: r.get('/number', 'number'),
    setter: r.get('/setter', 'setter'),
    haltStatus: r.get('/halt-status', 'haltStatus'),
    haltBody: r.get('/halt-body', 'haltBody'),
    ownView: r.get('/own-view', 'ownView').as('own'),
  }))
  const files = {
    'src/main/webapp/WEB-INF/views/odd/own.html.ssp':
      '<p><%= await Promise.reject(new Error("late")) %></p>',
  }
  it.each(['/number', '/setter', '/halt-status', '/halt-body', '/own-view'])(
    '%s is undone and reaches the error filters',
    async (path) => {
      Odd.undone = []
      const page = await (await serve([odd], { files })).get(path)
      expect([page.status, page.body, Odd.undone]).toEqual([500, 'the error filter', [path]])
    },
  )
})

it('an HttpResponse keeps headers that stand on several lines, and the cookies set before', async () => {
  const controller = routes(class extends FwController {}, (r) => ({
    index: r.get('/', (c) => {
      c.response.headers.append('Set-Cookie', 'first=1')
      c.response.headers.append('Link', '</old>')
      const answer = new HttpResponse(200, 'x')
      for (const cookie of ['a=1', 'b=2']) answer.headers.append('Set-Cookie', cookie)
      for (const link of ['</a>', '</b>']) answer.headers.append('Link', link)
      return answer
    }),
  }))
  const { headers } = await (await serve([controller])).get('/')
  expect(headers.getSetCookie()).toEqual(['first=1', 'a=1', 'b=2'])
  expect(headers.get('link')).toBe('</a>, </b>')
})

describe('a Node stream as an answer', () => {
  const missing = () => createReadStream('/no/such/file')

  it('that fails before it is read does not end the process', async () => {
    const failed = Promise.withResolvers<void>()
    class Files extends FwController {
      static {
        // As long as a COMMIT may take.
        this.after(() => failed.promise)
      }
      index() {
        return missing().on('close', () => failed.resolve())
      }
    }
    const client = await serve([routes(Files, (r) => ({ index: r.get('/', 'index') }))])
    await expect(client.get('/')).resolves.toMatchObject({ status: 500 })
  })

  it('that is replaced is let go of', async () => {
    const open = new Readable({ read: () => {} })
    class Files extends FwController {
      static {
        this.after(() => {
          throw new Error('after')
        })
      }
      index() {
        return open
      }
    }
    const client = await serve([routes(Files, (r) => ({ index: r.get('/', 'index') }))])
    expect((await client.get('/')).status).toBe(500)
    expect(open.destroyed).toBe(true)
  })
})

describe('a fault', () => {
  it('that was thrown without a value reaches handlers and log as an error', async () => {
    class Nothing extends FwController {
      static {
        this.addErrorFilter((error) => void seen.push(error))
      }
      index(): void {
        throw undefined
      }
    }
    const seen: unknown[] = []
    await (await serve([routes(Nothing, (r) => ({ index: r.get('/', 'index') }))])).get('/')
    expect(seen).toEqual([new TypeError('Something threw no value.')])
  })

  it.each([() => () => 'source', () => Symbol('s')])(
    'is a result that nobody can read: %s',
    async (make) => {
      const client = await serve([
        routes(class extends FwController {}, (r) => ({ index: r.get('/', make) })),
      ])
      const page = await client.get('/')
      expect(page.status).toBe(500)
      expect(client.lines.map(({ fields }) => fields['err'])).toEqual([expect.any(TypeError)])
    },
  )

  it.each(['/list', '/map'])(
    'is a promise left in a JSON answer, whose rejection ends no process: %s',
    async (path) => {
      const late = () => Promise.reject(new Error('late'))
      const client = await serve([
        routes(class extends FwController {}, (r) => ({
          list: r.get('/list', () => ({ list: [{ a: late() }, late()] })),
          map: r.get('/map', () => ({ map: new Map([['a', late()]]), also: late() })),
        })),
      ])
      const page = await client.get(path)
      expect(page.status).toBe(500)
      const message = expect.stringMatching(
        /^The promise at '\w+' in a JSON response was not awaited/,
      )
      expect(client.lines.map(({ fields }) => fields['err'])).toEqual([
        expect.objectContaining({ message }),
      ])
      // A rejection that nobody took would be told now, and fail this test.
      await new Promise((resolve) => setImmediate(resolve))
    },
  )

  it('sends no cookie that was set before it; those of its handlers are sent', async () => {
    class Failing extends FwController {
      static {
        this.addErrorFilter((_error, c) => void c.cookies.set('told', 'yes'))
      }
      index(): void {
        this.cookies.set('before', 'no')
        this.cookies.signed.set('signed', 'no')
        this.response.headers.append('Set-Cookie', 'raw=no')
        throw new Error('boom')
      }
    }
    const client = await serve([routes(Failing, (r) => ({ index: r.get('/', 'index') }))])
    const { headers } = await client.get('/')
    expect(headers.getSetCookie().map((line) => line.split(';', 1)[0])).toEqual(['told=yes'])
  })

  it('in the error view is logged, and the response is the plain page', async () => {
    const files = {
      'src/main/webapp/WEB-INF/views/error/500.html.ssp': '<% throw new Error("the view") %>',
    }
    class Broken extends mix(Faulty, ErrorPageFilter) {}
    const client = await serve([routes(Broken, (r) => ({ boom: r.get('/', 'boom') }))], { files })
    const page = await client.get('/')
    expect([page.status, page.html('h1')]).toEqual([500, '500 Internal Server Error'])
    expect(client.lines.map(({ message }) => message)).toEqual([
      'request failed',
      'error view failed',
    ])
  })

  it('in an error block that redirected before is answered by the next one', async () => {
    class Blocks extends Faulty {
      static {
        this.addRenderingErrorFilter(() => 'the filter')
        this.error((_error, c) => {
          c.redirect('/sorry')
          c.pass()
        })
      }
    }
    const page = await (
      await serve([routes(Blocks, (r) => ({ boom: r.get('/', 'boom') }))])
    ).get('/')
    expect([page.status, page.body]).toEqual([500, 'the filter'])
  })

  it('is not logged when the client has disconnected', async () => {
    const gone = new AbortController()
    const controller = routes(class extends FwController {}, (r) => ({
      index: r.get('/', (c) => {
        const { signal } = c.ctx
        gone.abort()
        signal.throwIfAborted()
      }),
    }))
    const client = await serve([controller])
    await client.app.fetch(new Request('http://localhost/', { signal: gone.signal }))
    expect(client.lines).toEqual([])
  })
})

it('a refusal in XML has no character that XML forbids', async () => {
  const controller = routes(class extends FwController {}, (r) => ({
    index: r.get('/', (c) => {
      throw new HttpError(400, 'params.invalid', `<${c.params.get('q') ?? ''}>`)
    }),
  }))
  const headers = { accept: 'application/xml' }
  const page = await (await serve([controller])).get('/?q=%01', { headers })
  expect(page.body).toContain('<message>&lt;\ufffd&gt;</message>')
})

it('a limiter that rejects without saying until when still limits', async () => {
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors
  const limiter = { consume: () => Promise.reject() }
  class Limited extends mix(FwController, rateLimit({ limiter })) {}
  const page = await (
    await serve([routes(Limited, (r) => ({ index: r.get('/', () => 'x') }))])
  ).get('/')
  expect([page.status, page.headers.get('retry-after')]).toEqual([429, '1'])
})
