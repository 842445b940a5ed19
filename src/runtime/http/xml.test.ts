import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { parseXml, toXml } from './xml.ts'

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

test('root and item can be renamed', () => {
  expect(toXml([1], { root: 'members', item: 'member' })).toBe(
    '<?xml version="1.0" encoding="utf-8"?><members><member>1</member></members>',
  )
})

test('a circular value throws', () => {
  const loop: Record<string, unknown> = {}
  loop['self'] = loop
  expect(() => toXml(loop)).toThrow(TypeError)
  const list: unknown[] = []
  list.push(list)
  expect(() => toXml({ list })).toThrow(TypeError)
})

test('property: the document contains the elements of the value only, and every text unchanged', () => {
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

describe('parseXml', () => {
  it.each([
    ['<a/>', {}],
    ['<a> \r\n\t</a>', {}],
    ['<a><!-- no -->\n</a>', {}],
    ['<a>\u00a0</a>', '\u00a0'],
    ['<a> b</a>', ' b'],
    ['<a>\n  <b>1</b>\n</a>', { b: '1' }],
    ['<a><b/><c></c><d>  </d></a>', { b: '', c: '', d: '  ' }],
    ['<a><b>1</b><c/><b>2</b></a>', { b: ['1', '2'], c: '' }],
    ['<a><b><c>1</c></b></a>', { b: { c: '1' } }],
    ['<a><b>&lt;&gt;&amp;&quot;&apos;&#65;&#x1F600;</b></a>', { b: '<>&"\'A😀' }],
    ['<a><b>x<![CDATA[<y>&z;]]></b></a>', { b: 'x<y>&z;' }],
    ['<a><!-- no --><b>x<!-- no -->y</b></a>', { b: 'xy' }],
    ['\ufeff<?xml version="1.0" encoding="UTF-8"?>\n<a><b>ü</b></a>\n', { b: 'ü' }],
    [
      '<a type="array"><b type="yaml">--- !ruby/object</b><c nil="true"/></a>',
      { b: '--- !ruby/object', c: '' },
    ],
    ['<a xmlns="urn:x" xmlns:i="urn:i" xml:lang="de"><i:b>1</i:b></a>', { 'i:b': '1' }],
  ])('reads %j', async (text, value) => {
    expect(JSON.stringify(await parseXml(text))).toBe(JSON.stringify(value))
  })

  it('reads what toXml writes', async () => {
    const value = { name: 'A & <B> "C"\r\n', home: { city: 'Ulm' }, tags: ['x', 'y'], none: '' }
    expect(await parseXml(toXml(value))).toEqual(value)
  })

  it.each([
    ['', 'must contain a root element'],
    ['text', 'outside of root'],
    ['<a>', 'unclosed tag'],
    ['<a></b>', 'unexpected close tag'],
    ['<a/><b/>', 'only one root'],
    ['<a>&x;</a>', 'undefined entity'],
    ['<a>&nbsp;</a>', 'undefined entity'],
    ['<a>&#0;</a>', 'malformed character entity'],
    ['<a>\u0001</a>', 'disallowed character'],
    ['<!DOCTYPE a><a/>', 'DOCTYPE'],
    ['<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', 'DOCTYPE'],
    ['<!DOCTYPE a [<!ENTITY x SYSTEM "http://127.0.0.1/">]><a>&x;</a>', 'DOCTYPE'],
    ['<!DOCTYPE a [<!ENTITY x "yy"><!ENTITY z "&x;&x;">]><a>&z;</a>', 'DOCTYPE'],
    ['<?xml-stylesheet href="x"?><a/>', 'processing instruction'],
    ['<?xml version="1.1"?><a/>', 'XML 1.0'],
    ['<?xml version="1.0" encoding="utf-16"?><a/>', 'UTF-8'],
    ['<a>x<b/></a>', 'text beside elements'],
    ['<a><b/>x</a>', 'text beside elements'],
    ['<a><b/>\u00a0</a>', 'text beside elements'],
    ['<a><__proto__>1</__proto__></a>', '<__proto__> is forbidden'],
    ['<a><constructor><prototype/></constructor></a>', '<prototype> is forbidden'],
    ['<a>'.repeat(65), 'deeper than 64'],
    [`<a>${'<b/>'.repeat(10_000)}</a>`, 'more than 10000 elements'],
    [`<a ${Array.from({ length: 10_000 }, (_, at) => `b${at}=""`).join(' ')}/>`, 'and attributes'],
    [`<a>${'&lt;'.repeat(10_001)}</a>`, 'more than 10000 references'],
    [`<a>${'<![CDATA[]]>'.repeat(10_001)}</a>`, 'more than 10000 references'],
    [`<a>${'<!---->'.repeat(10_001)}</a>`, 'more than 10000 references'],
    ['<a b="1" b="2"/>', 'duplicate attribute'],
    [`<${'a'.repeat(1000)}>`, '…'],
  ])('rejects %.60j', async (text, why) => {
    const error: unknown = await parseXml(text).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ status: 400, code: 'http.xml-invalid' })
    expect((error as Error).message).toContain(why)
  })

  it('reads long documents completely, wherever a chunk ends', async () => {
    const long = '😀&amp;\r\n'.repeat(9000)
    for (const before of ['', 'x', 'xy', 'xyz'])
      expect(await parseXml(`<a><b>${before}${long}</b></a>`)).toEqual({
        b: before + '😀&\n'.repeat(9000),
      })
  })

  it('yields to other requests while it parses', async () => {
    const seen: string[] = []
    const reading = parseXml(`<a>${'x'.repeat(500_000)}</a>`).then(() => seen.push('read'))
    setImmediate(() => setImmediate(() => seen.push('another')))
    await reading
    expect(seen).toEqual(['another', 'read'])
  })

  it('property: reads every document of toXml, and rejects other text with http.xml-invalid', async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
    const name = fc.stringMatching(/^[a-z]{1,6}$/)
    const value = fc.dictionary(
      name,
      fc.oneof(text, fc.array(text, { minLength: 2, maxLength: 3 })),
    )
    await fc.assert(
      fc.asyncProperty(value, async (given) => {
        expect({ ...((await parseXml(toXml(given))) as object) }).toEqual({ ...given })
      }),
    )
    const part = fc.constantFrom(
      '<a>',
      '</a>',
      '<b/>',
      '&amp;',
      '&x;',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
    )
    const odd = fc.array(
      fc.oneof(part, fc.constantFrom('<?', '<!DOCTYPE', '>', ' ', 'x="1"'), text),
    )
    await fc.assert(
      fc.asyncProperty(odd, async (parts) => {
        const read = await parseXml(parts.join('')).catch((error: unknown) => error)
        if (read instanceof Error)
          expect(read).toMatchObject({ status: 400, code: 'http.xml-invalid' })
      }),
    )
  })
})
