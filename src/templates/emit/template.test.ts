import { execFile } from 'node:child_process'
import { SourceMap } from 'node:module'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testProject } from '../../../test/view/project.ts'
import { templateOffset } from './source-map.ts'
import { generateViews } from '../compile.ts'
import { lineStarts, positionIn } from '../read.ts'
import { compileTemplate } from './template.ts'

test('a generated module', () => {
  const { code, declared, includes, isAsync, usesNonce, name } = compileTemplate(
    'views/members/show.html.ssp',
    [
      "<%@import type { Member } from '#model/member' %>",
      "<%@import { mark } from '../shared/mark.ts' %>",
      '<%@val member: Member %>',
      "<%@val title: string = 'Member' %>",
      '<h1 class="${title}">${member.name}</h1>',
      '#if (member.tags.length > 0)',
      '  <a href="${s.url(routes.members.showUrl, { id: member.id })}">${mark(title)}</a>',
      '#end',
      "<%@include '_tags' { tags: member.tags } %>",
    ].join('\n'),
  )
  expect(code.split('\n')).toEqual([
    "import type { Fw as __Fw } from 'fwjs'; import type { PageValues as __Page, SafeHtml as __SafeHtml } from 'fwjs/compiled'; " +
      "import { escapeAmpersand as __escapeAmpersand, escapeAttribute as __escapeAttribute, escapeText as __escapeText, ownValues as __ownValues, urlStart as __urlStart } from 'fwjs/compiled'; " +
      "import { controllers as routes } from '#controller/controllers'; import { render as __render0 } from './_tags.html.ssp.ts'; " +
      "export interface Values {} import type { Member } from '#model/member';",
    " import { mark } from '../../../src/main/webapp/WEB-INF/views/shared/mark.ts';",
    ' export interface Values { member: Member }',
    ' export interface Values { title?: string }' +
      ' export function render(__values: Values, s: __Fw, __page: __Page): string {' +
      " if (('title' in __values && !Object.hasOwn(__values, 'title'))) __values = __ownValues(__values);" +
      " const { member, title = (('Member') satisfies Values['title']), } = __values; let __out = '';",
    ' __out += "<h1 class=\\"" + __escapeAttribute(title) + "\\">" + __escapeText(member.name) + "</h1>\\n";',
    ' if (member.tags.length > 0) {',
    ' __out += "  <a href=\\"" + __escapeAmpersand(__urlStart(s.url(routes.members.showUrl, { id: member.id }))) + "\\">" + __escapeText(mark(title)) + "</a>\\n";',
    ' }',
    ' __out += (__render0({ ...__values, ...{ title },  tags: member.tags  }, s, __page)); return __out }' +
      " const __file = 'views/members/show.html.ssp'; const __version = '41c9d0af59dc'; const __usesNonce: boolean = false;" +
      ' const __declared = [{"name":"member","type":"Member","optional":false},{"name":"title","type":"string","optional":true}];' +
      ' export { __file as file, __version as version, __usesNonce as usesNonce, __declared as declared };',
    '',
  ])
  expect({ declared, includes, isAsync, usesNonce, name }).toEqual({
    declared: [
      { name: 'member', type: 'Member', optional: false },
      { name: 'title', type: 'string', optional: true },
    ],
    includes: ['views/members/_tags.html.ssp'],
    isAsync: false,
    usesNonce: false,
    name: '/members/show',
  })
})

test('a byte order mark is no text, and a template with await is asynchronous', () => {
  expect(compileTemplate('views/a.html.ssp', '\ufeffa').code).toContain('__out += "a"')
  const { code, isAsync } = compileTemplate('views/a.html.ssp', '${await x}')
  expect(isAsync).toBe(true)
  expect(code).toContain(
    'export async function render(__values: Values, s: __Fw, __page: __Page): Promise<string>',
  )
})

const piece = fc.constantFrom(
  '<p>text</p>',
  '\n',
  '  ',
  '${a.b}',
  '${f(a,\n b)}',
  '<%= a %>',
  '#if (c.d)\nx\n#else\ny\n#end',
  '#for (x of xs)${x}#end',
  '<% const k = 1 %>',
  '<a href="${u}">l</a>',
  '<%-- c\n --%>',
  '#match (m)\n#case (1,\n 2)z\n#end',
  '<script>f(${a})</script>',
  'é\u2028',
  '\\${x}',
  "<%@include '_p' { a: 1 } %>",
)

