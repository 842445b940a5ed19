import { describe, expect, it } from 'vitest'
import { parsePath } from '../http.ts'
import { PrefixTable } from './prefix-table.ts'

describe('a prefix table', () => {
  const table = new PrefixTable([
    ['', 'root'],
    ['/shop', 'shop'],
    ['/shop/admin', 'admin'],
  ])
  const find = (path: string, select = (value: string): string | undefined => value) =>
    table.find(parsePath(path), select)

  it.each([
    ['/', 'root'],
    ['/shop', 'shop'],
    ['/shop/', 'shop'],
    ['/shop/7/x', 'shop'],
    ['/shopping', 'root'],
    ['/shop/admin/', 'admin'],
    ['/shop/admin2', 'shop'],
    ['/x/shop/admin', 'root'],
  ])('%s belongs to the longest prefix that ends at a segment: %s', (path, value) => {
    expect(find(path)).toBe(value)
  })

  it('goes on to a shorter prefix if the value has nothing to select', () => {
    expect(find('/shop/admin/x', (value) => (value === 'admin' ? undefined : value))).toBe('shop')
    expect(find('/shop/admin/x', () => undefined)).toBeUndefined()
  })

  it('looks up only as many prefixes as the longest one has segments', () => {
    const seen: string[] = []
    find(`/shop/admin${'/x'.repeat(1000)}`, (value) => void seen.push(value))
    expect(seen).toEqual(['admin', 'shop', 'root'])
    expect(new PrefixTable<string>([]).find(parsePath('/x/y'), (value) => value)).toBeUndefined()
  })
})
