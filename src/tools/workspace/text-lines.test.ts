/** TextLines: offsets and positions in UTF-8 and UTF-16. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Encoding, TextLines } from './text-lines.ts'

const text = 'a\r\nü😀b\rc\n'

test.each<[Encoding, number, { line: number; character: number }]>([
  ['utf-16', 3, { line: 1, character: 0 }],
  ['utf-16', 6, { line: 1, character: 3 }],
  ['utf-8', 4, { line: 1, character: 2 }],
  ['utf-8', 6, { line: 1, character: 6 }],
  ['utf-8', 8, { line: 2, character: 0 }],
  ['utf-16', 10, { line: 3, character: 0 }],
])('%s: offset %i', (encoding, offset, position) => {
  const lines = new TextLines(text, encoding)
  expect(lines.position(offset)).toEqual(position)
  expect(lines.offset(position)).toBe(offset)
})

test('a position outside the text is the nearest one', () => {
  const lines = new TextLines(text, 'utf-8')
  expect(lines.offset({ line: 1, character: 99 })).toBe(7)
  expect(lines.offset({ line: 99, character: 0 })).toBe(text.length)
  expect(lines.offset({ line: -1, character: -5 })).toBe(0)
  expect(lines.offset({ line: 1, character: -5 })).toBe(3)
  // Inside a character of several bytes.
  expect(lines.offset({ line: 1, character: 3 })).toBe(4)
})

test('changes are those of the text', () => {
  const character = fc.constantFrom('a', 'ü', '😀', '\n', '\r\n', '\r', '\u2028')
  const string = fc.array(character).map((all) => all.join(''))
  fc.assert(
    fc.property(
      string,
      fc.nat(),
      fc.nat(),
      string,
      fc.constantFrom<Encoding>('utf-8', 'utf-16'),
      (before, one, other, inserted, encoding) => {
        const lines = new TextLines(before, encoding)
        // Positions lie neither in a surrogate pair nor in a line break.
        const places = [...Array(before.length + 1).keys()].filter(
          (at) =>
            !/[\udc00-\udfff]/.test(before[at] ?? '') && before.slice(at - 1, at + 1) !== '\r\n',
        )
        const [start, end] = [places[one % places.length]!, places[other % places.length]!].sort(
          (a, b) => a - b,
        )
        const range = lines.range(start!, end!)
        const changed = lines.change({ range, text: inserted })
        const expected = before.slice(0, start) + inserted + before.slice(end)
        expect(changed.text).toBe(expected)
        const fresh = new TextLines(expected, encoding)
        const offsets = [...Array(expected.length + 1).keys()]
        expect(offsets.map((at) => changed.lineOf(at))).toEqual(
          offsets.map((at) => fresh.lineOf(at)),
        )
      },
    ),
  )
})
