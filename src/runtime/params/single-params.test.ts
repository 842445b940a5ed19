/** Copies of parameters with defaults, and lists from lines. */
import { describe, expect, it } from 'vitest'
import { ParamType, Params } from '../params.ts'

const params = (texts: Readonly<Record<string, readonly string[]>>) =>
  new Params(new Map(Object.entries(texts)))

describe('withDefaults', () => {
  it('adds absent keys, and keeps sent ones, blank or not', () => {
    const given = params({ title: ['Ann'], note: [''] })
    const all = given.withDefaults({ title: 'none', note: 'none', pages: 3, born: undefined })
    expect([...all.toMap()]).toEqual([
      ['title', 'Ann'],
      ['note', ''],
      ['pages', '3'],
    ])
    expect(given.has('pages')).toBe(false)
    expect(all.withDefaults({ pages: 4 })).toBe(all)
  })
})

describe('withLines', () => {
  const list = ParamType.array(ParamType.String)
  it.each([
    [['a\r\nb c\r\n\r\n d '], ['a', 'b c', 'd']],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [[''], []],
    [[' \n'], []],
  ])('%j is %j', (texts, items) => {
    expect(params({ tags: texts }).withLines('tags').permit({ tags: list })).toEqual({
      tags: items,
    })
  })

  it('leaves an absent key absent', () => {
    const given = params({ other: ['a'] })
    expect(given.withLines('tags')).toBe(given)
  })
})
