/** repairTemplate: completes what is being typed. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TemplateSet } from '../../templates/compile.ts'
import { projectPaths } from '../../runtime/view.ts'
import { repairTemplate } from './repair-template.ts'

const set = new TemplateSet(projectPaths({ root: '/nowhere' }), () => undefined)
const repair = (text: string) =>
  repairTemplate('views/page.html.ssp', text, (parsed) => set.compileParsed(parsed).code)

test.each([
  ['<p>${</p>', '<p>${undefined}</p>'],
  ['<p>${}</p>', '<p>${undefined}</p>'],
  ['<p>${a.</p>', '<p>${a.}</p>'],
  ['<p>${f(a.</p>\n<p>${b}</p>', '<p>${f(a.)}</p>\n<p>${b}</p>'],
  ['<p class="${a.">${b}</p>', '<p class="${a.}">${b}</p>'],
  ["<p>${s.i18n.get('me</p>", "<p>${s.i18n.get('me')}</p>"],
  ['<p>${a', '<p>${a}'],
  ['#if (a\nx\n#end\n', '#if (a)\nx\n#end\n'],
  ['#if (a)\nx\n', '#if (a)\nx\n#end\n'],
  ['#for (a of )\nx\n#end\n', '#for (a of [])\nx\n#end\n'],
  ['<% if (a) { %>\nx\n', '<% if (a) { %>\nx\n<% } %>\n'],
  ['<%@val a: %>\n${a}', '<%@val a: any%>\n${a}'],
  ['<%= %>', '<%=undefined %>'],
  ['<%= a\n<p>b</p>', '<%= a %>\n<p>b</p>'],
  ["<%@include '_a' { \n<p>b</p>", "<%@include '_a' { } %>\n<p>b</p>"],
  ['<p>a</p>', '<p>a</p>'],
])('%j', (text, expected) => {
  expect(repair(text)?.text).toBe(expected)
})

test('each character of the repaired text has its offset in the text before', () => {
  expect(repair('a${b.</p>')).toMatchObject({
    text: 'a${b.}</p>',
    origins: [0, 1, 2, 3, 4, 5, 5, 6, 7, 8],
  })
})

test('a text with too many mistakes is not repaired', () => {
  expect(repair('<%@nothing %>${}'.repeat(100))).toBeUndefined()
})

describe('random texts', () => {
  const pieces = [
    "${|}|<%|<%=|%>|<%@val x: |<%@include '_a'|<%--|--%>|#if (|#end",
    '#else|#for (a of |#match (|#case (|#set (x)|#do (|)|"|\'|`|<|>',
    'a.|b| |\n|\r\n|{|[|=>|//|/*|\\|😀|\ufeff|\u2028',
  ]
  const piece = fc.constantFrom(...pieces.flatMap((line) => line.split('|')))

  test('a repair compiles, and keeps the order of the characters', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('')
        const repaired = repair(text)
        if (repaired === undefined) return
        const { origins } = repaired
        expect(origins.length).toBe(repaired.text.length)
        expect(origins.every((at, index) => index === 0 || at >= origins[index - 1]!)).toBe(true)
        expect(Math.max(0, ...origins)).toBeLessThanOrEqual(text.length)
      }),
      { numRuns: 500 },
    )
  })
})
