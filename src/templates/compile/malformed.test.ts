import { expect, test } from 'vitest'
import { TemplateError } from '../read.ts'
import { compileTemplate } from '../emit.ts'

/** Template, line:column, and what the message says. */
const malformed: readonly (readonly [template: string, place: string, says: string])[] = [
  // code
  ['a\n<p>${ x.map(y => `{${y}` }</p>', '2:26', "'}' does not match the '(' at 2:12"],
  ['<p>${ `a }</p>', '1:7', 'unclosed template literal'],
  ['<p>${ {a: 1 </p>\n', '1:4', "unclosed '${'"],
  ['<p>\n  <% if (x) {', '2:3', "unclosed '<%'"],
  ['<p>${ x <% }', '1:4', "unclosed '${'"],
  ['<p>${ x %>', '1:4', "unclosed '${': the closing '}' is missing before the '%>' at 1:9"],
  ["<%= 'abc\n %>", '1:5', 'unclosed string'],
  ['<% /* x %>', '1:4', 'unclosed comment'],
  ['<% foo(] %>', '1:8', "']' does not match the '(' at 1:7"],
  ['<p>${ }</p>', '1:4', 'empty expression'],
  ['<p><%= %></p>', '1:4', 'empty expression'],
  ['${a)}', '1:4', "unexpected ')'"],
  ['<%= f( %>', '1:6', "the '(' of this expression is never closed"],
  ['<%-- x', '1:1', "unclosed comment: the closing '--%>'"],
  ['x <%# x', '1:3', "unclosed comment: the closing '%>'"],
  ['${' + '`${'.repeat(101), '1:304', 'more than 100 template literals in each other'],
  // blocks
  [
    '<p>\n#if (x)\n<b>',
    '2:1',
    'This #if has no #end: write #end after the last line that belongs to it',
  ],
  ['#if (x) <% } %> #end', '1:12', "'}' closes nothing inside the #if of 1:1: #end comes first"],
  [
    '<% if (x) { %>\n<p>',
    '1:11',
    "This '{' has no <% } %>: write <% } %> after the last line that belongs to it",
  ],
  ['<p><% } %>', '1:7', "'}' closes nothing"],
  ['#for (x of y)<% if (x) { %>#end', '1:28', "#end stands inside the '{' opened at 1:24"],
  ['#for (x, y)\n#end', '1:7', 'expected #for (item of list)'],
  ['#for (x <- xs)\n#end', '1:7', 'expected #for (item of list)'],
  ['#for (x of )#end', '1:12', 'the list to loop over is missing'],
  ['#if ()#end', '1:6', 'expected a condition'],
  ['#if (x', '1:5', "unclosed '(' of a directive"],
  ['#if (a)x#else y#else z#end', '1:16', '#else after #else: #else must be the last'],
  ['#if (a)x#else y#elseif (b)z#end', '1:16', '#elseif after #else'],
  ['#for (a of b)x#else y#end', '1:15', '#else without #if: the open block is the #for of 1:1'],
  ['#if (a)x#elif (b)y#end', '1:9', 'write #elseif (condition)'],
  ['#case (1)x', '1:1', '#case without #match'],
  ['#match (x) a #case (1) b #end', '1:12', 'nothing may stand between #match and its first #case'],
  ['#match (x)\n#end', '1:1', '#match has no #case'],
  ['#match (x)#otherwise a#case (1) b#end', '1:23', '#case after #otherwise'],
  ['#set (a b)#end', '1:7', 'expected a name: #set (head)'],
  ['#do (card)x#end', '1:6', 'expected a call'],
  [
    '<% const f = (x: string) => { %><b><% } %>',
    '1:29',
    'only if, for, while, switch and .forEach blocks may span tags',
  ],
  ['<% try { %>a<% } catch { %>b<% } %>', '1:8', 'a try block cannot span tags'],
  // declarations
  ['<%@vall x: string%>', '1:4', "'<%@vall' is no declaration"],
  ['<%@val x%>', '1:8', 'expected a name and a type'],
  ['<%@val x: %>', '1:11', "the type of 'x' is missing"],
  ['<%@val x: string = %>', '1:18', "the default of 'x' is missing"],
  ['<%@val x: string%>\n<%@val x: number%>', '2:8', "'x' is declared twice, first at 1:8"],
  ['<%@val class: string%>', '1:8', "'class' is reserved"],
  ['<%@val __x: string%>', '1:8', "'__x' is reserved"],
  ['<p>\n<%@val x: string%>', '2:1', '<%@val %> must come before everything'],
  ['<p>\n<%@import { x } from "y" %>', '2:1', '<%@import %> must come before everything'],
  ['<%@import x %>', '1:11', 'expected <%@import type'],
  ['<%@val x: { a: string %>', '1:11', "the '{' of this declaration has no counterpart"],
  ['<%@include _form %>', '1:12', 'expected a quoted path'],
  ["<%@include '_form' x %>", '1:20', "expected the partial's values in braces"],
  ["<%@include '../../x' %>", '1:12', 'lies outside'],
  ["<%@include '_a.txt.ssp' %>", '1:12', 'a html template cannot include'],
  [
    '<% xs.forEach(async (x) => { %>a<% }) %>',
    '1:28',
    'an asynchronous function would print after',
  ],
  ['<p #for (a of x) data-${a}#end>', '1:27', 'end it with a blank'],
  // HTML
  [
    '<a #if (x)href="#else title="#end foo">',
    '1:30',
    'the branches end in different places of the HTML',
  ],
  ['#for (a of x)<a href="#end', '1:23', 'the body of this loop does not end where it began'],
  ['<${x}>', '1:2', 'the name of a tag must be static'],
  ['<h${x}>', '1:3', 'the name of a tag must be static'],
  ['</${x}>', '1:3', 'the name of a tag must be static'],
  ['<a on${x}="1">', '1:6', "an expression cannot be part of the attribute name 'on…'"],
  ['<a ${x}="1">', '1:8', 'the name of an attribute with a value must be static'],
  ['<p a="b"c"d">', '1:10', `unexpected '"' in an attribute name`],
  ['<p class="a""b">', '1:13', `unexpected '"' in a tag`],
  [
    '<p><a href="x',
    '1:4',
    "the template ends in the value of the attribute 'href', which begins here",
  ],
  ['<p\n><!-- x', '2:2', 'the template ends in a comment, which begins here'],
  ['<title>x', '1:1', 'the template ends in <title>'],
  ['<p class="<%@include \'_x\' %>">', '1:11', 'a partial can only be included in HTML text'],
  ['<p class=${x}"a>', '1:14', 'quote the value'],
  ['<plaintext>', '1:11', '<plaintext> never ends'],
  ['<title/>', '1:8', '<title/> does not close itself'],
  ['<svg><![CDATA[x]]></svg>', '1:8', 'CDATA sections'],
  ['<!DOCTYPE ${x}>', '1:11', 'an expression cannot stand here, in the doctype'],
  ['<title>a <${x}</title>', '1:11', "after '<' the value could end <title>"],
  ['<script type="${x}">', '1:15', "the attribute 'type' of <script> must be static"],
  ['<script nonce="${s.cspNonce}">', '1:9', 'the nonce of <script> is written by the compiler'],
  ['<meta content="${x}" http-equiv="refresh">', '1:16', 'an expression can only stand after url='],
  ['<meta http-equiv="refresh" content="${x}">', '1:37', 'can only stand after url='],
  ['<iframe srcdoc="<p>${x}</p>">', '1:20', 'srcdoc takes one expression or static markup'],
  [
    '<p #if (x)checked#end#if (y)id="b"#end>',
    '1:29',
    'a blank is missing between this and the attribute before it',
  ],
  // URLs
  ['<a href="javascript:f(${x})">', '1:23', 'an expression cannot stand in a javascript: URL'],
  ['<a href="data:text/html,${x}">', '1:25', 'an expression cannot stand in a data: URL'],
  ['<a href="${x}:y">', '1:10', 'would let the value choose the scheme'],
  ['<a href="/a?b=1&reg_id=${x}">', '1:16', "browsers read '&reg' as '®': write &amp;reg"],
  ['<a href="/a?b=1&copy[]=2">', '1:16', "browsers read '&copy' as '©': write &amp;copy"],
  ['<img srcset="/a?b&sect.c 1x">', '1:18', "browsers read '&sect' as '§': write &amp;sect"],
  ['<p>İİ<svg>${x}', '1:6', 'the template must close this <svg>'],
  ['İ<script NONCE="a">${x}</script>', '1:10', 'the nonce of <script> is written by the compiler'],
  ['<a href="&#106;avascript:${x}">', '1:26', 'an expression cannot stand in a javascript: URL'],
  // scripts and styles
  ['<script>const a = `hi ${x}`</script>', '1:23', 'in a template literal of the browser'],
  ['<script>// ${x}\n</script>', '1:12', 'an expression cannot stand in a comment of a script'],
  ['<script>/* ${x} */</script>', '1:12', 'an expression cannot stand in a comment of a script'],
  ['<script>var a = "\\${x}${x}\\', '1:1', 'the template ends in the script of <script>'],
  [
    '<script>if (a) {} / ${x}</script>',
    '1:21',
    'is not JavaScript in every way through the branches: Unterminated regular expression',
  ],
  ['<script><!-- x</script>', '1:9', "'<!--' changes how browsers read"],
  ['<script>"</${x}"</script>', '1:12', "after '</' the value could end <script>"],
  ['<p onclick="f(\'&${x};\')">', '1:17', 'a character reference before it hides what is meant'],
  [
    '<p style="background: url(${x})">',
    '1:27',
    'an expression cannot stand in url(…) without quotes',
  ],
  ['<style>@import "${x}";</style>', '1:17', 'the URL of an @import must be static'],
  ['<style>/* ${x} */</style>', '1:11', 'an expression cannot stand in a comment of a style'],
  [
    '#for (x of xs)<p class="#if (x)<% break %>#end"></p>#end',
    '1:34',
    'would leave the HTML unfinished',
  ],
]

test.each(malformed)('%j', (template, place, says) => {
  const error = mistakeOf(template)
  expect(`${error.line}:${error.column} ${error.reason}`).toContain(says)
  expect(`${error.line}:${error.column}`).toBe(place)
  expect(error.message).toContain(`WEB-INF/views/t.html.ssp:${place} `)
  expect(error.code).toBe('view.syntax')
  const [source, caret] = error.frame.split('\n')
  expect(source).toBe(`  ${error.line} | ${template.split('\n')[error.line - 1]}`)
  expect(caret!.indexOf('^')).toBe(5 + error.column + String(error.line).length - 1)
})

function mistakeOf(template: string): TemplateError {
  try {
    compileTemplate('views/t.html.ssp', template)
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
  throw new Error('no mistake found')
}

test('a file that is no template, and a layout whose body is no SafeHtml', () => {
  expect(() => compileTemplate('views/t.ssp', '')).toThrow('a template is views/')
  expect(() => compileTemplate('layouts/a.ssp', '<%@val body: string %>')).toThrow(
    "1:14 the 'body' of a layout is of type SafeHtml",
  )
  expect(() => compileTemplate('views/t.txt.ssp', '#set (a)x#end')).toThrow('only HTML has one')
})
