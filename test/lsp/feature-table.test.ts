/**
 * `fw lsp`: each feature on both example applications, at the first, middle and last position of a template, complete and broken, with
 * line feeds, and with carriage returns and characters beyond the Basic Multilingual Plane, in both encodings of positions.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

const examples = {
  members: {
    page: `${webInf}/views/members/show.html.ssp`,
    value: 'member',
    type: 'Member',
    model: 'src/main/model/member.ts',
    controller: 'src/main/controller/members-controller.ts',
    view: '/members/show',
    key: 'members',
    partial: '_list',
    partialFile: '_list.html.ssp',
    partialValue: 'members',
    declaredValue: 'members: []',
    languages: ['messages.yml', 'messages_de.yml'],
  },
  journal: {
    page: `${webInf}/views/tags/show.html.ssp`,
    value: 'tag',
    type: 'Tag',
    model: 'src/main/model/tag.ts',
    controller: 'src/main/controller/tags-controller.ts',
    view: '/tags/show',
    key: 'tags',
    partial: '/shared/_teaser',
    partialFile: '_teaser.html.ssp',
    partialValue: 'article',
    declaredValue: 'article: page.rows[0]!',
    languages: ['messages.yml', 'messages_de.yml', 'messages_pl.yml'],
  },
} as const
type Example = (typeof examples)[keyof typeof examples]

/** What breaks the template: texts around the probe, each a line of its own. */
const breaks = {
  complete: ['', ''],
  'an open block before it': ['#if (1 > 0)\n', ''],
  'an open expression after it': ['', '<b>${\n'],
  'an open attribute after it': ['', '<b title="\n'],
  'open code after it': ['', '<% if (1 > 0) {\n'],
} as const
type Break = keyof typeof breaks
const positions = ['first', 'middle', 'last'] as const

let root: string
let editor: Editor
let example: Example
let original: string
let eol: string

/** Replaces the text of the page by the original with a probe at a position, and with what breaks it. */
async function probe(position: (typeof positions)[number], broken: Break, text: string) {
  const lines = original.split(/(?<=\n)/)
  const declared =
    lines.findLastIndex((line) => /^(?:<%-- 😀ü --%>)?<%@(?:val|import)/.test(line)) + 1
  const body = lines.slice(declared)
  const at = { first: 0, middle: body.length >> 1, last: body.length }[position]
  const [before, after] = breaks[broken]
  const inserted = (before + text + after).replaceAll('\n', eol)
  const all = [...lines.slice(0, declared), ...body.slice(0, at), inserted, ...body.slice(at)]
  await editor.edit(example.page, 0, editor.text(example.page).length, all.join(''))
}

const ask = <R>(method: string, marked: string, more: object = {}): Promise<R> =>
  editor.ask<R>(`textDocument/${method}`, example.page, marked, more)

async function items(marked: string): Promise<CompletionItem[]> {
  const found = await ask<CompletionList | CompletionItem[] | null>('completion', marked, {
    context: { triggerKind: 1 },
  })
  return Array.isArray(found) ? found : (found?.items ?? [])
}

/** Returns whether labels are among the completions at a mark. */
async function completes(marked: string, ...labels: string[]): Promise<boolean> {
  const found = new Set((await items(marked)).map(({ label }) => label))
  return labels.every((label) => found.has(label))
}

/** Returns the text of each location, or the name of a file whose start it is. */
async function finds(method: string, marked: string): Promise<string[]> {
  const found = await ask<Location[] | null>(method, marked, {
    context: { includeDeclaration: true },
  })
  return (found ?? []).map(({ uri, range }) => {
    const path = decodeURIComponent(uri).slice(`file://${root}/`.length)
    const name = uri.slice(uri.lastIndexOf('/') + 1)
    if (!uri.startsWith(`file://${root}/`)) return name
    return `${name} ${editor.textIn(path, range)}`.trim()
  })
}

