/** `fw lsp`: files that other programs change, remove or make unreadable. */
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyExample, Editor, removeApplication, webInf } from './editor.ts'

const index = `${webInf}/views/members/index.html.ssp`
const list = `${webInf}/views/members/_list.html.ssp`
const model = 'src/main/model/member.ts'

let root: string
let editor: Editor
beforeAll(async () => {
  root = copyExample('members')
  editor = new Editor(root)
  editor.write('src/main/db/limits.ts', 'export const limits = { largest: 9 }\n')
  await editor.initialize()
  await editor.open(list)
  await editor.open(index)
})
afterAll(async () => {
  await editor.shutDown()
  removeApplication(root)
})

const remove = (file: string): void => rmSync(join(root, file), { recursive: true })

/** Resolves with the first mistake of a document. */
async function mistake(file: string): Promise<string> {
  const found = await editor.published(file, ({ diagnostics }) => diagnostics.length > 0)
  return String(found[0]!.message)
}
/** Adds a text at the end of the page. */
async function append(text: string): Promise<void> {
  const { length } = editor.text(index)
  await editor.edit(index, length, length, text)
}

const noMistake = (file: string) =>
  editor.published(file, ({ diagnostics }) => diagnostics.length === 0)

test('code that is not open is read again when it is changed, deleted and created', async () => {
  await noMistake(list)
  const original = editor.read(model)
  editor.write(model, original.replace('birthday:', 'bornOn:'))
  expect(await mistake(list)).toContain("Property 'birthday' does not exist")
  editor.write(model, original)
  await noMistake(list)
  remove(model)
  expect(await mistake(list)).toContain("Cannot find module '#model/member'")
  editor.write(model, original)
  await noMistake(list)
})

test('code in a folder named db is read again', async () => {
  const original = editor.text(list)
  await editor.edit(list, 0, 0, "<%@import { limits } from '#main/db/limits' %>\n")
  await editor.replace(list, '${member.name}', '${limits.largest}')
  expect(await editor.diagnostics(list)).toEqual([])
  editor.write('src/main/db/limits.ts', 'export const limits = { smallest: 1 }\n')
  expect(await mistake(list)).toContain("Property 'largest' does not exist")
  await editor.edit(list, 0, editor.text(list).length, original)
  await noMistake(list)
})

test('a template that cannot be read has a mistake, and the server goes on', async () => {
  const partial = `${webInf}/views/members/_loop.html.ssp`
  symlinkSync(join(root, partial), join(root, partial))
  expect(await mistake(partial)).toMatch(/^this template cannot be read: ELOOP/)
  remove(partial)
  editor.write(partial, '<p></p>\n')
  await noMistake(partial)
  await editor.replace(index, 'members.title', 'members.titel')
  expect(await editor.diagnostics(index)).toHaveLength(1)
  await editor.replace(index, 'members.titel', 'members.title')
  expect(await editor.diagnostics(index)).toEqual([])
})

test('an unsaved partial is found after the folder of generated code was removed', async () => {
  const partial = `${webInf}/views/members/_new.html.ssp`
  const original = editor.text(index)
  await editor.open(partial, '<%@val count: number %>\n<p>${count}</p>\n')
  expect(await editor.diagnostics(partial)).toEqual([])
  remove('.fw')
  await editor.replace(partial, '${count}', '${count + 1}')
  await editor.replace(list, '${member.name}', '${member.id}')
  await append("<%@include '_new' { count: 1 } %>\n")
  expect(await editor.diagnostics(index)).toEqual([])
  await editor.close(partial)
  await editor.edit(index, 0, editor.text(index).length, original)
  expect(await editor.diagnostics(index)).toEqual([])
})

test('of a jade template, the mistakes of the saved file are shown', async () => {
  const jade = `${webInf}/views/members/old.html.jade`
  editor.write(jade, 'p(title=\n')
  expect(await mistake(jade)).toContain(
    'The end of the string reached with no closing bracket ) found',
  )
  editor.write(jade, 'p= members\n')
  await noMistake(jade)
  remove(jade)
})

test('messages in a file that ends with .yaml are read again', async () => {
  const [yml, yaml] = ['src/main/resources/messages.yml', 'src/main/resources/messages.yaml']
  const original = editor.read(yml)
  remove(yml)
  expect(await mistake(index)).toContain("There is no message 'members.title'")
  editor.write(yaml, original)
  await noMistake(index)
  editor.write(yaml, original.replace(/^(\s*)title:/m, '$1titel:'))
  expect(await mistake(index)).toContain("There is no message 'members.title'")
  remove(yaml)
  editor.write(yml, original)
  await noMistake(index)
})

test('tsconfig.json is read again', async () => {
  const [original, page] = [editor.read('tsconfig.json'), editor.text(index)]
  await append('<% const same = (one) => one %>${same(1)}\n')
  expect(await mistake(index)).toContain("Parameter 'one' implicitly has an 'any' type")
  const options = '"compilerOptions":{"noImplicitAny":false,'
  editor.write('tsconfig.json', original.replace('"compilerOptions":{', options))
  await noMistake(index)
  editor.write('tsconfig.json', original)
  await editor.edit(index, 0, editor.text(index).length, page)
  await noMistake(index)
})
