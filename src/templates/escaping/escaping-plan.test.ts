import { stripTypeScriptTypes } from 'node:module'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isLiteralChoice } from './escaping-plan.ts'
import { compileTemplate } from '../emit.ts'

test.each([
  "r.active ? 'on' : 'off'",
  `list.length > 0 && !(a[0] === b) ? "wide table-row" : ''`,
  "a == b || a != c || a !== d || a <= e || a>=f ? 'on' : 'off'",
  "basis ? 'as it was' : 'extends'",
  "`${b}` ? 'on' : 'off'",
])('%s can only print its literals', (code) => {
  expect(isLiteralChoice(code)).toBe(true)
})

test.each([
  "a ? b : c ? 'on' : 'off'",
  "a ? '<b>' : 'off'",
  "a ? 'on' : '&amp;'",
  "() => a ? 'on' : 'off'",
  "f(a ? 'on' : 'off')",
  "a ? 'on' : 'off' + b",
  "b // ? 'on' : 'off'",
  "b /* ? 'on' : 'off'",
  "a ? 'on' : b",
  "a = b ? 'on' : 'off'",
  "user.title ||= old ? 'Sir' : 'Kid'",
  "a &&= b ? 'on' : 'off'",
  "css += b ? 'on' : 'off'",
  "a -= b ? 'on' : 'off'",
  "a **= b ? 'on' : 'off'",
  "a >>= b ? 'on' : 'off'",
  "a >>>= b ? 'on' : 'off'",
  "a <<= b ? 'on' : 'off'",
  "name as T extends U ? 'on' : 'off'",
  "name satisfies T ? 'on' : 'off'",
  "yield a ? 'on' : 'off'",
])('%s may print something else', (code) => {
  expect(isLiteralChoice(code)).toBe(false)
})

const token = fc.constantFrom(
  'a',
  'b',
  '?',
  ':',
  "'on'",
  '"off"',
  "'<'",
  '(',
  ')',
  '=>',
  '||',
  '?.',
  '??',
  '/',
  '`',
  '=',
  ',',
  '+=',
  '||=',
  '&&=',
  'as',
  'extends',
)

test('property: what is found to be a choice prints one of its literals', () => {
  const tokens = fc.array(token, { maxLength: 4 })
  const ending = fc.constantFrom(['? \'on\' : "off"'], ['?', "'on'", ':', '"off"'], [])
  fc.assert(
    fc.property(tokens, ending, (before, after) => {
      const code = [...before, ...after].join(' ')
      if (!isLiteralChoice(code)) return
      let printed: unknown
      try {
        const script = stripTypeScriptTypes(`'use strict'; (${code})`)
        printed = runInNewContext(script, { a: 0, b: '<i>' })
      } catch {
        return // The compiler refuses it.
      }
      expect(['on', 'off']).toContain(printed)
    }),
    { numRuns: 3000 },
  )
})

test('a choice of literals is printed without an escaper in text and attributes, and with the escaper of any other place', () => {
  const { code } = compileTemplate(
    'views/a.html.ssp',
    `<p class="\${a ? 'x' : 'y'}" style="color: \${a ? 'x' : 'y'}" id=\${a ? 'x' : 'y'}>\${a ? 'x' : 'y'}</p>`,
  )
  expect(code).toContain(
    `"<p class=\\"" + (a ? 'x' : 'y') + "\\" style=\\"color: " + __escapeAttribute(__styleValue(a ? 'x' : 'y')) + `,
  )
  expect(code).toContain(`+ ">" + (a ? 'x' : 'y') + "</p>"`.replace('">"', String.raw`"\">"`))
})