test('each line of a module is the line of its template, and each copied part leads back to its place', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const source = '<%@val v: { a: 1 } | string %>\n' + pieces.join('')
      const { code, segments, sourceMap } = compileTemplate('views/t.html.ssp', source)
      const map = new SourceMap(
        JSON.parse(sourceMap()) as ConstructorParameters<typeof SourceMap>[0],
      )
      const [moduleLines, templateLines] = [lineStarts(code), lineStarts(source)]
      for (const { generated, source: from, length } of segments) {
        const own = code.slice(generated, generated + length) === source.slice(from, from + length)
        const expected = positionIn(templateLines, from)
        const found = positionIn(moduleLines, generated)
        expect(templateOffset(segments, generated)).toEqual({ offset: from, exact: true })
        if (own && length > 1) expect(found.line).toBe(expected.line)
        const entry = map.findEntry(found.line - 1, found.column - 1)
        expect(entry).toMatchObject({
          originalLine: expected.line - 1,
          originalColumn: expected.column - 1,
        })
      }
    }),
    { numRuns: 200 },
  )
})

test('whatever a template holds, it compiles or is refused with a place', () => {
  const part = fc.oneof(
    piece,
    fc.constantFrom(
      '${',
      '}',
      '<%',
      '%>',
      '#if (',
      ')',
      '#end',
      '#else',
      '"',
      "'",
      '`',
      '/',
      '\\',
      '<script>',
      '</script>',
      '<style>',
      '<a ',
      '=',
      '>',
      '<!--',
      '-->',
      '&#',
      '{',
      '<%@val ',
      '<%--',
    ),
    fc.string(),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
      try {
        compileTemplate('views/t.html.ssp', parts.join(''))
      } catch (error) {
        expect(error).toMatchObject({ code: 'view.syntax', file: 'views/t.html.ssp' })
      }
    }),
    { numRuns: 2000 },
  )
})

const script = `
import { createViewEngine, renderView } from 'fwjs/view'
const [root, mode, view] = process.argv.slice(2)
const engine = createViewEngine({ root, mode, modules: { helper: '#app/helper' } })
await engine.load()
try {
  await renderView(engine, { view, values: { member: undefined, thing: {} }, helper: { cspNonce: '' } })
} catch (error) {
  console.log(error.stack)
}
`

test.each(['development', 'production'])(
  'a stack names the line of the template in %s',
  async (mode) => {
    const project = testProject({
      'views/a.html.ssp':
        "<%@val member: { name: string } %>\n<p>\n<%@include '_b' { x: 1 } %>\n</p>",
      'views/_b.html.ssp':
        '<%@val x: number %>\n<%@val member: { name: string } %>\n<i>${x}</i>\n<b>${x} ${member.name}</b>',
      'views/c.html.ssp': '<%@val thing: any %>\n<p>\n  ${thing}</p>',
    })
    try {
      generateViews(project)
      project.write('render.ts', script)
      const webInf = join(project.root, 'src/main/webapp/WEB-INF')
      const run = async (view: string): Promise<string> => {
        const values = [
          '--conditions=fwjs-source',
          '--no-warnings',
          join(project.root, 'render.ts'),
          resolve(project.root),
          mode,
          view,
        ]
        return (await promisify(execFile)(process.execPath, values)).stdout
      }
      const missing = await run('/a')
      expect(missing).toMatch(
        /TypeError: Cannot read properties of undefined \(reading 'name'\)|needs the value 'member'/,
      )
      const [inner, outer] = missing.split('\n').filter((line) => line.includes('.ssp:'))
      expect(inner).toContain(`(${webInf}/views/_b.html.ssp:4:18)`)
      expect(outer).toContain(`(${webInf}/views/a.html.ssp:3:12)`)
      expect(await run('/c')).toContain(`${webInf}/views/c.html.ssp:3:3`)
    } finally {
      project.remove()
    }
  },
)
