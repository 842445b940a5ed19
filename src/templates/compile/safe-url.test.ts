/** URLs with other schemes than http, https, mailto and tel: `safeUrl` in templates. */
import { expect, test } from 'vitest'
import { evaluate } from '../../../test/view/evaluate.ts'
import { compileTemplate } from '../emit.ts'

const print = (template: string, q: unknown): string =>
  evaluate(`<%@val q: any %>\n${template}`)({ q })

test.each([
  ['<a href="${safeUrl`sms:${q}?body=${q}`}">', 'a&b', '<a href="sms:a&amp;b?body=a%26b">'],
  [
    '<img src="${safeUrl(q)}">',
    'data:image/png;base64,aa==',
    '<img src="data:image/png;base64,aa==">',
  ],
  ['<a href=${safeUrl(q)}>', 'geo:1,2', '<a href="geo:1,2">'],
  ['<p>${safeUrl(q)}</p>', 'geo:1,2', '<p>geo:1,2</p>'],
  ['<a href="${safeUrl(q)}">', 'javascript:alert(1)', '<a href="#unsafe">'],
  ['<a href="${q}">', 'geo:1,2', '<a href="#unsafe">'],
])('%s with %j', (template, q, html) => {
  expect(print(template, q)).toBe(html)
})

test.each([
  ['<a href="sms:${q}">', '1:14', 'write the whole value as ${safeUrl`sms:${…}`}'],
  [
    '<a href="whatsapp://send?text=${q}">',
    '1:31',
    'write the whole value as ${safeUrl`whatsapp:${…}`}',
  ],
])('%s names safeUrl', (template, place, says) => {
  const compile = () => compileTemplate('views/a.html.ssp', template)
  expect(compile).toThrow(`views/a.html.ssp:${place} `)
  expect(compile).toThrow(says)
})

test.each(['javascript', 'blob', 'view-source'])('a URL with %s: does not', (scheme) => {
  expect(() => compileTemplate('views/a.html.ssp', `<a href="${scheme}:\${q}">`)).toThrow(
    /^(?!.*safeUrl)/,
  )
})

test('a template may declare a value of the type, and the name is reserved', () => {
  const { code } = compileTemplate('views/a.html.ssp', '<%@val link: SafeUrl %><a href="${link}">')
  expect(code).toContain("type SafeUrl } from 'fwjs/compiled'")
  expect(() => compileTemplate('views/a.html.ssp', '<%@val safeUrl: string %>')).toThrow(
    "'safeUrl' is reserved",
  )
})
