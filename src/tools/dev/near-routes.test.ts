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
    expect(nearRoutes(path, routes)[0]).toBe(nearest)
  })

  it('are none for a path without similarity, and for a very long one', () => {
    expect(nearRoutes('/zzzzzzzzzzzz/zzzzzzzzzz/zzzzzzzz', routes)).toEqual([])
    expect(nearRoutes(`/${'members/'.repeat(100)}`, routes)).toEqual([])
  })

  it('are escaped in HTML', () => {
    expect(nearRoutesSection('GET /<b>', [])).toContain('<code>GET /&lt;b&gt;</code>')
  })
})