async function hovers(marked: string, contents: string, text: string): Promise<boolean> {
  const found = await ask<Hover | null>('hover', marked)
  return (
    JSON.stringify(found?.contents).includes(contents) &&
    found!.range !== undefined &&
    editor.textIn(example.page, found!.range) === text
  )
}

/** Returns the names that have a semantic token, of the line that contains a text. */
async function tokensAfter(text: string): Promise<string[]> {
  const { data } = await editor.askAbout<SemanticTokens>(
    'textDocument/semanticTokens/full',
    example.page,
  )
  const from = editor.text(example.page).indexOf(text)
  let [line, character] = [0, 0]
  return Array.from({ length: data.length / 5 }, (_, at) => {
    const [lines, characters, length] = data.slice(at * 5, at * 5 + 3) as [number, number, number]
    character = lines === 0 ? character + characters : characters
    line += lines
    const range = { start: { line, character }, end: { line, character: character + length } }
    const offset = editor.lines(example.page).offset(range.start)
    return offset >= from && offset < from + 40 ? editor.textIn(example.page, range) : ''
  })
}

const probeText = (): string => {
  const { value, key, partial, declaredValue } = example
  return [
    `<i title="\${${value}.name}">`,
    `\${s.i18n.get('${key}.title')}\${s.url(routes.${key}.indexUrl)}`,
    `<%@include '${partial}' { ${declaredValue} } %>`,
    '<b style="color:red">x</b></i>',
    '#\n',
  ].join('\n')
}

/** The features that work in a complete and in a broken template. */
async function features(): Promise<Record<string, boolean>> {
  const { value, key, partial, partialFile, partialValue, page } = example
  const symbols = await editor.askAbout<DocumentSymbol[]>('textDocument/documentSymbol', page)
  const folds = await editor.askAbout<FoldingRange[]>('textDocument/foldingRange', page)
  const values = await items(`{ |${example.declaredValue}`)
  const help = await ask<SignatureHelp | null>('signatureHelp', `i18n.get(|'${key}.title'`)
  const references = await finds('references', `<i title="\${${value}.na|me}`)
  const renamed = await ask<{ placeholder: string } | null>(
    'prepareRename',
    `<i title="\${${value}.na|me}`,
  )
  const name = page.slice(page.lastIndexOf('/') + 1)
  return {
    'completion of values': await completes(`title="\${|${value}.name`, value, 's', 'routes'),
    'completion of members': await completes(`<i title="\${${value}.|name`, 'id', 'name'),
    'completion of the helper': await completes(
      `\${s.|i18n.get('${key}.title')}\${`,
      'url',
      'i18n',
    ),
    'completion of routes': await completes(
      `\${s.url(routes.${key}.|indexUrl)}`,
      'indexUrl',
      'showUrl',
    ),
    'completion of messages': await completes(`\${s.i18n.get('${key}.|title')}\${`, `${key}.title`),
    'completion of partials': await completes(
      `<%@include '|${partial}' { ${partialValue}`,
      partial,
    ),
    "completion of a partial's values": values.some(({ label }) => label.startsWith(partialValue)),
    'completion of directives': await completes('#|' + eol, 'if', 'for', 'match'),
    'completion of attributes': await completes('<b st|yle=', 'style', 'class'),
    'completion of elements': await completes('<b| style=', 'button'),
    'completion of CSS': await completes('style="col|or:red', 'color'),
    'hover of code': await hovers(`<i title="\${${value}.na|me}`, 'name: string', 'name'),
    'hover of an attribute': await hovers('<b st|yle=', 'CSS', 'style'),
    'hover of CSS': await hovers('style="col|or:red', 'color', 'color:red'),
    signature: help?.signatures[0]?.label.startsWith('get(') === true,
    'definition of a value':
      (
        await finds('definition', `title="\${${value.slice(0, 2)}|${value.slice(2)}.name`)
      ).join() === `${name} ${value}`,
    'definition of a field': (await finds('definition', `<i title="\${${value}.na|me}`))
      .join()
      .endsWith('.ts name'),
    'definition of a route': (await finds('definition', `\${s.url(routes.${key}.index|Url)}`))
      .join()
      .endsWith('-controller.ts indexUrl'),
    'definition of a message':
      (await finds('definition', `\${s.i18n.get('${key}.ti|tle')}\${`)).join() ===
      example.languages.join(),
    'definition of a partial':
      (
        await finds('definition', `<%@include '${partial.slice(0, -1)}|${partial.slice(-1)}' { `)
      ).join() === partialFile,
    'type definition':
      (await finds('typeDefinition', `title="\${${value.slice(0, 2)}|${value.slice(2)}.name`))
        .length > 0,
    'references of a field':
      references.some((one) => one.endsWith('.ts name')) && references.includes(`${name} name`),
    'references of a message': (
      await finds('references', `\${s.i18n.get('${key}.ti|tle')}\${`)
    ).includes('messages.yml title'),
    rename: renamed?.placeholder === 'name',
    'symbols of values': symbols.some((one) => one.name === value),
    'symbols of elements': JSON.stringify(symbols).includes('"name":"i"'),
    folding: folds.length > 0,
    'semantic tokens': (await tokensAfter('<i title="')).includes(value),
  }
}

