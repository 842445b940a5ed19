import { expect, test } from 'vitest'
import { addVary, ResponseHeaders } from './response-headers.ts'

test('case-insensitive, ordered, one line per append', () => {
  const headers = new ResponseHeaders()
  headers.append('Set-Cookie', 'a=1')
  headers.set('X-A', 1)
  headers.append('set-cookie', 'b=2')
  expect(headers.raw).toEqual(['Set-Cookie', 'a=1', 'X-A', '1', 'set-cookie', 'b=2'])
  expect([
    headers.get('SET-COOKIE'),
    headers.getAll('Set-Cookie'),
    headers.has('x-a'),
    headers.get('x-b'),
  ]).toEqual(['a=1, b=2', ['a=1', 'b=2'], true, undefined])
  headers.set('Set-cookie', 'c')
  headers.delete('x-A')
  headers.delete('absent')
  expect([...headers]).toEqual([['Set-Cookie', 'c']])
})

test.each([
  ['X-A', 'a\r\nX-B: 1'],
  ['X-A', 'a\nb'],
  ['X-A', 'a\0'],
  ['X-A', '\x7f'],
  ['X-A', '山'],
  ['X A', 'a'],
  ['', 'a'],
  ['X-A:', 'a'],
  ['X\r\n', 'a'],
  ['Ä', 'a'],
])('%j: %j is rejected', (name, value) => {
  const headers = new ResponseHeaders()
  expect(() => headers.set(name, value)).toThrow(
    expect.objectContaining({ code: 'http.header-invalid' }),
  )
  expect(() => headers.append(name, value)).toThrow(
    expect.objectContaining({ code: 'http.header-invalid' }),
  )
  expect(headers.raw).toEqual([])
})

test('set validates the value it replaces', () => {
  const headers = new ResponseHeaders(['X-A', '1'])
  expect(() => headers.set('x-a', 'a\r\nb')).toThrow('control character')
  expect(headers.get('x-a')).toBe('1')
})

test.each([
  [undefined, 'Accept', 'Accept'],
  ['Accept', 'Cookie', 'Accept, Cookie'],
  ['accept , Origin', 'Accept', 'accept , Origin'],
  ['*', 'Accept', '*'],
])('Vary: %s and the name %s are Vary: %s', (known, name, expected) => {
  // The second time, the value is remembered.
  for (let time = 0; time < 2; time += 1) {
    const headers = new ResponseHeaders()
    if (known !== undefined) headers.append('Vary', known)
    addVary(headers, name)
    expect(headers.getAll('vary')).toEqual([expected])
  }
})
