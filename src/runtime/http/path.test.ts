/** Decoding of request paths. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parsePath } from './path.ts'

describe('parsePath', () => {
  it.each([
    ['/', '/', ['']],
    ['/members', '/members', ['members']],
    ['/members/', '/members/', ['members', '']],
    ['//a', '//a', ['', 'a']],
    ['/a.b/.c/..d/...', '/a.b/.c/..d/...', ['a.b', '.c', '..d', '...']],
    ['/semicolon;version=3/x', '/semicolon;version=3/x', ['semicolon;version=3', 'x']],
    ['/a+b', '/a+b', ['a+b']],
    ['/a%20b', '/a b', ['a b']],
    ['/ac%2Fdc/x', '/ac/dc/x', ['ac/dc', 'x']],
    ['/ac%2fdc', '/ac/dc', ['ac/dc']],
    ['/%23toc%3Fquery', '/#toc?query', ['#toc?query']],
    ['/%3Bquery', '/;query', [';query']],
    ['/ö%C3%B6%25C3%25B6', '/öö%C3%B6', ['öö%C3%B6']],
    ['/%252F%252e%252e', '/%2F%2e%2e', ['%2F%2e%2e']],
    ['/%2500', '/%00', ['%00']],
    ['/%F0%9F%98%80', '/😀', ['😀']],
    ['/a%E2%80%A8b', '/a\u2028b', ['a\u2028b']],
    ['/%EF%BC%8E%EF%BC%8E/', '/．．/', ['．．', '']],
    ['/__proto__', '/__proto__', ['__proto__']],
  ])('%s', (raw, text, segments) => {
    const path = parsePath(raw)
    expect({ raw: path.raw, text: path.text, segments: path.segments }).toEqual({
      raw,
      text,
      segments,
    })
  })

  it.each([
    '',
    '*',
    'a',
    'http://x/',
    '/a?b',
    '/a#b',
    '/a\0',
    '/a%00',
    '/a%00.json',
    '/\\x',
    '/a%5Cb',
    '/a%5cb',
    '/\n',
    '/a%0d%0a',
    '/\x7f',
    '/%1b[2J',
    '/%C2%85',
    '/.',
    '/..',
    '/./a',
    '/a/../b',
    '/a/..',
    '/%2e',
    '/%2E%2e/',
    '/a/%2e%2e/admin',
    '/.%2e',
    '/..%2fadmin',
    '/a%2F..%2Fb',
    '/a%2f.',
    '/%zz',
    '/%',
    '/%2',
    '/100%',
    '/%e0%a4%a',
    '/%C3',
    '/%C0%AF',
    '/%ED%A0%80',
    '/%FF',
    '/%C3/%B6',
    '/\ud800',
    '/\udc00%20',
  ])('rejects %j', (raw) => {
    expect(() => parsePath(raw)).toThrow(
      expect.objectContaining({ status: 400, code: 'http.path-invalid' }),
    )
  })

  it('the message has the reason and not the path', () => {
    expect(() => parsePath('/<b>%00')).toThrow('The path of the URL contains a NUL character.')
  })

  it('decodes any segment once, like decodeURIComponent', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1 }).map(encodeURIComponent),
      fc.constantFrom('a', '%2F', '%2f', '%25', ';', '%3F', 'é', '%C3%A9', '+', '.', '.x', ''),
    )
    const segment = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1 }), (segments) => {
        const expected = segments.map(decodeURIComponent)
        const whole = expected.join('/').split('/')
        fc.pre(
          !whole.some(
            (part) => part === '.' || part === '..' || /[\u0000-\u001f\u007f-\u009f\\]/.test(part),
          ),
        )
        const path = parsePath(`/${segments.join('/')}`)
        expect(path.segments).toEqual(expected)
        expect(path.text).toBe(`/${expected.join('/')}`)
      }),
    )
  })

  it('returns a path or throws http.path-invalid', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...'/.%2fFeE5c0a\\') }),
    )
    fc.assert(
      fc.property(text, (rest) => {
        try {
          const { key } = parsePath(`/${rest}`)
          expect(key.split(/[/\0]/)).not.toContain('..')
        } catch (error) {
          expect(error).toMatchObject({ code: 'http.path-invalid' })
        }
      }),
      { numRuns: 2000 },
    )
  })
})
