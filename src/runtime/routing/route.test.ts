/** Routes as values. */
import { describe, expect, it } from 'vitest'
import { Pattern } from './pattern.ts'
import { Route } from './route.ts'

describe('Route', () => {
  it('has its declared properties', () => {
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

  it('as returns another route with the new name', () => {
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

  it('rejects an invalid pattern', () => {
    expect(() => new Route('GET', '')).toThrow(
      expect.objectContaining({ code: 'routing.pattern-invalid' }),
    )
  })
})
