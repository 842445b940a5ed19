import { describe, expect, it } from 'vitest'
import { nearRoutes, nearRoutesSection } from './near-routes.ts'

const routes = [
  { method: 'GET', path: '/' },
  { method: 'GET', path: '/members' },
  { method: 'GET', path: '/members/:id' },
  { method: 'GET', path: '/members/:id/edit' },
  { method: 'GET', path: '/companies' },
]

describe('routes near a path', () => {
  it.each([
    ['/membrs', 'GET /members'],
    ['/member/3', 'GET /members/:id'],
    ['/members/3/edti', 'GET /members/:id/edit'],
    ['/Company', 'GET /companies'],
  ])('%s: %s', (path, nearest) => {
    expect(nearRoutes({ method: 'GET', path }, routes)[0]).toBe(nearest)
  })

  it('begin with those of the method, if they are equally near', () => {
    const both = [...routes, { method: 'POST', path: '/members/?' }]
    expect(nearRoutes({ method: 'POST', path: '/membrs' }, both)[0]).toBe('POST /members')
    expect(nearRoutes({ method: 'POST', path: '/members/3/edit' }, both)[0]).toBe(
      'GET /members/:id/edit',
    )
  })

  it('are none for a path without similarity, and for a very long one', () => {
    expect(
      nearRoutes({ method: 'GET', path: '/zzzzzzzzzzzz/zzzzzzzzzz/zzzzzzzz' }, routes),
    ).toEqual([])
    expect(nearRoutes({ method: 'GET', path: `/${'members/'.repeat(100)}` }, routes)).toEqual([])
  })

  it('are escaped in HTML', () => {
    expect(nearRoutesSection('GET /<b>', [])).toContain('<code>GET /&lt;b&gt;</code>')
  })
})
