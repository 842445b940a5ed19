/** `fw lsp`: mistakes of templates while they are edited, driven as an editor does. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { generateSources } from '../../src/templates/compile.ts'
import { eventually } from '../support/data-app.ts'
import { canListChildren, listChildren } from '../support/child-processes.ts'
import {
  copyExample,
  Editor,
  removeApplication,
  serverWithWait,
  summarize,
  webInf,
} from './editor.ts'
import { checkWrong, wrongTemplate, wrongTexts } from './wrong-templates.ts'

const index = `${webInf}/views/members/index.html.ssp`
const list = `${webInf}/views/members/_list.html.ssp`

let root: string
let expected: ReadonlyMap<string, readonly string[]>
beforeAll(async () => {
  root = copyExample('members')
  expected = await checkWrong(root)
})
afterAll(() => removeApplication(root))

describe.each(['utf-8', 'utf-16'] as const)('with positions in %s', (encoding) => {
  let editor: Editor
  beforeAll(async () => {
    editor = new Editor(root, { encoding })
    await editor.initialize()
    await editor.open(index)
  })
  afterAll(() => editor.shutDown())

  test('a template without mistakes has none', async () => {
    expect(await editor.diagnostics(index)).toEqual([])
  })

  test('a misspelt message has the place and the text of fw check', async () => {
    const original = editor.text(index)
    // 😀 has two units in UTF-16 and four bytes in UTF-8.
    await editor.replace(
      index,
      "<h1>${s.i18n.get('members.title')}",
      "<h1>😀ü${s.i18n.get('members.titel')}",
    )
    const [found, ...others] = await editor.diagnostics(index)
    expect(others).toEqual([])
    expect(found!.message).toBe(
      "There is no message 'members.titel': did you mean 'members.title'?",
    )
    expect(editor.textIn(index, found!.range)).toBe("'members.titel'")
    await editor.edit(index, 0, editor.text(index).length, original)
    expect(await editor.diagnostics(index)).toEqual([])
  })

  test('mistakes of TypeScript and of templates equal those of fw check', async () => {
    const original = editor.read(list)
    await editor.open(list, original)
    for (const [at, text] of wrongTexts(original).entries()) {
      await editor.edit(list, 0, editor.text(list).length, text)
      const found = summarize(await editor.diagnostics(list), editor.lines(list))
      const same = expected.get(wrongTemplate(at))
      expect(same?.length).toBeGreaterThan(0)
      expect({ at, found }).toEqual({ at, found: same })
    }
    await editor.close(list)
  })

  test('a partial with another value breaks the open page that includes it, without saving', async () => {
    await editor.open(list)
    await editor.replace(
      list,
      '<%@val members: readonly Member[] %>',
      '<%@val members: readonly Member[] %><%@val title: string %>',
    )
    const found = await editor.published(index, ({ diagnostics }) => diagnostics.length > 0)
    expect(found[0]!.message).toContain("Property 'title' is missing")
    await editor.close(list)
    await editor.published(index, ({ diagnostics }) => diagnostics.length === 0)
  })

  test('a change of code breaks templates that are not open, without saving', async () => {
    const model = 'src/main/model/member.ts'
    await editor.open(model)
    await editor.diagnostics(model)
    await editor.replace(model, 'birthday: ParamType.LocalDate', 'bornOn: ParamType.LocalDate')
    const found = await editor.published(list, ({ diagnostics }) => diagnostics.length > 0)
    expect(found[0]!.message).toContain("Property 'birthday' does not exist")
    await editor.close(model)
    await editor.published(list, ({ diagnostics }) => diagnostics.length === 0)
  })

  test('files that other programs change are read again', async () => {
    const messages = 'src/main/resources/messages.yml'
    const original = editor.read(messages)
    editor.write(messages, original.replace(/^(\s*)title:/m, '$1titel:'))
    const found = await editor.published(index, ({ diagnostics }) => diagnostics.length > 0)
    expect(found[0]!.message).toContain("There is no message 'members.title'")
    editor.write(messages, original)
    await editor.published(index, ({ diagnostics }) => diagnostics.length === 0)
  })

  test('a new partial exists as soon as it is open, and is missing when it is closed unsaved', async () => {
    const partial = `${webInf}/views/members/_new.html.ssp`
    const original = editor.text(index)
    await editor.edit(
      index,
      original.length,
      original.length,
      "<%@include '_new' { count: 1 } %>\n",
    )
    expect((await editor.diagnostics(index))[0]!.message).toContain('there is no partial')
    await editor.open(partial, '<%@val count: number %>\n<p>${count}</p>\n')
    expect(await editor.published(index, ({ diagnostics }) => diagnostics.length === 0)).toEqual([])
    await editor.close(partial)
    await editor.published(index, ({ diagnostics }) => diagnostics.length > 0)
    await editor.edit(index, 0, editor.text(index).length, original)
    expect(await editor.diagnostics(index)).toEqual([])
  })
})

test('the server accepts the encoding of the editor, and ends with status 0', async () => {
  const editor = new Editor(root, { encoding: 'utf-8' })
  const { capabilities } = await editor.initialize()
  expect(capabilities.positionEncoding).toBe('utf-8')
  expect(await editor.shutDown()).toBe(0)
})

describe('the processes', () => {
  let editor: Editor
  afterEach(() => editor.kill())

  test.runIf(canListChildren)('the server of TypeScript is restarted when it crashes', async () => {
    editor = new Editor(root)
    await editor.initialize()
    await editor.open(index)
    await editor.diagnostics(index)
    const [child] = listChildren(editor.child.pid!)
    process.kill(child!, 'SIGKILL')
    await editor.replace(index, 'members.title', 'members.titel')
    expect(await editor.diagnostics(index)).toHaveLength(1)
    await eventually(() => listChildren(editor.child.pid!)).not.toContain(child)
  })

  test.runIf(canListChildren)(
    'a rename fails when the server of TypeScript is given up',
    async () => {
      editor = new Editor(root)
      await editor.initialize()
      await editor.open(list)
      await editor.diagnostics(list)
      const killed = new Set<number>()
      const next = () => listChildren(editor.child.pid!).find((child) => !killed.has(child))
      for (let times = 0; times < 5; times++) {
        await eventually(next).toBeDefined()
        const child = next()!
        killed.add(child)
        process.kill(child, 'SIGKILL')
      }
      await eventually(() => editor.messages.join()).toContain('has ended several times')
      await expect(
        editor.ask('textDocument/rename', list, '#for (member of mem|bers)', { newName: 'people' }),
      ).rejects.toThrow('TypeScript did not answer')
    },
  )

  test.runIf(canListChildren)('an open file of messages leaves TypeScript running', async () => {
    editor = new Editor(root)
    await editor.initialize()
    const messages = 'src/main/resources/messages.yml'
    await editor.open(index)
    await editor.diagnostics(index)
    const children = listChildren(editor.child.pid!)
    await editor.open(messages)
    expect(await editor.ask('textDocument/hover', messages, 'ti|tle')).toBeNull()
    await editor.replace(index, 'members.title', 'members.titel')
    expect(await editor.diagnostics(index)).toHaveLength(1)
    expect(listChildren(editor.child.pid!)).toEqual(children)
  })

  test('the mistakes of an open document come before all templates have been read', async () => {
    // This server waits an hour for TypeScript, so that a busy machine does not change the order.
    editor = new Editor(root, { command: serverWithWait(3_600_000) })
    const partial = editor.read(list)
    const folder = `${webInf}/views/copies`
    onTestFinished(() => rmSync(join(root, folder), { recursive: true }))
    for (let at = 0; at < 300; at++) editor.write(`${folder}/_list${at}.html.ssp`, partial)
    generateSources(root)
    await editor.initialize()
    await editor.open(list)
    const order: string[] = []
    await Promise.all([
      editor.diagnostics(list).then(() => order.push('mistakes')),
      // This request waits until all templates have been read.
      editor.askAbout('textDocument/documentSymbol', list).then(() => order.push('symbols')),
    ])
    expect(order).toEqual(['mistakes', 'symbols'])
  })

  test('many requests at once cause no warning', async () => {
    editor = new Editor(root)
    await editor.initialize()
    await editor.open(list)
    const hovers = Array.from({ length: 20 }, () =>
      editor.ask('textDocument/hover', list, '${member.na|me}'),
    )
    expect(await Promise.all(hovers)).not.toContain(null)
    expect(editor.messages).toEqual([])
  })

  test.runIf(canListChildren)('no process is left when the editor crashes', async () => {
    editor = new Editor(root)
    await editor.initialize()
    await editor.open(index)
    await editor.diagnostics(index)
    const [child] = listChildren(editor.child.pid!)
    editor.child.stdin!.destroy()
    await editor.exited
    await eventually(() => isAlive(child!)).toBe(false)
  })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
