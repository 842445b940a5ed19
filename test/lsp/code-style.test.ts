/** `fw lsp`: an application whose code and templates are written in another style than generated ones. */
import { copyFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CompletionItem, Location, WorkspaceEdit } from 'vscode-languageserver'
import { checkApplication } from '../../src/tools/cli/check.ts'
import { copyExample, Editor, removeApplication, webInf } from './editor.ts'

const model = 'src/main/model/member.ts'
const controller = 'src/main/controller/members-controller.ts'
const views = `${webInf}/views/members`
const row = `${views}/parts/_row.html.ssp`

let root: string
let editor: Editor
let mistakes: readonly unknown[]

function change(file: string, ...replacements: readonly (readonly [string | RegExp, string])[]) {
  let text = editor.read(file)
  for (const [old, replacement] of replacements) {
    expect(text).toMatch(old)
    text = text.replaceAll(old, replacement)
  }
  editor.write(file, text)
}

beforeAll(async () => {
  root = copyExample('members')
  // The types of the built package are checked faster than the sources of Fw.
  copyFileSync('templates/application/tsconfig.json.tpl', join(root, 'tsconfig.json'))
  editor = new Editor(root)
  editor.write(
    model,
    `import { model as define, ParamType as P, type RowOf } from 'fwjs'
const key = { id: P.Long }
const columns = {
  ...key,
  name: P.String,
  birthday: P.LocalDate,
  countryId: P.optional(P.Long),
}
export const Member = define('members', columns)
export type Member = RowOf<typeof Member>
`,
  )
  editor.write('src/main/model/index.ts', "export { Member as Person } from './member.ts'\n")
  change(
    controller,
    ["import { Member } from '#model/member'", "import { Person as People } from '#model/index'"],
    [/\bMember\./g, 'People.'],
    ['paramKey, ', 'paramKey as rule, '],
    [/\bparamKey\(/g, 'rule('],
    [/private createForm\(\) \{\n    return ([^{}]*?\n    \))\n {2}\}/g, 'createForm = () => $1'],
    [/private createParams\(\) \{\n    return (.*)\n {2}\}/g, 'createParams = () => $1'],
    ['private async save() {', 'save = async () => {'],
    [/\bnewInput\(\) \{\n    return (.*)\n {2}\}/g, 'newInput = () => $1'],
    [
      /\.permit\((\{[^{}]*\}),?\s*\)([^]*?)\nexport const members/g,
      '.permit(permitted)$2\nconst permitted = $1\n\nexport const members',
    ],
  )
  editor.write(
    row,
    "<%@val field: 'name' | 'countryId' %>\n<p><%@include '../_field' { name: field } %></p>\n",
  )
  change(`${views}/_form.html.ssp`, [
    "<%@include '_field' { name: 'name' } %>",
    "<%@include 'parts/_row' { field: 'name' } %>",
  ])
  mistakes = (await checkApplication(root)).diagnostics
  await editor.initialize()
})
afterAll(async () => {
  await editor.kill()
  removeApplication(root)
})

const rename = (file: string, marked: string, newName: string): Promise<WorkspaceEdit> =>
  editor.ask('textDocument/rename', file, marked, { newName })

async function definition(file: string, marked: string): Promise<string[]> {
  const found = await editor.ask<Location[]>('textDocument/definition', file, marked)
  return found.map(({ uri, range }) => {
    const path = relative(root, fileURLToPath(uri))
    return `${path} ${editor.textIn(path, range)}`.trim()
  })
}

test('the application has no mistakes', () => {
  expect(mistakes).toEqual([])
})

test.each([
  ['a rule by another name of paramKey', controller, "rule('na|me')"],
  ['a value that a partial passes on', `${views}/_form.html.ssp`, "{ field: 'na|me' }"],
])('the definition of %s is the column', async (_, file, marked) => {
  expect(await definition(file, marked)).toEqual([`${model} name`])
})

test('a column in a constant, of a model that imports and exports rename', async () => {
  const undo = await editor.apply(await rename(model, 'na|me: P', 'fullName'))
  expect((await checkApplication(root)).diagnostics).toEqual([])
  expect(editor.messages).toEqual([])
  expect(editor.read(controller)).toContain("rule('fullName').is(required, minLength(2)),")
  expect(editor.read(controller)).toContain('fullName: ParamType.String,')
  expect(editor.read(row)).toContain("<%@val field: 'fullName' | 'countryId' %>")
  expect(editor.read(`${views}/_field.html.ssp`)).toContain("'fullName' | 'birthday'")
  expect(editor.read(`${views}/_form.html.ssp`)).toContain("{ field: 'fullName' }")
  expect(editor.read('src/main/resources/messages_de.yml')).toMatch(/^fullName: Name$/m)
  await undo()
})

test('an optional column whose type has another name', async () => {
  const undo = await editor.apply(await rename(model, 'coun|tryId: P', 'stateId'))
  expect((await checkApplication(root)).diagnostics).toEqual([])
  expect(editor.read(controller)).toContain('stateId: ParamType.optional(ParamType.Long),')
  await undo()
})

test.each([
  ['a field', 'newIn|put =', "'/members/new', 'added'"],
  ['a method', 'async cre|ate()', "'/members/?', 'added'"],
])('an action that is %s is renamed in its route', async (_, declared, route) => {
  const undo = await editor.apply(await rename(controller, declared, 'added'))
  expect((await checkApplication(root)).diagnostics).toEqual([])
  expect(editor.read(controller)).toContain(route)
  await undo()
})

test('a value that a controller sets without types stays there, with a message', async () => {
  const earlier = editor.messages.length
  const edit = await rename(`${views}/index.html.ssp`, '<%@val mem|bers', 'people')
  expect(edit.changes![editor.uri(controller)]).toBeUndefined()
  const before = editor.text(controller).split("this.set('members'")[0]!
  expect(editor.messages.slice(earlier)).toEqual([
    `'this.set' has no types, so the value is still called 'members' in ${controller}:${before.split('\n').length}: rename it there by hand`,
  ])
})

test('the column id whose type has another name is refused', async () => {
  await expect(rename(model, 'i|d: P', 'number')).rejects.toThrow('because of this name')
})

test.each([
  ['_fi|eld', '/members/_field'],
  ['../|', '../_field'],
  ['/mem|', '/members/_field'],
])('the completion of the partial %s', async (begun, expected) => {
  await editor.open(row, `<%@include '${begun.replace('|', '')}' %>\n`)
  const found = await editor.ask<CompletionItem[]>(
    'textDocument/completion',
    row,
    `<%@include '${begun}'`,
  )
  expect(found.map(({ label }) => label)).toContain(expected)
  await editor.close(row)
})

test('a partial of the folder above', async () => {
  expect(await definition(row, "include '../_fi|eld'")).toEqual([`${views}/_field.html.ssp`])
  const files = [
    {
      oldUri: editor.uri(`${views}/_field.html.ssp`),
      newUri: editor.uri(`${views}/_input.html.ssp`),
    },
  ]
  const edit = await editor.connection.sendRequest<WorkspaceEdit>('workspace/willRenameFiles', {
    files,
  })
  expect(edit.changes![editor.uri(row)]).toEqual([
    expect.objectContaining({ newText: '/members/_input' }),
  ])
})
