/** Attributes whose presence counts: `checked="${value}"` is left out if the value is `false` or prints nothing. */
import { expect, test } from 'vitest'
import { evaluate } from '../../../test/view/evaluate.ts'
import { compileTemplate } from '../emit.ts'

const print = (template: string, q: unknown): string =>
  evaluate('<%@val q: any %>\n' + template)({ q })

test.each([
  ['<input checked="${q}">', '<input >'],
  ["<input checked='${q}' id=a>", '<input  id=a>'],
  ['<input checked=${q}>', '<input >'],
  ['<input CHECKED = ${q} id=a>', '<input  id=a>'],
  ['<input value="a"checked="${q}"id="b">', '<input value="a"id="b">'],
  ['<input #if (1)checked="${q}"#end>', '<input >'],
  ['<input #for (x of [1, 2])data-${x}="" disabled="${q}" #end>', '<input data-1=""  data-2=""  >'],
  ['<option selected="${q}">a', '<option >a'],
  ['<video controls="${q}" muted="${q}" loop=${q}></video>', '<video   ></video>'],
  ['<script async="${q}" src="/a.js"></script>', '<script  src="/a.js"></script>'],
  ['<p hidden="${q}" popover="${q}">', '<p  >'],
  ['<a download="${q}" href="/a">', '<a  href="/a">'],
  ['<img crossorigin="${q}">', '<img >'],
  ['<my-switch disabled="${q}"></my-switch>', '<my-switch ></my-switch>'],
  ['<input ${q}>', '<input >'],
])('%s is left out for false, undefined, null and an empty text', (template, html) => {
  for (const q of [false, undefined, null, '']) expect([q, print(template, q)]).toEqual([q, html])
})

test.each([
  ['<input checked="${q}">', true, '<input checked="">'],
  ['<input checked=${q}>', true, '<input checked="">'],
  ['<input checked="${q}">', 'checked', '<input checked="checked">'],
  ['<input checked="${q}">', 'false', '<input checked="false">'],
  ["<input checked='${q}'>", '"\'><b>', '<input checked="&#34;&#39;&gt;&lt;b&gt;">'],
  ['<p hidden="${q}">', 'until-found', '<p hidden="until-found">'],
  ['<a download="${q}.csv" href="/a">', 7, '<a download="7.csv" href="/a">'],
  ['<a download="${q}" href="/a">', 7, '<a download="7" href="/a">'],
  ['<p aria-hidden="${q}" title="${q}">', false, '<p aria-hidden="false" title="false">'],
])('%s with %j', (template, q, html) => {
  expect(print(template, q)).toBe(html)
})

test.each([
  ['<input checked="a${q}">', '1:18', "'checked' counts with any value"],
  ['<input checked="${q} ${q}">', '1:17', "'checked' counts with any value"],
  ['<input disabled="#if (q)disabled#end">', '1:18', 'write disabled="${condition}"'],
  ['<input disabled="#if (q)${q}#end">', '1:18', 'write disabled="${condition}"'],
  ['<g /checked="${q}">', '1:5', 'write a blank before'],
])('%s does not compile', (template, place, says) => {
  const compile = () => compileTemplate('views/a.html.ssp', template)
  expect(compile).toThrow(`views/a.html.ssp:${place} `)
  expect(compile).toThrow(says)
})
