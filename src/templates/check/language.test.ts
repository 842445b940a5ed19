import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testProject, type TestProject } from '../../../test/view/project.ts'
import { checkProject } from './check-project.ts'
import { formatDiagnostic } from './diagnostics.ts'
import { type ViewEngine, renderView, createViewEngine } from '../../runtime/view.ts'
import { generateViews } from '../compile.ts'

/** Template and what it prints, with `x: '<a>'`, `n: 2`, `list: ['a', 'b']`, `none: undefined`. */
const forms: Record<string, readonly [template: string, output: string]> = {
  'an expression': ['${x} <%= n + 1 %> ${x.toUpperCase()}', '&lt;a&gt; 3 &lt;A&gt;'],
  'raw output': ['<%== x %>${unescape(x)}${unescape(unescape(x))}', '<a><a><a>'],
  nothing: ['[${none}${null}]', '[]'],
  'printable values': [
    '${1.5} ${10n} ${true} ${new Date(0)} ${0}',
    '1.5 10 true 1970-01-01T00:00:00.000Z 0',
  ],
  'nested literals': [
    '${`a${`b${n}`}`} ${"}"} ${/[}]/.test("}")} ${ /* } */ n } ${ ((o: { a: number }) => o.a)({ a: 1 }) }',
    'ab2 } true 2 1',
  ],
  'a division, a regular expression': [
    '${n / 2 / 1} ${list.filter((l) => /a/.test(l)).length}',
    '1 1',
  ],
  'a line comment': ['${n // two\n}${n}<% const k = 1 // one %>${k}', '221'],
  statements: ['<% const y = x + "!" %>\n<b>${y}</b>', '<b>&lt;a&gt;!</b>'],
  'blocks of statements': [
    '<% for (const l of list) { %><i>${l}</i><% } %><% if (n > 2) { %>big<% } else if (n === 2) { %>two<% } else { %>small<% } %>',
    '<i>a</i><i>b</i>two',
  ],
  'other blocks of statements': [
    '<% list.forEach((l, i) => { %>${i}${l}<% }) %><% let i = 0; while (i < 2) { %>${i++}<% } %><% do { %>d<% } while (false) %><% switch (n) { case 2: %>two<% break; default: %>other<% } %><% { %>b<% } %>',
    '0a1b01dtwob',
  ],
  '#if': [
    '#if (n > 2)a#elseif (n === 2)b#else c#end|#if (n === 2)yes#end|#if (!n)no#end',
    'b|yes|',
  ],
  '#for': [
    '#for (l of list)${l}#end|#for ((l, i) of list)${i}${l}#end|#for ([a] of list)${a}#end|#for ({ length } of list)${length}#end|#for (const l of list)${l}#end',
    'ab|0a1b|ab|11|ab',
  ],
  '#match': [
    '#match (n)#case (1, 3)odd#case (2)two#otherwise many#end|#match (x)#case ("y")y#end',
    'two|',
  ],
  '#match narrows': [
    "<% const r: { k: 'a', a: number } | { k: 'b', b: string } = n ? { k: 'a', a: 1 } : { k: 'b', b: '' } %>\n#match (r.k)\n#case ('a')\n${r.a}\n#case ('b')\n${r.b}\n#end\n",
    '1\n',
  ],
  '#do': [
    "<%@import { box } from '#app/box' %>\n<%@import { loud } from './helpers.ts' %>\n#do (box('T'))\n<b>${x}</b>\n#end\n#do ()\n${loud('a')}\n#end\n",
    '<div title="T"><b>&lt;a&gt;</b>\n</div>A\n',
  ],
  'separated words': ['#if (n)a#(else)b#(end)c', 'ac'],
  'blocks in blocks': [
    '#for (l of list)#if (l === "a")<b>#for (m of list)${m}#end</b>#end#end',
    '<b>ab</b>',
  ],
  'text that is no directive': [
    '<a href="#end">#else #end #otherwise</a> #word #if #fortune (x) ${"$"} $x $(x) {} #',
    '<a href="#end">#else #end #otherwise</a> #word #if #fortune (x) $ $x $(x) {} #',
  ],
  'a word that only begins like one': [
    '#if (n)#endless #end-x #elsewhere#end',
    '#endless #end-x #elsewhere',
  ],
  literals: [
    '\\${x} \\#if (x) \\<%= x %> \\\\${n} \\\\\\${n} a\\b \\ #if (n)\\#end#end',
    '${x} #if (x) <%= x %> \\2 \\${n} a\\b \\ #end',
  ],
  comments: ['a<%-- ${x} <%= %> --%>b<%# c %>\n<%-- alone --%>\nd', 'ab\nd'],
  'lines that vanish': [
    '<ul>\n  #for (l of list)\n  <li>${l}</li>\n  #end\n</ul>\n#if (n)\n\t<% const q = 1 %>  \n#end\n${n}\n#if (n) #for (l of list)\nx\n#end #end',
    '<ul>\n  <li>a</li>\n  <li>b</li>\n</ul>\n2\nx\nx\n',
  ],
  'lines that stay': ['a #if (n)\nb\n#end c\n${n}\n<%= n %>\n', 'a \nb\n c\n2\n2\n'],
  'line ends of Windows': ['#if (n)\r\na\r\n#end\r\nb', 'a\r\nb'],
  'declarations in any order': [
    "<%@val d: number = n * 2 %>\n\n<%@import { upper } from '#model/member' %>\n${upper('a')}${d}",
    'A4',
  ],
  'an include': [
    "<%@include '_row' { label: x } %>|<%@include '/shared/_box' { x: 'y' } %>|<%@include \"./_row\" %>",
    '<i>&lt;a&gt;2</i>|[y]|<i>L2</i>',
  ],
  'a default seen by a partial': [
    "<%@val label: string = 'own' %>\n<%@include '_row' %>",
    '<i>own2</i>',
  ],
  'unquoted values': [
    '<a href=/x/${n} class=${x} title=a${x}b>',
    '<a href=/x/2 class="&lt;a&gt;" title=a&#60;a&#62;b>',
  ],
  'a conditional attribute': [
    '<input#if (n) checked#end><input ${n ? "checked" : ""}><input #if (!n)disabled#end value="1">',
    '<input checked><input checked><input  value="1">',
  ],
  'a first line break in a text area': [
    '<textarea>${"\\nx"}</textarea><pre>${n}</pre>',
    '<textarea>\n\nx</textarea><pre>\n2</pre>',
  ],
  'data in a script': [
    '<script type="application/json">${{ a: list, b: none, c: x }}</script>',
    '<script type="application/json">{"a":["a","b"],"c":"\\u003ca\\u003e"}</script>',
  ],
  'a srcset': [
    '<img srcset="${"a.png 1x, javascript:b 2x"}"><img srcset="${"a,b,"} 2x"><img srcset="/w_1,${"javascript:a"} 2x, b,/c ${n}x">',
    '<img srcset="a.png 1x, #unsafe 2x"><img srcset="a,b%2C 2x"><img srcset="/w_1,javascript%3Aa 2x, b,/c 2x">',
  ],
  URLs: [
    '<a href="${"javascript:x"}"></a><a href="/a?b=${"c&d e"}"></a><a href="${"/a b?c=d&e=é"}"></a>',
    '<a href="#unsafe"></a><a href="/a?b=c%26d%20e"></a><a href="/a%20b?c=d&amp;e=%C3%A9"></a>',
  ],
  'static scripts that only a browser can read': [
    '<script>if (a) {} /["]/.test(b); `${1'.replace('${1', '') +
      '`</script><p onclick="f(&eacute;)">${n}</p>',
    '<script nonce="N">if (a) {} /["]/.test(b); ``</script><p onclick="f(&eacute;)">2</p>',
  ],
  'a path that cannot leave the host': [
    '<a href="/${"/evil.example"}"></a><a href="/${""}${"//e"}"></a><a href="/a/${"/b"}"></a>',
    '<a href="/%2Fevil.example"></a><a href="/%2F%2Fe"></a><a href="/a//b"></a>',
  ],
  'nothing at all': ['', ''],
}

