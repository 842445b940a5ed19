import { expect, test } from 'vitest'
import { escapeText, SafeUrl, styleUrl, urlComponent, urlStart } from '../view.ts'
import { sourceSetStart, unsafeUrl } from './escape-url.ts'
import { safeUrl } from './safe-url.ts'

test.each([
  ['sms:+49 123', 'sms:+49%20123'],
  ['geo:52.5,13.4', 'geo:52.5,13.4'],
  ['whatsapp://send?text=a b', 'whatsapp://send?text=a%20b'],
  ['data:image/png;base64,iVBORw0KGgo=', 'data:image/png;base64,iVBORw0KGgo='],
  ['data:image/vnd.microsoft.icon,a', 'data:image/vnd.microsoft.icon,a'],
  ['/a?b=c', '/a?b=c'],
])('safeUrl(%j) prints %j', (url, printed) => {
  expect(urlStart(safeUrl(url))).toBe(printed)
  expect(safeUrl(url)).toBeInstanceOf(SafeUrl)
})

test.each([
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  '\u0001 java\nscript:alert(1)',
  'vbscript:x',
  'data:text/html,<script>alert(1)</script>',
  'data:,text',
  'data:application/xhtml+xml,x',
  'DATA:text/xml,x',
  'data:image/svg+xml;utf8,<svg xmlns="http://www.w3.org/2000/svg"/>',
  'data:Image/SVG+xml,x',
  'data:audio/x+xml,x',
  'data:image/svg%2Bxml,x',
  'view-source:https://example.org',
  'blob:https://example.org/1',
  'filesystem:https://example.org/temporary/a',
])('safeUrl(%j) is replaced: browsers would run it, or show it as a page', (url) => {
  expect(urlStart(safeUrl(url))).toBe(unsafeUrl)
})

test('a tagged text encodes its values: those in the query as components', () => {
  const [phone, text] = ['+49 1', 'a&b=c?#']
  expect(urlStart(safeUrl`sms:${phone}?body=${text}&n=${1}`)).toBe(
    'sms:+49%201?body=a%26b%3Dc%3F%23&n=1',
  )
  expect(urlStart(safeUrl`geo:${52.5},${13.4}`)).toBe('geo:52.5,13.4')
  expect(urlStart(safeUrl`sms:${'1?body=x#y'}`)).toBe('sms:1%3Fbody=x%23y')
  expect(urlStart(safeUrl`x:${undefined}${null}`)).toBe('x:')
})

test('a value cannot choose the scheme of a tagged text', () => {
  expect(() => safeUrl`${'javascript:alert(1)'}`).toThrow('begins with the scheme')
  expect(() => safeUrl`java${'script'}:x`).toThrow('begins with the scheme')
  expect(() => safeUrl`/a/${'b'}`).toThrow('begins with the scheme')
})

test('elsewhere a safe URL is a text', () => {
  const url = safeUrl('sms:1&2')
  expect(escapeText(url)).toBe('sms:1&amp;2')
  expect(urlComponent(url)).toBe('sms%3A1%262')
  expect(JSON.stringify({ url })).toBe('{"url":"sms:1&2"}')
  expect(String(url)).toBe('sms:1&2')
  expect(styleUrl(safeUrl('data:image/png;base64,a'))).toBe(
    'data\\3a image\\2f png\\3b base64\\2c a',
  )
  expect(sourceSetStart(safeUrl('data:image/png;base64,a'))).toBe('data:image/png;base64,a')
})
