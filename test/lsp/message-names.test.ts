/** `fw lsp`: keys of messages as names, in files of messages, templates and code. */
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import type { Location, WorkspaceEdit } from 'vscode-languageserver'
import { checkApplication } from '../../src/tools/cli/check.ts'
import { contents } from '../generate/folder.ts'
import { copyExample, Editor, removeApplication, webInf } from './editor.ts'

let root: string
let editor: Editor
afterEach(async () => {
  await editor.kill()
  removeApplication(root)
})

const messages = 'src/main/resources/messages.yml'
const german = 'src/main/resources/messages_de.yml'

async function start(example: string, encoding: 'utf-8' | 'utf-16' = 'utf-16'): Promise<void> {
  root = copyExample(example)
  editor = new Editor(root, { encoding })
  await editor.initialize()
}

async function references(file: string, marked: string): Promise<string[]> {
  const more = { context: { includeDeclaration: true } }
  const found = await editor.ask<Location[]>('textDocument/references', file, marked, more)
  return found.map(({ uri, range }) => {
    const path = relative(root, fileURLToPath(uri))
    return `${path.replace(`${webInf}/`, '')} ${editor.textIn(path, range)}`
  })
}

const rename = (file: string, marked: string, newName: string): Promise<WorkspaceEdit> =>
  editor.ask('textDocument/rename', file, marked, { newName })

const examples = [
  {
    example: 'members',
    encoding: 'utf-8',
    template: `${webInf}/views/members/index.html.ssp`,
    marked: "get('members.ti|tle')",
    key: 'ti|tle: Members',
    uses: ['views/members/index.html.ssp title', 'layouts/default.ssp title'],
  },
  {
    example: 'journal',
    encoding: 'utf-16',
    template: `${webInf}/views/tags/show.html.ssp`,
    marked: "get('tags.tag|ged'",
    key: "tag|ged: 'Tagged",
    uses: ['views/tags/show.html.ssp tagged'],
  },
] as const

test.each(examples)('$example: the references and the rename of a message', async (one) => {
  await start(one.example, one.encoding)
  const before = contents(`${root}/src`)
  const found = await references(one.template, one.marked)
  const name = one.key.slice(0, one.key.indexOf(':')).replace('|', '')
  expect(found).toEqual(
    expect.arrayContaining([`${messages} ${name}`, `${german} ${name}`, ...one.uses]),
  )
  expect(new Set(await references(messages, one.key))).toEqual(new Set(found))
  expect(await editor.ask('textDocument/prepareRename', one.template, one.marked)).toMatchObject({
    placeholder: name,
  })
  const edit = await rename(messages, one.key, 'renamed')
  expect(await rename(one.template, one.marked, 'renamed')).toEqual(edit)
  const undo = await editor.apply(edit)
  expect((await checkApplication(root)).diagnostics).toEqual([])
  expect(editor.read(german)).toContain('renamed: ')
  await undo()
  expect(contents(`${root}/src`)).toEqual(before)
})

test('the section of messages', async () => {
  await start('members')
  const undo = await editor.apply(await rename(messages, 'mem|bers:\n', 'people'))
  expect((await checkApplication(root)).diagnostics).toEqual([])
  expect(editor.read(german)).toMatch(/^people:$/m)
  expect(editor.read(`${webInf}/views/members/index.html.ssp`)).toContain("get('people.title')")
  await undo()
  expect((await checkApplication(root)).diagnostics).toEqual([])
})

test('a key in an expression is renamed, a text that means something else is not', async () => {
  await start('members')
  const page = `${webInf}/views/members/index.html.ssp`
  await editor.open(page)
  await editor.replace(
    page,
    "s.i18n.get('members.title')",
    "s.i18n.get(members.length > 0 ? 'members.title' : 'members.add')",
  )
  await editor.replace(
    page,
    '</h1>',
    "${(<T extends 'members.title'>(x: T) => x)('members.title')}</h1>",
  )
  const { changes } = await rename(page, "? 'members.ti|tle'", 'heading')
  expect(changes![editor.uri(page)]).toHaveLength(3)
  await editor.replace(page, "<T extends 'members.title'>", "<T extends `members.${'title'}`>")
  const again = await rename(page, "? 'members.ti|tle'", 'heading')
  expect(again.changes![editor.uri(page)]).toHaveLength(1)
})

test('renames that cannot be complete are refused', async () => {
  await start('journal')
  const page = `${webInf}/views/tags/show.html.ssp`
  await expect(rename(page, "get('tags.tag|ged'", 'a.b')).rejects.toThrow(
    "'a.b' is no name of a message",
  )
  await expect(rename(page, "get('tags.tag|ged'", 'title')).rejects.toThrow(
    "There is a message 'tags.title' already",
  )
  await expect(rename(messages, 'art|icle:\n', 'paper')).rejects.toThrow(
    "Fw finds messages of a resource or form by the name 'article'",
  )
  await expect(rename(messages, 'summ|ary: Summary', 'abstract')).rejects.toThrow(
    "'article.summary' is the label of the field 'summary': rename the field instead",
  )
  await expect(rename(messages, 'loginFir|st: Please', 'needed')).resolves.toBeDefined()
  editor.write(messages, editor.read(messages).replace('tags:\n', 'tags:\n  unused: x\n'))
  await expect(rename(messages, 'unu|sed: x', 'other')).rejects.toThrow(
    "No code contains 'tags.unused'",
  )
  await editor.open(page)
  const end = editor.text(page).length
  await editor.edit(
    page,
    end,
    end,
    "<% const key = 'optional' as const %>${s.i18n.get(key)}${s.i18n.getOrKey(`nav.${'tags'}`)}\n",
  )
  await expect(rename(messages, 'opt|ional: optional', 'free')).rejects.toThrow(
    `${page}:${editor.text(page).split('\n').length - 1} gets the key 'optional' from other code`,
  )
  await expect(rename(messages, 'na|v:\n', 'menu')).rejects.toThrow(
    "Code computes keys that begin with 'nav.'",
  )
  await editor.edit(page, 0, 0, '${')
  await expect(rename(messages, 'opt|ional: optional', 'free')).rejects.toThrow(
    'Correct WEB-INF/views/tags/show.html.ssp first',
  )
})
