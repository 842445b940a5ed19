import { describe, expect, it } from 'vitest'
import { MultiParams, Params, combineSources } from '../params.ts'

const source = (values: Record<string, string[]>) => new Map(Object.entries(values))
const both = (...layers: Parameters<typeof combineSources>) => {
  const combined = combineSources(...layers)
  return { params: new Params(combined), multi: new MultiParams(combined) }
}

describe('decision 11: sources of a request', () => {
  it('orders query values before form values', () => {
    const { params, multi } = both(source({}), source({ x: ['q'] }), source({ x: ['f'] }))
    expect(params.get('x')).toBe('q')
    expect(multi.get('x')).toEqual(['q', 'f'])
  })

  it('replaces all other values of a key by the path parameter', () => {
    const { params, multi } = both(source({ x: ['1'] }), source({ x: ['2'] }), source({ x: ['3'] }))
    expect(params.get('x')).toBe('1')
    expect(multi.get('x')).toEqual(['1'])
  })

  it('reads a form or a query on its own', () => {
    expect(both(source({}), source({}), source({ f: ['1'] })).params.get('f')).toBe('1')
    expect(both(source({}), source({ q: ['1'] })).params.get('q')).toBe('1')
  })

  it('does not read query or form for a path parameter', () => {
    const untouchable = {
      get(): never {
        throw new Error('asked')
      },
      keys: () => [],
    }
    const { params } = both(source({ id: ['1'] }), untouchable, untouchable)
    expect(params.get('id')).toBe('1')
  })

  it('lists each key once', () => {
    const combined = combineSources(
      source({ a: ['1'] }),
      source({ a: ['2'], b: ['1'] }),
      source({ b: [''] }),
    )
    expect([...combined.keys()]).toEqual(['a', 'b'])
  })
})

describe('lookup', () => {
  it('returns undefined for an absent key and for a key without texts', () => {
    const params = new Params(source({ none: [] }))
    expect(params.get('x')).toBeUndefined()
    expect(params.get('none')).toBeUndefined()
    expect(params.has('none')).toBe(false)
    expect(new MultiParams(params.source).get('none')).toBeUndefined()
  })

  it('falls back to k[] and lists the key as sent', () => {
    const from = source({ 'k[]': ['1', '2'] })
    expect(new Params(from).get('k')).toBe('1')
    expect(new Params(from).has('k')).toBe(true)
    expect(new MultiParams(from).get('k')).toEqual(['1', '2'])
    expect([...new Params(from).keys()]).toEqual(['k[]'])
    expect(new Params(source({ k: ['own'], 'k[]': ['1'] })).get('k')).toBe('own')
  })

  it('returns empty lists for splat and captures of a route without them', () => {
    const multi = new MultiParams(source({}))
    expect(multi.get('splat')).toEqual([])
    expect(multi.get('captures')).toEqual([])
    expect(new MultiParams(source({ splat: ['a', 'b'] })).get('splat')).toEqual(['a', 'b'])
  })

  it('drops texts that do not convert', () => {
    const multi = new MultiParams(source({ n: ['1', 'a', '2'], w: ['a', 'b'] }))
    expect(multi.toMap().get('n')).toEqual(['1', 'a', '2'])
    expect(multi.has('n')).toBe(true)
    expect([...multi.keys()]).toEqual(['n', 'w'])
  })

  it('treats keys of Object.prototype as ordinary keys', () => {
    const params = new Params(new Map([['__proto__', ['x']]]))
    expect(params.get('constructor')).toBeUndefined()
    expect(params.get('__proto__')).toBe('x')
    expect(params.toMap().get('__proto__')).toBe('x')
  })
})

describe('copies', () => {
  it('adds and hides keys without changing the original', () => {
    const base = new Params(source({ a: ['1'], 'b[]': ['2'] }))
    const copy = base.with('c', 3).with('d', ['x', 'y']).with('a', undefined).with('b', undefined)
    expect([...copy.toMap()]).toEqual([
      ['b[]', '2'],
      ['c', '3'],
      ['d', 'x'],
    ])
    expect(copy.get('b')).toBeUndefined()
    expect(copy.get('a')).toBeUndefined()
    expect(new MultiParams(copy.source).get('d')).toEqual(['x', 'y'])
    expect([...base.keys()]).toEqual(['a', 'b[]'])
  })
})
