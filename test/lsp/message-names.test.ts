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

const titles = 'src/main/titles.ts'
const page = `${webInf}/views/members/index.html.ssp`

/** Returns the lines of the edits of a file. */
const editedLines = (edit: WorkspaceEdit, file: string): number[] =>
  (edit.changes![editor.uri(file)] ?? []).map(({ range }) => range.start.line + 1)

test('texts that TypeScript takes for a key are renamed, others stay with a message', async () => {
  await start('members')
  editor.write(
    titles,
    `import type { MessageKeys } from 'fwjs'
type MessageKey = keyof MessageKeys
import { currentDatabase } from 'fwjs/db'
/** Reads 'members.title' from the table. */
export const titles = () => currentDatabase().kysely.selectFrom('members').select('members.title' as never).execute()
export const queue = 'members.title'
export const isTitle = (text: string) => text === 'members.title'
export const counts: Record<string, number> = { 'members.title': 1 }
export const key: MessageKey = 'members.title'
export const keys: Record<string, MessageKey> = { a: 'members.title' }
export const keyOf = (isNew: boolean): MessageKey =>
  isNew ? 'members.new' : 'members.title'
type Kind = 'members.title' | 'other'
export const kind: Kind = 'members.title'
export const last: MessageKey = 'members.title'
`,
  )
  await editor.open(page)
  await editor.replace(
    page,
    "s.i18n.get('members.title')",
    "s.i18n.get(members.length > 0 ? 'members.title' : 'members.add')",
  )
  const edit = await rename(messages, 'ti|tle: Members', 'heading')
  expect(editedLines(edit, page)).toHaveLength(1)
  expect(new Set(editedLines(edit, titles))).toEqual(new Set([9, 10, 12, 15]))
  // The pair in lines 13 and 14, beside a mistake, stays, although each alone would be a mistake.
  const places = [4, 5, 6, 7, 8].map((line) => `${titles}:${line}`).join(', ')
  expect(editor.messages.filter((one) => one.includes('members.title'))).toEqual([
    `Not renamed, because these texts may not be the message 'members.title': ${places} and 2 more`,
  ])
  const undo = await editor.apply(await rename(messages, 'mem|bers:\n', 'people'))
  expect((await checkApplication(root)).diagnostics).toEqual([])
  await undo()
})

test('a text in one file that another file reads as a key is renamed', async () => {
  await start('members')
  editor.write('src/main/keys.ts', "export const pageKey = 'members.title'\n")
  editor.write(
    titles,
    `import type { MessageKeys } from 'fwjs'
import { pageKey } from './keys.ts'
export const shown: keyof MessageKeys = pageKey
`,
  )
  const undo = await editor.apply(await rename(messages, 'ti|tle: Members', 'heading'))
  expect(editor.read('src/main/keys.ts')).toContain("'members.heading'")
  expect((await checkApplication(root)).diagnostics).toEqual([])
  await undo()
})

test('after 40 texts that are not the cause of a mistake, no others are tried', async () => {
  await start('members')
  editor.write('src/main/keys.ts', "export const pageKey = 'members.title'\n")
  // The texts of the next line are tried first.
  const others = Array.from({ length: 44 }, () => "'members.title'").join(', ')
  editor.write(
    titles,
    `import type { MessageKeys } from 'fwjs'
import { pageKey } from './keys.ts'
export const shown: keyof MessageKeys = pageKey
export const others: string[] = [${others}]
`,
  )
  await expect(rename(messages, 'ti|tle: Members', 'heading')).rejects.toThrow(
    `${titles}:3 gets the key 'members.title' from other code: rename it there by hand`,
  )
})

test('a rename begins again when another program writes a file meanwhile', async () => {
  await start('members')
  // The templates have been read then, so that the rename begins before the server reads the change.
  await references(messages, 'ti|tle: Members')
  const renamed = rename(messages, 'ti|tle: Members', 'heading')
  const changes = [{ uri: editor.uri('src/main/model/member.ts'), type: 2 }]
  await editor.connection.sendNotification('workspace/didChangeWatchedFiles', { changes })
  expect(editedLines(await renamed, page)).toHaveLength(1)
})

const prepend = (file: string, text: string): void => editor.write(file, text + editor.read(file))

test('files of messages with a mistake or with aliases are not renamed', async () => {
  await start('members')
  const original = editor.read(german)
  prepend(german, "x: 'open\n")
  const refusal = 'Correct messages_de.yml first'
  await expect(rename(page, "get('members.ti|tle')", 'heading')).rejects.toThrow(refusal)
  const model = 'src/main/model/member.ts'
  await expect(rename(model, 'na|me: ParamType', 'fullName')).rejects.toThrow(refusal)
  const english = editor.read(messages)
  prepend(messages, "x: 'open\n")
  // No readable file contains the key.
  await expect(rename(page, "get('members.ti|tle')", 'heading')).rejects.toThrow(
    /Correct messages(?:_de)?\.yml first/,
  )
  editor.write(german, original)
  await expect(rename(page, "get('members.ti|tle')", 'heading')).rejects.toThrow(
    'Correct messages.yml first',
  )
  editor.write(messages, english)
  prepend(messages, 'base: &base\n  greeting: Hello\nguests: *base\n')
  await expect(rename(page, "get('members.ti|tle')", 'heading')).rejects.toThrow(
    'messages.yml has anchors or aliases of YAML',
  )
})

test('keys with a dot are written with quotes around the whole key', async () => {
  await start('members')
  for (const file of [messages, german])
    prepend(file, "'quoted.deep': Q\nplain.deep: P\nfirst.deep: F\nshort: S\n")
  await editor.open(page)
  const keys = ['quoted.deep', 'plain.deep', 'first.deep', 'short']
  const reads = keys.map((key) => `\${s.i18n.get('${key}')}`).join('')
  await editor.replace(page, '</h1>', `${reads}</h1>`)
  const lineAfter = async (marked: string, newName: string): Promise<string> => {
    const edits = (await rename(page, marked, newName)).changes![editor.uri(german)]!
    expect(edits).toHaveLength(1)
    const [{ range, newText }] = edits as [(typeof edits)[0]]
    const line = editor.read(german).split('\n')[range.start.line]!
    return line.slice(0, range.start.character) + newText + line.slice(range.end.character)
  }
  expect(await lineAfter("'quoted.de|ep'", 'true')).toBe("'quoted.true': Q")
  expect(await lineAfter("'plain.de|ep'", '1st')).toBe('plain.1st: P')
  expect(await lineAfter("'fir|st.deep'", '-1')).toBe("'-1.deep': F")
  expect(await lineAfter("'sho|rt'", 'null')).toBe("'null': S")
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