describe.each([
  ['members', 'utf-16', '\n'],
  ['members', 'utf-8', '\r\n'],
  ['journal', 'utf-8', '\n'],
  ['journal', 'utf-16', '\r\n'],
] as const)('%s, %s, line break %j', (name, encoding, lineBreak) => {
  beforeAll(async () => {
    example = examples[name]
    root = copyExample(name)
    eol = lineBreak
    editor = new Editor(root, { encoding })
    await editor.initialize()
    const text = editor
      .read(example.page)
      .replace(/^(?=<(?!%@))/gm, lineBreak === '\n' ? '' : '😀ü')
    original = text.replace(/\r?\n/g, lineBreak)
    await editor.open(example.page, original)
  })
  afterAll(async () => {
    await editor.shutDown()
    removeApplication(root)
  })

  test('the page has no mistake', async () => {
    expect(await editor.diagnostics(example.page)).toEqual([])
  })

  describe.each(positions)('at the %s position', (position) => {
    test.each(Object.keys(breaks) as Break[])('features: %s', async (broken) => {
      await probe(position, broken, probeText())
      const found = await features()
      const lost = Object.keys(found).filter((one) => found[one] === false)
      expect(lost).toEqual([])
      const mistakes = await editor.diagnostics(example.page)
      expect(mistakes.length > 0).toBe(broken !== 'complete')
    })

    test('completions in code, HTML and CSS that are incomplete themselves', async () => {
      const { value, key, type } = example
      const incomplete: readonly (readonly [marked: string, label: string])[] = [
        [`<p>\${${value}.|`, 'name'],
        [`<p>\${${value}.|}</p>`, 'name'],
        ['<p>${|</p>', value],
        [`<p>\${s.i18n.get('|`, `${key}.title`],
        [`<a href="\${s.url(routes.${key}.|"`, 'indexUrl'],
        [`#if (${value}.|`, 'name'],
        [`#for (one of |`, value],
        [`<% const one = ${value}.|`, 'name'],
        [`<% const one: ${type.slice(0, -1)}|`, type],
        ["<%@include '|", example.partial],
        [`<%@include '${example.partial}' { |`, example.partialValue],
        ["<% set('layout', '|') %>", 'default'],
        ['<%@|', 'include'],
        ['#f|', 'for'],
        ['<butt|', 'button'],
        ['<a hr|', 'href'],
        ['<p style="col|', 'color'],
        ['<style>p { disp|', 'display'],
        ['<style>p { disp| }</style>', 'display'],
      ]
      const lost: string[] = []
      for (const [marked, label] of incomplete) {
        await probe(position, 'complete', `<i>q</i>\n${marked.replace('|', '')}\n`)
        const found = await items(`<i>q</i>${eol}${marked}`)
        if (!found.some((one) => one.label.replace(/\?$/, '') === label)) lost.push(marked)
      }
      expect(lost).toEqual([])
    })

    test('mistakes, and their corrections', async () => {
      const { page, languages, value } = example
      const actions = async (): Promise<CodeAction[]> => {
        const diagnostics = await editor.diagnostics(page)
        const { range } = diagnostics[0]!
        return editor.askAbout('textDocument/codeAction', page, { range, context: { diagnostics } })
      }
      const correct = async (text: string, title: string) => {
        await probe(position, 'complete', text)
        return (await actions()).find((one) => one.title.startsWith(title))
      }
      const declared = await correct('<p>${heading}</p>\n', 'Declare the value heading')
      const [edit] = declared!.edit!.changes![editor.uri(page)]!
      const at = editor.lines(page).offset(edit!.range.start)
      await editor.edit(page, at, at, edit!.newText)
      expect(await editor.diagnostics(page)).toEqual([])

      const added = await correct(
        `<p>\${s.i18n.get('${example.key}.inFuture')}</p>\n`,
        'Add the message',
      )
      expect(
        Object.keys(added!.edit!.changes!)
          .map((uri) => uri.slice(uri.lastIndexOf('/') + 1))
          .sort(),
      ).toEqual(languages)
      const created = await correct("<%@include '_lost' %>\n", 'Create')
      expect(created!.edit!.documentChanges![0]).toMatchObject({ kind: 'create' })
      const escaped = await correct('<script>f(`${x}`)</script>\n', 'Correct this')
      expect(escaped!.edit!.changes![editor.uri(page)]).toMatchObject([{ newText: '\\' }])

      await probe(position, 'complete', `<p>\${${value}.nam}</p>\n`)
      const [wrong] = await editor.diagnostics(page)
      expect(editor.textIn(page, wrong!.range)).toBe('nam')
      expect(wrong!.code).toBe('TS2551')
    })

    test('an import is corrected and completed', async () => {
      const { page, type } = example
      await probe(position, 'complete', `<% const all: ${type}[] = [] %>\n`)
      const declaration = new RegExp(
        `<%@import type \\{ ${type} \\} from '#model/[\\w-]+' %>\\r?\\n`,
      )
      const [line] = declaration.exec(editor.text(page))!
      await editor.replace(page, line, '')
      const diagnostics = await editor.diagnostics(page)
      const found = await editor.askAbout<CodeAction[]>('textDocument/codeAction', page, {
        range: diagnostics[0]!.range,
        context: { diagnostics },
      })
      expect(JSON.stringify(found)).toContain(line.trim())
      const completed = (await items(`const all: ${type}|[]`)).filter(({ label }) => label === type)
      const resolved = await Promise.all(
        completed.map((one) =>
          editor.connection.sendRequest<CompletionItem>('completionItem/resolve', one),
        ),
      )
      const edits = resolved.flatMap(({ additionalTextEdits }) => additionalTextEdits ?? [])
      expect(edits.map(({ newText }) => newText.trim())).toContain(line.trim())
    })

    test('formatting, and renames', async () => {
      const { page, value, model } = example
      await probe(position, 'complete', `<p>\${ ${value}.name }</p>\n`)
      const options = { tabSize: 2, insertSpaces: true }
      const [edit] = await editor.askAbout<TextEdit[]>('textDocument/formatting', page, { options })
      const [start, end] = [edit!.range.start, edit!.range.end].map((one) =>
        editor.lines(page).offset(one),
      )
      await editor.edit(page, start!, end!, edit!.newText)
      expect(editor.text(page)).toContain(`<p>\${${value}.name}</p>`)
      const texts = async (marked: string, newName: string): Promise<string[]> => {
        const { changes } = await ask<WorkspaceEdit>('rename', marked, { newName })
        return changes![editor.uri(page)]!.map(({ range }) => editor.textIn(page, range))
      }
      const renamed = await texts(`<p>\${${value.slice(0, 2)}|${value.slice(2)}.name}`, 'other')
      expect(new Set(renamed)).toEqual(new Set([value]))
      expect(renamed.length).toBeGreaterThan(2)
      const { changes } = await ask<WorkspaceEdit>('rename', `<p>\${${value}.na|me}`, {
        newName: 'other',
      })
      expect(Object.keys(changes!)).toEqual(
        expect.arrayContaining([page, model].map((one) => editor.uri(one))),
      )
    })

    test('files that other programs change', async () => {
      const { page, model, value } = example
      await probe(position, 'complete', `<p>\${${value}.name}</p>\n`)
      expect(await editor.diagnostics(page)).toEqual([])
      const text = editor.read(model)
      editor.write(model, text.replace('name: ParamType', 'names: ParamType'))
      const found = await editor.published(page, ({ diagnostics }) => diagnostics.length > 0)
      expect(found.map(({ range }) => editor.textIn(page, range))).toContain('name')
      editor.write(model, text)
      await editor.published(page, ({ diagnostics }) => diagnostics.length === 0)
    })
  })

  test('the files of a view and a partial are renamed', async () => {
    const { page, partial, partialFile, view, controller, value } = example
    await probe('last', 'complete', `<p>\${${value}.name}</p>\n`)
    const folder = partial.startsWith('/shared') ? 'shared' : 'members'
    const files = [
      [page, `${webInf}/views/moved/page.html.ssp`],
      [`${webInf}/views/${folder}/${partialFile}`, `${webInf}/views/moved/_part.html.ssp`],
    ].map(([from, to]) => ({ oldUri: editor.uri(from!), newUri: editor.uri(to!) }))
    const { changes } = await editor.connection.sendRequest<WorkspaceEdit>(
      'workspace/willRenameFiles',
      { files },
    )
    const renders = changes![editor.uri(controller)]!
    expect(renders.map(({ range }) => editor.textIn(controller, range))).toContain(view)
    expect(renders.map(({ newText }) => newText)).toContain('/moved/page')
    const others = Object.entries(changes!).filter(([uri]) => uri.endsWith('.ssp'))
    const texts = others.flatMap(([, edits]) => edits.map(({ newText }) => newText))
    expect(texts).toContain('/moved/_part')
  })

  test('in code: views, layouts, and the mistakes of unsaved code in templates', async () => {
    const { controller, model, page, view } = example
    await probe('last', 'complete', `<p>\${${example.value}.name}</p>\n`)
    await editor.open(controller)
    const found = await editor.ask<Location[]>(
      'textDocument/definition',
      controller,
      `render('${view.slice(0, -1)}|${view.slice(-1)}'`,
    )
    expect(found.map(({ uri }) => uri)).toEqual([editor.uri(page)])
    const layout = "  another() {\n    this.view.layout('')\n  }\n\n  "
    const start = /^ {2}(?:async )?(?:index|newInput)\(/m.exec(editor.text(controller))!.index
    await editor.edit(controller, start, start, layout)
    const layouts = await editor.ask<CompletionList | CompletionItem[]>(
      'textDocument/completion',
      controller,
      "this.view.layout('|')",
      { context: { triggerKind: 1 } },
    )
    const list = Array.isArray(layouts) ? layouts : layouts.items
    expect(list.map(({ label }) => label)).toContain('default')
    await editor.edit(controller, start, start + layout.length, '')
    await editor.replace(controller, `'${view}'`, `'${view}ing'`)
    const diagnostics = await editor.diagnostics(controller)
    const actions = await editor.askAbout<CodeAction[]>('textDocument/codeAction', controller, {
      range: diagnostics[0]!.range,
      context: { diagnostics },
    })
    expect(actions.map(({ title }) => title)).toContain(`Create WEB-INF/views${view}ing.html.ssp`)
    await editor.close(controller)
    await editor.open(model)
    await editor.replace(model, 'name: ParamType', 'names: ParamType')
    await editor.published(page, ({ diagnostics: all }) => all.length > 0)
    await editor.close(model)
    await editor.published(page, ({ diagnostics: all }) => all.length === 0)
  })
})
