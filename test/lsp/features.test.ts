/** `fw lsp`: completion, navigation, renames and corrections, driven as an editor does. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type {
  CodeAction,
  CompletionItem,
  CompletionList,
  DocumentSymbol,
  FoldingRange,
  Hover,
  Location,
  SemanticTokens,
  SignatureHelp,
  TextEdit,
  WorkspaceEdit,
} from 'vscode-languageserver'
import { copyExample, Editor, removeApplication, webInf } from './editor.ts'

const index = `${webInf}/views/members/index.html.ssp`
const list = `${webInf}/views/members/_list.html.ssp`
const show = `${webInf}/views/members/show.html.ssp`
const model = 'src/main/model/member.ts'
const controller = 'src/main/controller/members-controller.ts'

let root: string
let editor: Editor
beforeAll(() => void (root = copyExample('members')))
afterAll(() => removeApplication(root))

async function complete(file: string, marked: string): Promise<CompletionItem[]> {
  const method = 'textDocument/completion'
  const more = { context: { triggerKind: 1 } }
  const found = await editor.ask<CompletionList | CompletionItem[] | null>(
    method,
    file,
    marked,
    more,
  )
  return Array.isArray(found) ? found : (found?.items ?? [])
}
const labels = async (file: string, marked: string): Promise<string[]> =>
  (await complete(file, marked)).map(({ label }) => label)

/** Returns the file and the text of each location. */
async function places(method: string, file: string, marked: string, more?: object) {
  const found = await editor.ask<Location[] | null>(`textDocument/${method}`, file, marked, more)
  return (found ?? []).map(({ uri, range }) => {
    const path = decodeURIComponent(uri).slice(`file://${root}/`.length)
    if (!uri.startsWith(`file://${root}/`)) return uri.slice(uri.lastIndexOf('/') + 1)
    return `${path.replace(`${webInf}/`, '')} ${editor.textIn(path, range)}`.trim()
  })
}
const definition = (file: string, marked: string) => places('definition', file, marked)
const references = (file: string, marked: string) =>
  places('references', file, marked, { context: { includeDeclaration: true } })

/** Applies edits to the open documents and the files of the disk. Returns the changed files. */
async function apply(edit: WorkspaceEdit | null): Promise<string[]> {
  const changed = Object.entries(edit?.changes ?? {})
  for (const [uri, edits] of changed) {
    const file = decodeURIComponent(uri).slice(`file://${root}/`.length)
    const lines = editor.lines(file)
    let { text } = lines
    const sorted = edits
      .map(({ range, newText }) => ({
        at: lines.offset(range.start),
        end: lines.offset(range.end),
        newText,
      }))
      .sort((a, b) => b.at - a.at)
    for (const { at, end, newText } of sorted) text = text.slice(0, at) + newText + text.slice(end)
    if (editor.isOpen(file)) await editor.edit(file, 0, lines.text.length, text)
    editor.write(file, text)
  }
  return changed.map(([uri]) => uri.slice(uri.lastIndexOf('/') + 1)).sort()
}

async function actions(file: string): Promise<CodeAction[]> {
  const diagnostics = await editor.diagnostics(file)
  const { range } = diagnostics[0]!
  return editor.askAbout('textDocument/codeAction', file, { range, context: { diagnostics } })
}

const variants = [
  { name: 'UTF-16, line feeds', encoding: 'utf-16', change: (text: string) => text },
  {
    name: 'UTF-8, carriage returns, emoji in each line',
    encoding: 'utf-8',
    change: (text: string) => text.replace(/^(?=<(?!%))/gm, '😀ü').replace(/\r?\n/g, '\r\n'),
  },
] as const

