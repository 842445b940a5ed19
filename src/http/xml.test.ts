import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toXml } from './xml.ts'

const inside = (value: unknown, names?: Parameters<typeof toXml>[1]): string =>
  /^<\?xml version="1\.0" encoding="utf-8"\?><[^>]+>(.*)<\/[^>]+>$/s.exec(toXml(value, names))![1]!

test.each([
  [{ name: 'Ann', age: 3, ok: true }, '<name>Ann</name><age>3</age><ok>true</ok>'],
  [{ tags: ['a', 'b'] }, '<tags>a</tags><tags>b</tags>'],
  [['a', { b: 1 }], '<item>a</item><item><b>1</b></item>'],
  [{ none: null, absent: undefined, empty: '', list: [], fn: () => 1 }, '<none/><empty/>'],
  [{ home: { city: 'Ulm' } }, '<home><city>Ulm</city></home>'],
  [
    { at: new Date(0), big: 2n ** 64n },
    '<at>1970-01-01T00:00:00.000Z</at><big>18446744073709551616</big>',
  ],
  [new Map([['k', 1]]), '<k>1</k>'],
  [{ 'a b<c': 1, '1st': 2, '': 3, 'é-1': 4 }, '<a_b_c>1</a_b_c><_1st>2</_1st><_>3</_><é-1>4</é-1>'],
  [{ t: `<a href="x">&'\r\n` }, `<t>&lt;a href=&quot;x&quot;&gt;&amp;'&#13;\n</t>`],
  [{ t: '\0\u001f\ufffe\ud800' }, '<t>\ufffd\ufffd\ufffd\ufffd</t>'],
  ['text', 'text'],
  [undefined, ''],
])('value %#', (value, expected) => expect(inside(value)).toBe(expected))

test('root and item have the names that are given', () => {
  expect(toXml([1], { root: 'members', item: 'member' })).toBe(
    '<?xml version="1.0" encoding="utf-8"?><members><member>1</member></members>',
  )
})

test('a value that holds itself is refused', () => {
  const loop: Record<string, unknown> = {}
  loop['self'] = loop
  expect(() => toXml(loop)).toThrow(TypeError)
  const list: unknown[] = []
  list.push(list)
  expect(() => toXml({ list })).toThrow(TypeError)
})

test('property: only the elements of the value stand in the document, and each text comes back', () => {
  const text = fc.string({ unit: 'binary' })
  fc.assert(
    fc.property(fc.dictionary(text, text), (value) => {
      const xml = inside(value)
      expect(xml).not.toMatch(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/)
      const found = [...xml.matchAll(/<([^<>/&\s"]+)(?:\/>|>([^<>]*)<\/\1>)/g)]
      expect(found.map((one) => one[0]).join('')).toBe(xml)
      expect(found.map((one) => unescape(one[2] ?? ''))).toEqual(Object.values(value).map(legal))
    }),
  )
})

const legal = (text: string): string =>
  text.toWellFormed().replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
const names: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  '#13': '\r',
}
const unescape = (text: string): string =>
  text.replace(/&([^;]+);/g, (_, name: string) => names[name]!)
