/** Several matchers on one route: all must match, from left to right; later captures take precedence. */
import { expect, it } from 'vitest'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { serve } from '../support/serve.ts'

class Numbers extends FwController {
  show() {
    return {
      id: this.params.get('id'),
      captures: this.multiParams.get('captures'),
      splat: this.multiParams.get('splat'),
    }
  }
}

it('responds only if all match', async () => {
  const app = await serve([
    routes(Numbers, (r) => ({
      show: r.get('/things/:id', { also: [/^\/things\/(\d+)$/] }, 'show'),
    })),
  ])
  expect((await app.get('/things/12')).json()).toEqual({ id: '12', captures: ['12'], splat: [] })
  expect((await app.get('/things/twelve')).status).toBe(404)
})

it('a later matcher overrides captures of the same name', async () => {
  const app = await serve([
    routes(Numbers, (r) => ({ show: r.get('/a/:id', { also: ['/*', '/:x/:id.txt'] }, 'show') })),
  ])
  expect((await app.get('/a/b.txt')).json()).toEqual({ id: 'b', captures: [], splat: ['a/b.txt'] })
})

it('matchers after one that fails are not evaluated, and the condition comes last', async () => {
  let asked = 0
  const when = () => {
    asked += 1
    return true
  }
  const app = await serve([
    routes(Numbers, (r) => ({ show: r.get('/a/:id', { also: ['/a/:id/x'], when }, 'show') })),
  ])
  expect((await app.get('/a/1')).status).toBe(404)
  expect(asked).toBe(0)
})

it('works below a context path and a mount path, and precedes the same pattern alone', async () => {
  const numbers = routes(Numbers, (r) => ({
    digits: r.get('/:id', { also: [/^\/\d+$/] }, () => 'digits'),
    other: r.get('/:id', () => 'other'),
  }))
  const app = await serve([[numbers, '/n']], { configuration: { contextPath: '/app' } })
  expect((await app.get('/app/n/12')).body).toBe('digits')
  expect((await app.get('/app/n/x')).body).toBe('other')
})
