import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/serve.ts'
import { testProject, type TestProject } from '../../../test/view/project.ts'
import { checkProject, type CheckResult } from './check-project.ts'
import { formatDiagnostic } from './diagnostics.ts'
import { renderView, createViewEngine } from '../../runtime/view.ts'

const render = `import type { LayoutName, ViewName, ViewValues } from 'fwjs/view'
declare function render<V extends ViewName>(view: V, values: ViewValues<V>): void
declare function layout(name: LayoutName): void
layout('default')
`
const members = `<%@import type { Member } from '#model/member' %>
<%@val members: readonly Member[] %>
<%@val title: string = 'Members' %>
`

const mistakes: Record<string, readonly [file: string, text: string, expected: string]> = {
  'a wrong property': [
    'views/property.html.ssp',
    `${members}<h1>\${title}</h1>\n#for (m of members)\n<li class="a">\${m.nmae}</li>\n#end\n`,
    `src/main/webapp/WEB-INF/views/property.html.ssp:6:19 Property 'nmae' does not exist on type 'Member'. (TS2339)
  6 | <li class="a">\${m.nmae}</li>
    |                   ^`,
  ],
  'a wrong route': [
    'views/route.html.ssp',
    '<p>\n  <a href="${s.url(routes.members.listUrl)}">x</a>\n</p>',
    `src/main/webapp/WEB-INF/views/route.html.ssp:2:35 Property 'listUrl' does not exist on type '{ indexUrl: Route<never>; showUrl: Route<"id">; }'. (TS2339)
  2 |   <a href="\${s.url(routes.members.listUrl)}">x</a>
    |                                   ^`,
  ],
  'a missing route parameter': [
    'views/parameter.html.ssp',
    '<a href="${s.url(routes.members.showUrl)}">x</a>',
    `src/main/webapp/WEB-INF/views/parameter.html.ssp:1:14 Expected 2 arguments, but got 1. (TS2554)
  1 | <a href="\${s.url(routes.members.showUrl)}">x</a>
    |              ^`,
  ],
  'a possible undefined': [
    'views/undefined.html.ssp',
    `${members}#for (m of members)\n  <b>\${m.nickname.length}</b>\n#end\n`,
    `src/main/webapp/WEB-INF/views/undefined.html.ssp:5:8 'm.nickname' is possibly 'undefined'. (TS18048)
  5 |   <b>\${m.nickname.length}</b>
    |        ^`,
  ],
  'a wrong value for a partial': [
    'views/partial.html.ssp',
    "<div>\n<%@include '_row' { label: 1 } %>\n</div>",
    `src/main/webapp/WEB-INF/views/partial.html.ssp:2:21 Type 'number' is not assignable to type 'string'. (TS2322)
  2 | <%@include '_row' { label: 1 } %>
    |                     ^`,
  ],
  'an unclosed block': [
    'views/block.html.ssp',
    '<p>\n  #if (true)\n<b>x</b>\n</p>',
    `src/main/webapp/WEB-INF/views/block.html.ssp:2:3 This #if has no #end: write #end after the last line that belongs to it (view.syntax)
  2 |   #if (true)
    |   ^`,
  ],
  'an unclosed expression': [
    'views/expression.html.ssp',
    '<p>${ [1, 2</p>\n',
    `src/main/webapp/WEB-INF/views/expression.html.ssp:1:4 unclosed '\${': the closing '}' is missing, or the '/' of the regular expression at 1:13 (view.syntax)
  1 | <p>\${ [1, 2</p>
    |    ^`,
  ],
  'a printed object': [
    'views/object.html.ssp',
    `${members}<b>\${members}</b>`,
    "src/main/webapp/WEB-INF/views/object.html.ssp:4:6 Argument of type 'readonly Member[]' is not assignable to parameter of type 'Printable'.",
  ],
  'a number that would set a boolean attribute': [
    'views/boolean.html.ssp',
    `${members}<p hidden="\${members.length}">a</p>\n<button disabled="\${members.length}">a</button>`,
    "src/main/webapp/WEB-INF/views/boolean.html.ssp:5:21 Argument of type 'number' is not assignable to parameter of type 'string | boolean | null | undefined'. (TS2345)",
  ],
  'a printed promise': [
    'views/promise.html.ssp',
    '<b>x</b>\n<b>${Promise.resolve(1)}</b>',
    "src/main/webapp/WEB-INF/views/promise.html.ssp:2:6 Argument of type 'Promise<number>' is not assignable to parameter of type 'Printable'.",
  ],
  'a partial that lacks a value': [
    'views/lacks.html.ssp',
    "x\n<%@include '_row' %>",
    `src/main/webapp/WEB-INF/views/lacks.html.ssp:2:12 Property 'label' is missing in type `,
  ],
  'a misspelt value for a partial': [
    'views/misspelt.html.ssp',
    "<%@include '_row' { label: 'a', lable: 'b' } %>",
    "src/main/webapp/WEB-INF/views/misspelt.html.ssp:1:33 Object literal may only specify known properties, but 'lable' does not exist in type 'Values'. Did you mean to write 'label'? (TS2561)",
  ],
  'a default of the wrong type': [
    'views/default.html.ssp',
    "<%@val n: number = 'one' %>\n${n}",
    "src/main/webapp/WEB-INF/views/default.html.ssp:1:25 Type 'string' does not satisfy the expected type 'number'. (TS1360)",
  ],
}

