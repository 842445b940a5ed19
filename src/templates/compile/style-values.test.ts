/** Styles whose values are texts of the template: whole declarations, colours and custom properties. */
import { expect, test } from 'vitest'
import { evaluate } from '../../../test/view/evaluate.ts'
import { compileTemplate } from '../emit.ts'

const declared = '<%@val a: any %><%@val b: any %>\n'
const print = (template: string, a: unknown, b?: unknown): string =>
  evaluate(declared + template)({ a, b }).replace(' nonce="N"', '')

test.each([
  [`<p style="\${a ? 'display: none' : ''}">`, 'display: none;', ''],
  [`<p style="\${a && 'display: none'}">`, 'display: none;', ''],
  [`<p style="\${a ? 'color: red; width: 1px;' : undefined}">`, 'color: red; width: 1px;', ''],
  [`<p style="\${a ? 'a: b' : b ? 'c: d' : null}">`, 'a: b;', ''],
  ['<p style="${a ? `--x: rgb(1, 2, 3)` : false}">', '--x: rgb(1, 2, 3);', ''],
  [
    `<p style="color: red; \${a ? 'display: none' : ''}">`,
    'color: red; display: none;',
    'color: red; ',
  ],
  [`<p style="\${a ? 'x: y' : ''}; color: red">`, 'x: y;; color: red', '; color: red'],
  [`<p style="\${a ? 'x: y' : ''}\${a ? '' : 'z: w'}">`, 'x: y;', 'z: w;'],
  [`<p style="\${a ? 'x: y' : ''} \${a ? '' : 'z: w'}">`, 'x: y; ', ' z: w;'],
  [`<p style=\${a ? 'x:y' : ''}>`, 'x:y;', ''],
  [`<p style="#if (b)color: red;#end \${a ? 'x: y' : ''}">`, ' x: y;', ' '],
  [
    `<p style='background: url("/a.png"); \${a ? "content: 'b'" : ""}'>`,
    `background: url("/a.png"); content: &#39;b&#39;;`,
    'background: url("/a.png"); ',
  ],
])('%s prints the declarations', (template, yes, no) => {
  const style = (html: string): string => /style=("|')(.*)\1>$/.exec(html)![2]!
  expect([style(print(template, true)), style(print(template, false))]).toEqual([yes, no])
})

test('declarations in a style sheet', () => {
  const template = `<style>p { color: red; \${a ? 'x: y' : ''} } @media print { p { \${a ? 'z: w' : ''}; } }</style>`
  expect(print(template, true)).toBe(
    '<style>p { color: red; x: y; } @media print { p { z: w;; } }</style>',
  )
})

test.each([
  ['<p style="color: ${a}; background: ${b}">', 'rgb(1, 2, 3)', 'var(--x)'],
  ['<style>p { color: ${a}; background: ${b} }</style>', 'rgb(1, 2, 3)', 'var(--x)'],
])('%s prints functions', (template, a, b) => {
  expect(print(template, a, b)).toBe(template.replace('${a}', a).replace('${b}', b))
})

test.each([
  '<p style="width: x${a}">',
  '<p style="width: #${a}">',
  '<p style="width: ${b}${a}">',
  '<style>.${a} { color: red }</style>',
  '<style>p { color: ${b}-${a} }</style>',
])('%s prints no functions: the value continues a word', (template) => {
  expect(print(template, 'rgb(1, 2, 3)', 'red')).toContain('unsafe')
})

test.each([
  ['<p style="${a}">', '1:11', 'write the property before the value'],
  ['<p style="color: red; ${a}">', '1:23', 'write the property before the value'],
  ['<p style="${a || \'x: y\'}">', '1:11', 'write the property before the value'],
  ['<p style="${f(\'x: y\')}">', '1:11', 'write the property before the value'],
  ['<p style="${a ? `x: ${b}` : \'\'}">', '1:11', 'write the property before the value'],
  ['<style>p { ${a} }</style>', '1:12', 'write the property before the value'],
  ["<p style=\"${a ? 'red' : ''}\">", '1:11', "'red' is no list of declarations"],
  ["<p style=\"${a ? 'x: y; } b {' : ''}\">", '1:11', 'is no list of declarations'],
  ["<p style=\"${a ? 'x: (y' : ''}\">", '1:11', 'is no list of declarations'],
  ["<style>p { ${a ? 'x: \"</style>\"' : ''} }</style>", '1:12', 'is no list of declarations'],
  ["<p style=\"${a ? 'x: y /*' : ''}\">", '1:11', 'is no list of declarations'],
  ["<p style=\"${a ? 'x: \\\\' : ''}\">", '1:11', 'is no list of declarations'],
])('%s does not compile', (template, place, says) => {
  const compile = () => compileTemplate('views/a.html.ssp', template)
  expect(compile).toThrow(`views/a.html.ssp:${place} `)
  expect(compile).toThrow(says)
})

test('all styles of a file are reported at once', () => {
  expect(() => compileTemplate('views/a.html.ssp', '<p style="${a}"><b style="${b}">')).toThrow(
    'also at 1:27',
  )
})

test.each([
  ['<p style="${a}: red">', 'color', '<p style="color: red">'],
  ['<p data-style="${a}">', 'dark', '<p data-style="dark">'],
  ['<p style="#if (b)color: #end${a}">', 'red', '<p style="red">'],
  ['<p style="<%== a %>">', 'color: red', '<p style="color: red">'],
  ['<style>${a} { color: red }</style>', 'p', '<style>p { color: red }</style>'],
  ['<style>a { ${a} b { color: red } }</style>', 'p', '<style>a { p b { color: red } }</style>'],
])('%s prints a value as before', (template, a, html) => {
  expect(print(template, a)).toBe(html)
})