const values =
  "<%@val x: string = '<a>' %>\n<%@val n: number = 2 %>\n<%@val list: readonly string[] = ['a', 'b'] %>\n<%@val none: undefined = undefined %>\n"
let project: TestProject
let engine: ViewEngine

beforeAll(async () => {
  project = testProject(
    Object.fromEntries(
      Object.values(forms).map(([template], at) => [`views/f/t${at}.html.ssp`, values + template]),
    ),
  )
  project.template(
    'views/f/_row.html.ssp',
    "<%@val label: string = 'L' %>\n<%@val n: number %>\n<i>${label}${n}</i>",
  )
  project.template('views/shared/_box.html.ssp', '<%@val x: string %>\n[${x}]')
  project.template(
    'views/f/helpers.ts',
    'export const loud = (text: string): string => text.toUpperCase()\n',
  )
  project.write(
    'src/main/box.ts',
    'import { SafeHtml } from \'fwjs/view\'\nexport const box = (title: string, block: SafeHtml) => new SafeHtml(`<div title="${title}">${block}</div>`)\n',
  )
  const { errors } = generateViews(project)
  if (errors.length > 0) throw errors[0]!
  engine = createViewEngine({ ...project, mode: 'production' })
  await engine.load()
})
afterAll(() => project.remove())

describe('each form of the language', () => {
  test.each(Object.entries(forms))('%s', (_name, [template, output]) => {
    const at = Object.values(forms).findIndex(([one]) => one === template)
    const given = template === '' ? {} : { n: 2 }
    expect(
      renderView(engine, { view: `/f/t${at}`, values: given, helper: { cspNonce: 'N' } }),
    ).toBe(output)
  })
})

test('all of them pass the type checker', async () => {
  const { diagnostics } = await checkProject(project)
  const mistakes = diagnostics.filter(({ severity }) => severity === undefined)
  expect(mistakes.map(formatDiagnostic)).toEqual([])
})
