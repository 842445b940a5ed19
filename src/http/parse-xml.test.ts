/** XML bodies: what they hold, and what is refused. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseXml } from './parse-xml.ts'
import { toXml } from './xml.ts'

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
    ['<a><__proto__>1</__proto__></a>', '<__proto__> is refused'],
    ['<a><constructor><prototype/></constructor></a>', '<prototype> is refused'],
    ['<a>'.repeat(65), 'deeper than 64'],
    [`<a>${'<b/>'.repeat(10_000)}</a>`, 'more than 10000 elements'],
    [`<a ${Array.from({ length: 10_000 }, (_, at) => `b${at}=""`).join(' ')}/>`, 'and attributes'],
    ['<a b="1" b="2"/>', 'duplicate attribute'],
    [`<${'a'.repeat(1000)}>`, '…'],
  ])('refuses %.60j', async (text, why) => {
    const error: unknown = await parseXml(text).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ status: 400, code: 'http.xml-invalid' })
    expect((error as Error).message).toContain(why)
  })

  it('reads long documents whole, wherever a piece ends', async () => {
    const long = '😀&amp;\r\n'.repeat(9000)
    for (const before of ['', 'x', 'xy', 'xyz'])
      expect(await parseXml(`<a><b>${before}${long}</b></a>`)).toEqual({
        b: before + '😀&\n'.repeat(9000),
      })
  })

  it('lets others go on meanwhile', async () => {
    const seen: string[] = []
    const reading = parseXml(`<a>${'x'.repeat(500_000)}</a>`).then(() => seen.push('read'))
    setImmediate(() => setImmediate(() => seen.push('another')))
    await reading
    expect(seen).toEqual(['another', 'read'])
  })

  it('reads whatever toXml writes, and refuses all else in one way', async () => {
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
