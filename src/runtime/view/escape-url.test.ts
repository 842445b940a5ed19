import { expect, test } from 'vitest'
import {
  sourceSet,
  sourceSetRoot,
  unsafeUrl,
  urlBase,
  urlComponent,
  urlPart,
  urlRoot,
  urlRootSegment,
  urlSegment,
  urlStart,
  urlTail,
  urlTailBase,
} from './escape-url.ts'

test.each([
  ['/a/b.c_d-e~f', '/a/b.c_d-e~f'],
  ['javascript:alert(1)', unsafeUrl],
  ['java\tscript:alert(1)', unsafeUrl],
  ['java\r\nscript:alert(1)', unsafeUrl],
  ['\u0001 javascript:alert(1)', unsafeUrl],
  ['\u0000javascript:alert(1)', unsafeUrl],
  ['a \u0001b', 'a%20%01b'],
  ['a\tb\nc', 'abc'],
  ['MAILTO:a@b', 'MAILTO:a@b'],
  ['data:text/html,x', unsafeUrl],
  ['?a=b&c=%zz%41', '?a=b&c=%25zz%41'],
])('%j begins a URL as %j', (value, url) => {
  expect(urlStart(value)).toBe(url)
})

test('what browsers ignore is dropped after the start, too', () => {
  expect(urlTail('a\tb:c/d:e')).toBe('ab%3Ac/d:e')
  expect(urlPart('\t/x\n')).toBe('/x')
  expect(urlComponent("a/b ?&'")).toBe('a%2Fb%20%3F%26%27')
})

test('a value beside the first slash makes no host', () => {
  expect(['//e', '', 'a/b'].map(urlRoot)).toEqual(['%2F%2Fe', '', 'a/b'])
  expect(['/e', ''].map(urlRootSegment)).toEqual(['%2Fe', '.'])
  expect(['/', '//', '/a', ''].map(urlBase)).toEqual(['', '', '/a', ''])
  expect(['/', 'a:b'].map(urlTailBase)).toEqual(['', 'a%3Ab'])
  expect(['a/b', ''].map(urlSegment)).toEqual(['a%2Fb', '.'])
  expect(sourceSetRoot('/a,b')).toBe('%2Fa%2Cb')
  expect(sourceSet('a 1x, javascript:b 2x z')).toBe(`a 1x, ${unsafeUrl} 2x`)
})
