import { expect, test } from 'vitest'
import * as fc from 'fast-check'
import { UnderWay } from './under-way.ts'

test('property: it holds what a set would hold', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9)), (steps) => {
      const items = Array.from({ length: 10 }, () => ({ place: -1 }))
      const [set, underWay] = [new Set<object>(), new UnderWay<{ place: number }>()]
      for (const at of steps) {
        const item = items[at]!
        const known = set.has(item)
        set[known ? 'delete' : 'add'](item)
        underWay[known ? 'delete' : 'add'](item)
        expect(new Set(underWay)).toEqual(set)
        expect(underWay.size).toBe(set.size)
      }
    }),
  )
})

test('leaving twice takes nothing else away, and what iterates may delete', () => {
  const [a, b, c] = [{ place: -1 }, { place: -1 }, { place: -1 }]
  const underWay = new UnderWay<{ place: number }>()
  for (const one of [a, b, c]) underWay.add(one)
  underWay.delete(a)
  underWay.delete(a)
  expect([...underWay]).toHaveLength(2)
  for (const one of underWay) underWay.delete(one)
  expect(underWay.size).toBe(0)
})