describe.each(variants)('$name', ({ encoding, change }) => {
  const original = new Map<string, string>()
  beforeAll(async () => {
    editor = new Editor(root, { encoding })
    await editor.initialize()
    for (const file of [index, list]) {
      original.set(file, change(editor.read(file)))
      await editor.open(file, original.get(file))
    }
  })
  afterAll(() => editor.shutDown())
  beforeEach(async () => {
    for (const [file, text] of original)
      if (editor.text(file) !== text) await editor.edit(file, 0, editor.text(file).length, text)
  })

  test('members of a value are completed, with an edit of the template', async () => {
    const items = await complete(list, '${member.na|me}')
    expect(items.map(({ label }) => label)).toEqual(
      expect.arrayContaining(['id', 'name', 'birthday']),
    )
    expect(items.every(({ label }) => !label.startsWith('__'))).toBe(true)
  })

  test('values, the helper and routes are completed', async () => {
    expect(await labels(list, '#if (|members.length')).toEqual(
      expect.arrayContaining(['members', 's', 'routes']),
    )
    expect(await labels(index, '${s.|url(')).toEqual(
      expect.arrayContaining(['url', 'i18n', 'flash']),
    )
    expect(await labels(index, 'routes.members.|newUrl')).toEqual(
      expect.arrayContaining(['indexUrl', 'newUrl', 'showUrl']),
    )
  })

  test('keys of messages are completed, and replace the whole key', async () => {
    const items = await complete(index, "s.i18n.get('members.ti|tle')")
    const item = items.find(({ label }) => label === 'members.add')!
    const { textEdit } = item
    expect(
      textEdit !== undefined && 'range' in textEdit && editor.textIn(index, textEdit.range),
    ).toBe('members.title')
  })

  test.each([
    ['${member.|}', '${member.name}', '${member.}', 'birthday'],
    ['${member.|', '${member.name}', '${member.', 'birthday'],
    ['">${|</a>', '${member.name}', '${', 'member'],
    ['#if (members.|', '#if (members.length > 0)', '#if (members.', 'length'],
    ['#for (member of |', '#for (member of members)', '#for (member of ', 'members'],
    ["${s.i18n.get('|", "${s.i18n.get('empty')}", "${s.i18n.get('", 'members.title'],
    ['<%@val members: readonly Mem|', 'readonly Member[] %>', 'readonly Mem', 'Member'],
    ['href="${s.|"', '${s.url(routes.members.showUrl, { id: member.id })}"', '${s."', 'url'],
  ])('in a broken template: %s', async (marked, old, text, expected) => {
    await editor.replace(list, old, text)
    expect(await labels(list, marked)).toContain(expected)
  })

  test('elements before a broken place are completed too', async () => {
    await editor.replace(list, '</table>', '</table')
    expect(await labels(list, '#if (members.|length')).toContain('length')
  })

  test('partials, directives, declarations, tags, attributes and CSS are completed', async () => {
    expect(await labels(index, "<%@include '|_list'")).toContain('_list')
    const end = editor.text(index).length
    await editor.edit(index, end, end, '#\n<%@\n<b\n<a hr\n<p style="col\n<style>\np { disp\n')
    expect(await labels(index, '#|\n<%@')).toEqual(expect.arrayContaining(['if', 'for', 'match']))
    expect(await labels(index, '<%@|\n<b')).toEqual(['val', 'import', 'include'])
    expect(await labels(index, '<b|\n')).toContain('button')
    expect(await labels(index, '<a hr|\n')).toContain('href')
    expect(await labels(index, '<p style="col|\n')).toContain('color')
  })

  test('the values of a partial are completed', async () => {
    const end = editor.text(index).length
    await editor.edit(index, end, end, "<%@include '_field' {  } %>\n")
    expect(await labels(index, "<%@include '_field' { | }")).toEqual(
      expect.arrayContaining(['name', 'type?', 'hint?']),
    )
  })

  test('layouts are completed in a page and in code', async () => {
    const end = editor.text(index).length
    await editor.edit(index, end, end, "<% set('layout', '') %>\n")
    expect(await labels(index, "set('layout', '|')")).toEqual(['default'])
    await editor.open(controller)
    await editor.replace(controller, 'newInput() {', "newInput() {\n    this.view.layout('')")
    expect(await labels(controller, "this.view.layout('|')")).toContain('default')
    await editor.close(controller)
  })

  test('the completion of a name that is not imported adds its import', async () => {
    const declaration = "<%@import type { Member } from '#model/member' %>"
    await editor.replace(list, declaration + (encoding === 'utf-8' ? '\r\n' : '\n'), '')
    const items = await complete(list, 'readonly Member|[]')
    const found = items.filter(({ label }) => label === 'Member')
    const resolved = await Promise.all(
      found.map((item) =>
        editor.connection.sendRequest<CompletionItem>('completionItem/resolve', item),
      ),
    )
    const added = resolved.flatMap(({ additionalTextEdits }) => additionalTextEdits ?? [])
    expect(added.map(({ newText }) => newText.trim())).toContain(declaration)
    expect(added[0]!.range).toEqual({
      start: { line: 0, character: 0 },
      end: { line: 0, character: 0 },
    })
  })

  test('CSS is completed in a style element', async () => {
    const end = editor.text(index).length
    await editor.edit(index, end, end, '<style>p { disp }</style>\n')
    expect(await labels(index, '<style>p { disp| }')).toContain('display')
  })

  test('hover describes values, and elements', async () => {
    const value = await editor.ask<Hover>('textDocument/hover', list, '${member.na|me}')
    expect(JSON.stringify(value.contents)).toContain('name: string')
    expect(editor.textIn(list, value.range!)).toBe('name')
    const element = await editor.ask<Hover>('textDocument/hover', list, '<tab|le>')
    expect(JSON.stringify(element.contents)).toContain('table')
    expect(editor.textIn(list, element.range!)).toBe('table')
  })

  test('hover works at the first and at the last code of a template', async () => {
    const first = await editor.ask<Hover>('textDocument/hover', list, '<%@import type { Mem|ber')
    expect(JSON.stringify(first.contents)).toContain('Member')
    const last = await editor.ask<Hover>('textDocument/hover', list, "s.i18n.g|et('empty')")
    expect(JSON.stringify(last.contents)).toContain('get')
  })

  test('signatures of calls are shown, those of escapers are not', async () => {
    const method = 'textDocument/signatureHelp'
    const help = await editor.ask<SignatureHelp>(method, list, "i18n.get(|'members.count'")
    expect(help.signatures[0]!.label).toContain('get')
    expect(await editor.ask(method, list, '${|member.name}')).toBeNull()
  })

  test('definitions: a value, a field, a route, a message, a partial', async () => {
    expect(await definition(list, '#for (member of mem|bers)')).toEqual([
      'views/members/_list.html.ssp members',
    ])
    expect(await definition(list, '${member.na|me}')).toEqual([`${model} name`])
    expect(await definition(index, 'routes.members.new|Url')).toEqual([
      'src/main/controller/members-controller.ts newUrl',
    ])
    expect(await definition(index, "get('members.ti|tle')")).toEqual([
      'src/main/resources/messages.yml',
      'src/main/resources/messages_de.yml',
    ])
    expect(await definition(index, "<%@include '_li|st'")).toEqual(['views/members/_list.html.ssp'])
  })

  test('the type of a value is found', async () => {
    // The type of a row is computed from the columns, by a type of Fw.
    expect(await places('typeDefinition', list, '#for (mem|ber of')).toEqual(['column.ts'])
    expect(await places('definition', list, 'readonly Mem|ber[]')).toEqual(
      expect.arrayContaining([`${model} Member`]),
    )
  })

  test('definitions in code: a view, and with it all of its formats', async () => {
    expect(await definition(controller, "this.render('/members/in|dex')")).toEqual([
      'views/members/index.html.ssp',
    ])
  })

  test('references of a field are in templates and code', async () => {
    const expected = [
      `${model} name`,
      'views/members/_list.html.ssp name',
      'views/members/show.html.ssp name',
    ]
    expect(await references(list, '${member.na|me}')).toEqual(expect.arrayContaining(expected))
    expect(await references(model, 'na|me: ParamType')).toEqual(expect.arrayContaining(expected))
  })

  test('references of a value: its declaration, its uses, and where it is passed', async () => {
    const found = await references(list, '<%@val mem|bers')
    expect(
      found.filter((one) => one === 'views/members/_list.html.ssp members').length,
    ).toBeGreaterThan(2)
    expect(found).toEqual(
      expect.arrayContaining(['views/members/index.html.ssp members', `${controller} members`]),
    )
    expect(new Set(await references(list, '#for (member of mem|bers)'))).toEqual(new Set(found))
  })

  test('symbols: values, partials and elements', async () => {
    const symbols = await editor.askAbout<DocumentSymbol[]>('textDocument/documentSymbol', index)
    expect(symbols.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['members', '_list', 'div.heading']),
    )
    const value = symbols.find(({ name }) => name === 'members')!
    expect(editor.textIn(index, value.selectionRange)).toBe('members')
  })

  test('blocks and elements fold', async () => {
    const ranges = await editor.askAbout<FoldingRange[]>('textDocument/foldingRange', list)
    const lines = editor.text(list).split(/\r?\n/)
    const texts = ranges.map(({ startLine, endLine }) => [
      lines[startLine]!.replace('😀ü', ''),
      lines[endLine + 1]!,
    ])
    expect(texts).toEqual(
      expect.arrayContaining([
        ['#for (member of members)', '#end'],
        ['#if (members.length > 0)', '#else'],
      ]),
    )
  })

  test('semantic tokens are those of the code in the template', async () => {
    const { data } = await editor.askAbout<SemanticTokens>('textDocument/semanticTokens/full', list)
    let [line, character] = [0, 0]
    const names = new Set<string>()
    for (let at = 0; at < data.length; at += 5) {
      character = data[at] === 0 ? character + data[at + 1]! : data[at + 1]!
      line += data[at]!
      const end = { line, character: character + data[at + 2]! }
      names.add(editor.textIn(list, { start: { line, character }, end }))
    }
    expect([...names]).toEqual(expect.arrayContaining(['members', 'member', 'name', 's', 'Member']))
    expect([...names].every((name) => /^[\w$]+$/.test(name))).toBe(true)
  })

  test('a template is formatted by edits of its code', async () => {
    const method = 'textDocument/formatting'
    const options = { tabSize: 2, insertSpaces: true }
    expect(await editor.askAbout(method, list, { options })).toEqual([])
    const before = editor.text(list)
    await editor.replace(list, '${member.name}', '${ member.name }')
    const [edit] = await editor.askAbout<TextEdit[]>(method, list, { options })
    const [start, end] = [edit!.range.start, edit!.range.end].map((at) =>
      editor.lines(list).offset(at),
    )
    await editor.edit(list, start!, end!, edit!.newText)
    expect(editor.text(list)).toBe(before)
  })

  test('an unknown name can be declared', async () => {
    await editor.replace(list, '${member.name}', '${title}')
    const found = (await actions(list)).find(({ title }) => title === 'Declare the value title')!
    const [edit] = found.edit!.changes![editor.uri(list)]!
    const at = editor.lines(list).offset(edit!.range.start)
    await editor.edit(list, at, at, edit!.newText)
    expect(editor.text(list)).toContain(
      '%>' + (encoding === 'utf-8' ? '\r\n' : '\n') + '<%@val title: string %>',
    )
    const messages = (await editor.diagnostics(list)).map(({ message }) => message)
    expect(messages.filter((one) => String(one).includes('Cannot find'))).toEqual([])
  })

  test('an unknown type can be imported', async () => {
    const { newline } = { newline: encoding === 'utf-8' ? '\r\n' : '\n' }
    await editor.replace(list, `<%@import type { Member } from '#model/member' %>${newline}`, '')
    const found = (await actions(list)).find(({ edit }) =>
      JSON.stringify(edit).includes("<%@import type { Member } from '#model/member' %>"),
    )
    expect(found).toBeDefined()
  })

  test('code is corrected beside mistakes that another tool has found', async () => {
    const file = 'src/main/model/team.ts'
    await editor.open(file, 'export type Team = Member[]\n')
    const range = {
      start: editor.position(file, '= |Member'),
      end: editor.position(file, 'Member|['),
    }
    const diagnostics = [
      { range, message: 'unused', code: 'no-unused-vars', source: 'another' },
      { range, message: "Cannot find name 'Member'", code: 'TS2304', source: 'ts' },
    ]
    const found = await editor.askAbout<CodeAction[]>('textDocument/codeAction', file, {
      range,
      context: { diagnostics },
    })
    expect(found.map(({ title }) => title)).toContain('Add import from "./member.ts"')
    await editor.close(file)
  })

  test('a mistake with one right form can be corrected', async () => {
    await editor.replace(list, '<caption>', '<script>f(`${x}`)</script><caption>')
    const [found] = await actions(list)
    expect(found).toMatchObject({ title: 'Correct this', isPreferred: true })
    expect(found!.edit!.changes![editor.uri(list)]).toMatchObject([{ newText: '\\' }])
  })

  test('an unknown message can be added in every language', async () => {
    await editor.replace(index, "'members.title'", "'members.inFuture'")
    const found = (await actions(index)).find(({ title }) => title.startsWith('Add the message'))!
    const files = ['messages.yml', 'messages_de.yml']
    const before = files.map((file) => editor.read(`src/main/resources/${file}`))
    expect(await apply(found.edit!)).toEqual(files)
    expect(editor.read('src/main/resources/messages.yml')).toMatch(
      /^ {2}none: none\n {2}inFuture: In future\n/m,
    )
    await editor.published(index, ({ diagnostics }) => diagnostics.length === 0)
    files.forEach((file, at) => editor.write(`src/main/resources/${file}`, before[at]!))
    await editor.published(index, ({ diagnostics }) => diagnostics.length === 1)
  })

  test('a missing partial can be created', async () => {
    await editor.replace(index, "'_list'", "'_lost'")
    const found = (await actions(index)).find(({ title }) => title.startsWith('Create'))!
    expect(found.edit!.documentChanges![0]).toMatchObject({
      kind: 'create',
      uri: editor.uri(`${webInf}/views/members/_lost.html.ssp`),
    })
  })

  test('a missing view can be created from the controller', async () => {
    await editor.open(controller)
    await editor.replace(
      controller,
      "this.render('/members/index')",
      "this.render('/members/archive')",
    )
    const found = (await actions(controller)).find(({ title }) => title.startsWith('Create'))!
    expect(found.title).toBe('Create WEB-INF/views/members/archive.html.ssp')
    await editor.close(controller)
  })

  test('a name in a template with a mistake is not renamed', async () => {
    await editor.replace(list, '#end', '#ende')
    await expect(
      editor.ask('textDocument/rename', index, '<%@val mem|bers', { newName: 'people' }),
    ).rejects.toThrow('Correct WEB-INF/views/members/_list.html.ssp first')
    await expect(
      editor.ask('textDocument/rename', index, '<%@val mem|bers', { newName: 'a b' }),
    ).rejects.toThrow("'a b' is no name")
  })
})