const calls: Record<string, readonly [text: string, expected: string]> = {
  'an unknown view': [
    "render('/memebrs/index', { members: [] })",
    "5:8 There is no view '/memebrs/index': did you mean '/members/index'? (TS2345)",
  ],
  'a missing value': [
    "render('/members/index', { title: 'x' })",
    "6:26 Property 'members' is missing in type '{ title: string; }' but required in type 'Values'. (TS2741)",
  ],
  'a wrong value type': [
    "render('/members/index', { members: [], title: 1 })",
    "7:41 Type 'number' is not assignable to type 'string'. (TS2322)",
  ],
  'a misspelt value': [
    "render('/members/index', { members: [], titel: 'x' })",
    "8:41 Object literal may only specify known properties, but 'titel' does not exist in type 'Values'. Did you mean to write 'title'? (TS2561)",
  ],
  'an unknown layout': [
    "layout('wide')",
    `9:8 Argument of type '"wide"' is not assignable to parameter of type '"default"'. (TS2345)`,
  ],
  'a partial as a view': [
    "render('/_row', { label: '' })",
    "10:8 There is no view '/_row': create it, or use one of these: ",
  ],
}
const rightCalls = `
render('/members/index', { members: [] })
render('/members/index', { members: [], title: 'x' })
render('/members/list.json', { n: 1 })
`

let project: TestProject
let result: CheckResult
let lines: string[]

beforeAll(async () => {
  project = testProject({
    'layouts/default.ssp': "<%@val title: string = 'x' %>\n<title>${title}</title>${body}",
    'views/_row.html.ssp': '<%@val label: string %>\n<i>${label}</i>',
    'views/members/index.html.ssp': `${members}<h1>\${title}</h1>#for (m of members)<a href="\${s.url(routes.members.showUrl, { id: m.id })}">\${m.name}</a><%@include '/_row' { label: m.name } %>#end`,
    'views/members/list.json.ssp': '<%@val n: number %>{"n": ${n}}',
  })
  for (const [file, text] of Object.values(mistakes)) project.template(file, text)
  project.write(
    'src/main/calls.ts',
    render +
      Object.values(calls)
        .map(([text]) => text)
        .join('\n') +
      rightCalls,
  )
  result = await checkProject(project)
  lines = result.diagnostics.map(formatDiagnostic)
})
afterAll(() => project.remove())

describe('each mistake is reported at its place', () => {
  test.each(Object.entries(mistakes))('%s', (_name, [file, , expected]) => {
    const found = lines.filter((line) => line.startsWith(`src/main/webapp/WEB-INF/${file}:`))
    expect(found.find((line) => line.startsWith(expected)) ?? found.join('\n')).toContain(expected)
    if (file !== 'views/route.html.ssp') expect(found).toHaveLength(1)
  })

  test.each(Object.entries(calls))('in a controller: %s', (_name, [, expected]) => {
    expect(lines.filter((line) => line.startsWith(`src/main/calls.ts:${expected}`))).toHaveLength(1)
  })

  test('and nothing else', () => {
    // The wrong route makes `s.url` complain, too.
    expect(lines).toHaveLength(Object.keys(mistakes).length + Object.keys(calls).length + 1)
  })
})

test('a project without mistakes, its development modules beside', async () => {
  const right = testProject({
    'views/a.html.ssp': '<%@val unused: number %>\n<%@val x: string %>${x}',
  })
  try {
    const engine = createViewEngine({ ...right, mode: 'development' })
    await engine.load()
    const values = { unused: 1, x: 'x' }
    expect(await renderView(engine, { view: '/a', values, helper: { cspNonce: '' } })).toBe('x')
    right.template('views/a.html.ssp', '<%@val y: string %>${y}')
    expect((await checkProject(right)).diagnostics).toEqual([])
  } finally {
    right.remove()
  }
})

test('a compiler that cannot run', async () => {
  await expect(checkProject({ root: '/' })).rejects.toThrow(
    expect.objectContaining({ code: 'view.check-failed' }),
  )
})

test.each([
  ['7.0.2', true],
  ['6.0.1', false],
])('the compiler %s gets the number of checkers: %s', async (version, hasCheckers) => {
  const root = temporaryFolder({
    'package.json': '{}',
    'node_modules/typescript/package.json': JSON.stringify({ version }),
    'node_modules/typescript/bin/tsc':
      'console.log(`src/main/a.ts(1,1): error TS1: ${process.argv.slice(2)}`)\nprocess.exit(2)\n',
  })
  const [found] = (await checkProject({ root })).diagnostics
  expect(/^--checkers,[1-4],-p/.test(found!.message)).toBe(hasCheckers)
})
