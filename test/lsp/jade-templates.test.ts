/** `fw lsp` in `.jade` templates: mistakes while one types, and names. Pug gives no types and no positions in code. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Location, WorkspaceEdit } from 'vscode-languageserver'
import { copyExample, Editor, removeApplication, webInf } from './editor.ts'

const old = `${webInf}/views/members/old.html.jade`
const item = `${webInf}/views/members/_item.jade`
const controller = 'src/main/controller/members-controller.ts'
const text = "include _item\r\np 😀\r\np= s.i18n.get('members.title')\r\ninput(name='name')\r\n"

let root: string
let editor: Editor
beforeAll(async () => {
  root = copyExample('members')
  editor = new Editor(root, { encoding: 'utf-8' })
  editor.write(old, text)
  editor.write(item, 'p item\n')
  editor.write(controller, editor.read(controller).replace("'/members/new'", "'/members/old'"))
  await editor.initialize()
  await editor.open(old)
})
afterAll(async () => {
  await editor.shutDown()
  removeApplication(root)
})

test('a mistake is shown before the template is saved', async () => {
  expect(await editor.diagnostics(old)).toEqual([])
  await editor.replace(old, "(name='name')", "(name='name'")
  const [found] = await editor.diagnostics(old)
  expect(found!.message).toContain('The end of the string reached with no closing bracket ) found')
  expect(found!.range.start.line).toBe(4)
  await editor.replace(old, "(name='name'", "(name='name')")
  expect(await editor.diagnostics(old)).toEqual([])
})

test('a mistake in a file that it includes is shown at its start', async () => {
  editor.write(item, 'p(\n')
  await editor.replace(old, 'p 😀', 'p 😀!')
  const [found] = await editor.diagnostics(old)
  expect(found).toMatchObject({ range: { start: { line: 0, character: 0 } } })
  expect(found!.message).toContain('WEB-INF/views/members/_item.jade:')
  editor.write(item, 'p item\n')
  await editor.replace(old, 'p 😀!', 'p 😀')
  expect(await editor.diagnostics(old)).toEqual([])
})

test('definitions: a message, and the file of an include; a view in code', async () => {
  const files = async (file: string, marked: string): Promise<string[]> => {
    const found = await editor.ask<Location[]>('textDocument/definition', file, marked)
    return found.map(({ uri }) => uri.slice(uri.lastIndexOf('/') + 1))
  }
  expect(await files(old, "get('members.ti|tle')")).toEqual(['messages.yml', 'messages_de.yml'])
  expect(await files(old, 'include _it|em')).toEqual(['_item.jade'])
  expect(await files(controller, "this.render('/members/ol|d')")).toEqual(['old.html.jade'])
})

test('keys of messages and form fields are renamed', async () => {
  const rename = async (file: string, marked: string, newName: string): Promise<string[]> => {
    const { changes } = await editor.ask<WorkspaceEdit>('textDocument/rename', file, marked, {
      newName,
    })
    return changes![editor.uri(old)]!.map(({ range }) => editor.textIn(old, range))
  }
  expect(await rename(old, "get('members.ti|tle')", 'heading')).toEqual(['title'])
  expect(await rename('src/main/model/member.ts', 'na|me: ParamType', 'fullName')).toEqual(['name'])
})

test('a section or key that a Jade template computes is not renamed', async () => {
  await editor.replace(old, 'p 😀', "p= s.i18n.get('members.' + 'title')")
  const options = { newName: 'people' }
  await expect(
    editor.ask('textDocument/rename', 'src/main/resources/messages.yml', 'mem|bers:', options),
  ).rejects.toThrow("Code computes keys that begin with 'members.'")
  await expect(
    editor.ask(
      'textDocument/rename',
      'src/main/resources/messages.yml',
      'ti|tle: Members',
      options,
    ),
  ).rejects.toThrow("A Jade template computes keys that can be 'members.title'")
  await editor.replace(old, "p= s.i18n.get('members.' + 'title')", 'p 😀')
})

test('what is only in HTML and in .ssp templates is not offered', async () => {
  await editor.replace(old, 'p 😀', '#if\n<\np ${ 1 }')
  for (const method of ['completion', 'hover', 'signatureHelp'])
    expect(await editor.ask(`textDocument/${method}`, old, '<|\np')).toBeNull()
  const options = { tabSize: 2, insertSpaces: true }
  expect(await editor.askAbout('textDocument/formatting', old, { options })).toEqual([])
  expect(await editor.askAbout('textDocument/documentSymbol', old)).toEqual([])
  expect(await editor.askAbout('textDocument/foldingRange', old)).toEqual([])
})