describe('renames', () => {
  beforeAll(async () => {
    editor = new Editor(root)
    await editor.initialize()
    // An editor opens the files that a rename changes.
    for (const file of [list, model, show]) await editor.open(file)
  })
  afterAll(() => editor.shutDown())

  test.each([
    ['a template', list, '${member.na|me}', '${member.full|Name}'],
    ['the model', model, 'na|me: ParamType', 'full|Name: ParamType'],
  ])('a field is renamed from %s, in model, templates and code', async (_, file, marked, back) => {
    const method = 'textDocument/rename'
    const edit = await editor.ask<WorkspaceEdit>(method, file, marked, { newName: 'fullName' })
    const files = Object.keys(edit.changes!).map((uri) =>
      decodeURIComponent(uri).slice(`file://${root}/`.length),
    )
    const originals = files.map((one) => editor.text(one))
    expect(await apply(edit)).toEqual(
      expect.arrayContaining(['_list.html.ssp', 'member.ts', 'show.html.ssp']),
    )
    expect(await editor.diagnostics(list)).toEqual([])
    await apply(await editor.ask(method, file, back, { newName: 'name' }))
    files.forEach((one, at) => expect(editor.read(one)).toBe(originals[at]))
  })

  test('a value is renamed with its uses, and where others pass it', async () => {
    const edit = await editor.ask<WorkspaceEdit>(
      'textDocument/rename',
      list,
      '#for (member of mem|bers)',
      { newName: 'people' },
    )
    const texts = Object.entries(edit.changes!).map(([uri, edits]) => [
      uri.slice(uri.lastIndexOf('/') + 1),
      edits.map(({ newText }) => newText),
    ])
    expect(Object.fromEntries(texts)).toMatchObject({
      '_list.html.ssp': ['people', 'people', 'people', 'people'],
      'index.html.ssp': ['people: members'],
    })
  })

  test('the name before a rename is that of the template', async () => {
    expect(await editor.ask('textDocument/prepareRename', list, '${member.na|me}')).toMatchObject({
      placeholder: 'name',
    })
    expect(await editor.ask('textDocument/prepareRename', list, '<tab|le>')).toBeNull()
  })

  test('a name that Fw gives to templates is not renamed', async () => {
    expect(await editor.ask('textDocument/prepareRename', list, '${|s.i18n')).toBeNull()
    const newName = 'helper'
    expect(await editor.ask('textDocument/rename', list, '${|s.i18n', { newName })).toBeNull()
  })

  test('the file of a view is renamed in code, that of a partial in templates', async () => {
    const files = [
      ['views/members/index.html.ssp', 'views/people/all.html.ssp'],
      ['views/members/_list.html.ssp', 'views/members/_table.html.ssp'],
    ].map(([from, to]) => ({
      oldUri: editor.uri(`${webInf}/${from}`),
      newUri: editor.uri(`${webInf}/${to}`),
    }))
    const { changes } = await editor.connection.sendRequest<WorkspaceEdit>(
      'workspace/willRenameFiles',
      { files },
    )
    const texts = Object.fromEntries(
      Object.entries(changes!).map(([uri, edits]) => [
        uri.slice(uri.lastIndexOf('/') + 1),
        edits.map(({ newText }) => newText),
      ]),
    )
    expect(texts).toMatchObject({
      'members-controller.ts': ['/people/all', '/members/_table'],
      'index.html.ssp': ['/members/_table'],
      'quick.html.ssp': ['_table', '_table'],
    })
  })
})

test('with typescript: false, code gets only what concerns templates', async () => {
  editor = new Editor(root, { initializationOptions: { typescript: false } })
  await editor.initialize()
  await editor.open(model)
  expect(await complete(model, 'ParamType.|String')).toEqual([])
  expect(await editor.ask('textDocument/hover', model, 'ParamType.Str|ing')).toBeNull()
  expect(await references(model, 'na|me: ParamType')).toEqual(
    expect.arrayContaining(['views/members/show.html.ssp name']),
  )
  expect(
    (await references(model, 'na|me: ParamType')).every((one) => one.startsWith('views/')),
  ).toBe(true)
  await editor.shutDown()
})
