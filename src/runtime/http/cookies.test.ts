import fc from 'fast-check'
import { parseSetCookie } from 'cookie'
import { expect, test } from 'vitest'
import { CookieJar, parseCookies } from './cookies.ts'
import { ResponseHeaders } from './response-headers.ts'

function sent(jar: CookieJar): string[] {
  const headers = new ResponseHeaders()
  jar.writeTo(headers)
  return headers.getAll('set-cookie')
}

test.each([
  ['a=1; b=2', { a: ['1'], b: ['2'] }],
  ['a=1; a=2', { a: ['1', '2'] }],
  ['a=b=c', { a: ['b=c'] }],
  ['a=The+Value', { a: ['The+Value'] }],
  ['a=%E5%B1%B1; b=%zz', { a: ['山'], b: ['%zz'] }],
  ['=__Host-sid=bad; "__Host-sid"; ;; a', {}],
  ['\u00a0sid=evil; sid=victim', { '\u00a0sid': ['evil'], sid: ['victim'] }],
  ['__proto__=x; constructor=y', { ['__proto__']: ['x'], constructor: ['y'] }],
])('%s', (header, expected) => expect([...parseCookies(header)]).toEqual(Object.entries(expected)))

test('50 cookies are read, the rest is ignored', () => {
  const header = Array.from({ length: 3000 }, (_, i) => `c${i}=1`).join('; ')
  expect(parseCookies(header).size).toBe(50)
})

test('get returns a cookie that was set; one Set-Cookie per name, with options over defaults', () => {
  const jar = new CookieJar('a=old; b=kept', { path: '/app', httpOnly: true, sameSite: 'lax' })
  expect([jar.get('a'), jar.changed]).toEqual(['old', false])
  jar.set('a', 'first')
  jar.set('a', 'second', { httpOnly: false, maxAge: 60, priority: 'high', path: undefined })
  expect([jar.get('a'), jar.get('b'), jar.get('c'), jar.getAll('a')]).toEqual([
    'second',
    'kept',
    undefined,
    ['second'],
  ])
  expect(sent(jar)).toEqual(['a=second; Max-Age=60; Priority=High; SameSite=Lax'])
})

test('delete hides the cookie, and expires it with its path and domain', () => {
  const jar = new CookieJar('a=1; b=2', { path: '/' })
  jar.delete('a', { path: '/x' })
  expect([jar.get('a'), jar.getAll('a'), jar.has('a'), jar.names()]).toEqual([
    undefined,
    [],
    false,
    ['b'],
  ])
  expect(sent(jar)).toEqual(['a=; Max-Age=0; Path=/x; Expires=Thu, 01 Jan 1970 00:00:00 GMT'])
})

test('every attribute; a negative maxAge is a session cookie', () => {
  const jar = new CookieJar(undefined)
  jar.set('__Secure-a', 'x', {
    domain: 'example.com',
    path: '/',
    expires: new Date(0),
    httpOnly: true,
    secure: true,
    sameSite: 'none',
    partitioned: true,
    priority: 'low',
    maxAge: -1,
  })
  expect(sent(jar)).toEqual([
    '__Secure-a=x; Domain=example.com; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Secure; Partitioned; Priority=Low; SameSite=None',
  ])
})

test.each([
  ['a\r\nX: y', {}],
  ['a=b', {}],
  ['', {}],
  ['a b', {}],
  ['a', { path: '/;evil' }],
  ['a', { domain: 'x;Secure' }],
  ['a', { sameSite: 'Strict;x' as 'strict' }],
  ['a', { maxAge: 1.5 }],
  ['a', { expires: new Date(Number.NaN) }],
  ['a', { sameSite: 'none' as const }],
  ['a', { partitioned: true }],
  ['__Secure-a', {}],
  ['__Host-a', { secure: true, path: '/x' }],
  ['__Host-a', { secure: true, path: '/', domain: 'example.com' }],
])('the name %j with %o is rejected by set, and not sent', (name, options) => {
  const jar = new CookieJar(undefined)
  expect(() => jar.set(name, 'v', options)).toThrow(
    expect.objectContaining({ code: 'http.cookie-invalid' }),
  )
  expect(sent(jar)).toEqual([])
})

test('more than 4096 bytes are rejected, because browsers drop such a cookie', () => {
  const jar = new CookieJar(undefined)
  jar.set('a', 'x'.repeat(4094))
  expect(() => jar.set('a', 'x'.repeat(4095))).toThrow(
    expect.objectContaining({ code: 'http.cookie-invalid' }),
  )
})

test('property: a browser sends any value back unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (value) => {
      const jar = new CookieJar(undefined)
      jar.set('n', value)
      const line = sent(jar)[0]!
      expect(line).toMatch(/^[\x21-\x7e]*$/)
      expect(parseSetCookie(line).value).toBe(value)
      expect(parseCookies(line).get('n')).toEqual([value])
    }),
  )
})
