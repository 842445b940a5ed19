/** formatTemplate: one form of code, and the same page. */
import { globSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { parse as parsePage } from 'parse5'
import { describe, expect, test } from 'vitest'
import { growth, linearGrowth } from '../../runtime/base/growth.fixture.ts'
import { compileTemplate } from '../emit.ts'
import { formatTemplate } from '../format.ts'
import { parseTemplate, TemplateError, TemplateSource, trimControlLines } from '../read.ts'

const format = (text: string): string => formatTemplate('views/page.html.ssp', text)

test.each([
  ['${ a }', '${a}'],
  ["${\tf('}') }", "${f('}')}"],
  ['<%=a%>', '<%= a %>'],
  ['<%==  a%>', '<%== a %>'],
  ['<%a()%>', '<% a() %>'],
  ['<%@val   a:string%>', '<%@val a: string %>'],
  ["<%@val a : string='x'%>", "<%@val a: string = 'x' %>"],
  ["<%@val a: string='x'%>", "<%@val a: string = 'x' %>"],
  ['<%@val f: (a: number)=>void%>', '<%@val f: (a: number)=>void %>'],
  ["<%@import   type { A } from 'a';%>", "<%@import type { A } from 'a' %>"],
  ["<%@include  '_a'{a,b}%>", "<%@include '_a' { a,b } %>"],
  ["<%@include '_a' {} %>", "<%@include '_a' {} %>"],
  ['#if( a )\nx\n#end', '#if (a)\nx\n#end'],
  ['  #if (a)\nx\n#else\ny\n    #end\n', '  #if (a)\nx\n  #else\ny\n  #end\n'],
  ['#for (a  of b)${ a }#end', '#for (a  of b)${a}#end'],
  [
    '  #if (a)\n<b>${c}#if (d)\nx\n      #end\n</b>\n    #end\n',
    '  #if (a)\n<b>${c}#if (d)\nx\n      #end\n</b>\n  #end\n',
  ],
  ['#match (a)\n  #case ( 1 )\nx\n#end', '#match (a)\n  #case (1)\nx\n#end'],
  ['\ufeff${ a }\r\n', '\ufeff${a}\r\n'],
])('%j', (text, expected) => {
  expect(format(text)).toBe(expected)
})

test.each([
  '${a // comment\n}',
  '<% a() // comment %>',
  '<%\n  a()\n  b()\n%>',
  "<%@val a: string /* a */ = 'x' %>",
  '<pre>  a\n b  </pre>   \n',
  '\\${ a } \\#if( a )',
  '<%--a--%><%#b%>',
  'a #if (b)c#end\n',
])('%j stays as it is', (text) => {
  expect(format(text)).toBe(text)
})

test('a mistake has its place', () => {
  expect(() => format('<p>${</p>')).toThrow(TemplateError)
})

test.each([
  ['directives in one line', 1000, (size: number) => '<b>#if (a)x#end</b>'.repeat(size)],
  [
    'blanks in a line with text',
    500,
    (size: number) => `#if (a)\n${' '.repeat(size)}x\n#end${' '.repeat(size)}`,
  ],
])('%s are formatted in linear time', (_, size, make) => {
  expect(growth(size, make, format, 5)).toBeLessThan(linearGrowth)
})

const repository = resolve(import.meta.dirname, '../../..')
const templates = globSync(['{examples,templates,bench,test}/**/*.ssp', 'templates/**/*.ssp.tpl'], {
  cwd: repository,
  exclude: (path) => /(?:^|\/)(?:node_modules|tmp|\.fw)$/.test(path),
}).filter((file) => !readFileSync(join(repository, file), 'utf8').includes('{{#'))

/** Returns the compiled code without what names the text of the template, and without blanks around code. */
function compiled(file: string, text: string): string {
  return compileTemplate(file, text)
    .code.replace(/ const __version = '[^']*';/, '')
    .replace(/[ \t\r\n]+/g, '')
}

describe('the templates of the repository', () => {
  test('there are many', () => expect(templates.length).toBeGreaterThan(40))

  test.each(templates)('%s: formatted once and twice is the same, and prints the same', (path) => {
    const text = readFileSync(join(repository, path), 'utf8')
    const name = basename(path).replace('.tpl', '')
    const file = /\.(html|json|xml|txt)\.ssp$/.test(name) ? `views/${name}` : `layouts/${name}`
    const spaced = addBlanks(file, text)
    for (const written of [text, spaced]) {
      const once = formatTemplate(file, written)
      expect(formatTemplate(file, once)).toBe(once)
      expect(texts(file, once)).toEqual(texts(file, written))
      const plain = compileOrReason(file, written)
      expect(compileOrReason(file, once)).toBe(plain)
    }
    expect(formatTemplate(file, spaced)).toBe(formatTemplate(file, text))
    expect(tree(formatTemplate(file, text))).toBe(tree(text))
  })
})

/** Returns the texts that a template prints. */
function texts(file: string, text: string): string[] {
  const source = new TemplateSource(file, text)
  const nodes = parseTemplate(source)
  trimControlLines(source, nodes)
  return nodes.flatMap((node) => (node.kind === 'text' && node.text !== '' ? [node.text] : []))
}

/** Returns a template with more blanks in its expressions and directives. */
function addBlanks(file: string, text: string): string {
  const source = new TemplateSource(file, text)
  return parseTemplate(source)
    .map((node) => {
      const written = text.slice(node.pos, node.end)
      if (node.kind === 'output') return written.replace(/^\$\{/, '${  ').replace(/^<%=+/, '$&  ')
      if (node.kind !== 'directive' || node.code === undefined) return written
      return written.replace(/ ?\(/, '  (\t')
    })
    .join('')
}

/** Returns the nodes of a page, without the places of the template's code. */
const tree = (text: string): string =>
  JSON.stringify(parsePage(text), (key, value: unknown) =>
    key === 'parentNode' ? undefined : value,
  )

/** Returns the compiled code, or the reason of the error: a template of a generator has places to fill. */
function compileOrReason(file: string, text: string): string {
  try {
    return compiled(file, text)
  } catch (error) {
    if (error instanceof TemplateError) return error.reason
    throw error
  }
}
