/** Routes as values, and the text that lists them. */
import { describe, expect, it } from 'vitest'
import { listRoutes } from './list-routes.ts'
import { Pattern } from './pattern.ts'
import { Route } from './route.ts'

describe('Route', () => {
  it('keeps what it was declared with', () => {
    const when = (): boolean => true
    const route = new Route('get', '/members/:id', { routeName: 'show', when })
    expect([route.method, route.pattern, route.routeName, route.when]).toEqual([
      'GET',
      '/members/:id',
      'show',
      when,
    ])
    expect(route.matcher).toBeInstanceOf(Pattern)
  })

  it('is another route under another name', () => {
    const when = (): boolean => true
    const route = new Route('GET', '/x', { when })
    const named = route.as('x')
    expect([route.routeName, named.routeName, named.when, named.matcher]).toEqual([
      undefined,
      'x',
      when,
      route.matcher,
    ])
  })

  it('refuses a bad pattern when it is declared', () => {
    expect(() => new Route('GET', '')).toThrow(
      expect.objectContaining({ code: 'routing.pattern-invalid' }),
    )
  })
})

describe('listRoutes', () => {
  it('has a line for each route, sorted by pattern, then method, without repetitions', () => {
    const entry = (method: string, matcher?: string | RegExp, hasCondition = false) => ({
      method,
      matcher: new Route(method, matcher).matcher,
      hasCondition,
    })
    const entries = [
      entry('POST', '/b'),
      entry('GET', '/b'),
      entry('GET', '/a', true),
      entry('GET', '/a'),
      entry('GET', '/b'),
      entry('GET', /^\/r(\d+)/),
      entry('DELETE'),
      entry('PUT', undefined, true),
    ]
    expect(listRoutes(entries)).toBe(
      'DELETE\t\nGET\t/a\nGET\t/a [Boolean Guard]\nGET\t/b\nPOST\t/b\nPUT\t[Boolean Guard]\nGET\t^\\/r(\\d+)\n',
    )
    expect(listRoutes([])).toBe('')
  })
})
