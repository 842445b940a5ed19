/** `fw lsp` on every template of the examples: no mistakes, and each expression has a description at its own place. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type {
  CompletionList,
  DocumentSymbol,
  FoldingRange,
  Hover,
  Location,
  SemanticTokens,
  SignatureHelp,
} from 'vscode-languageserver'
import { parseTemplate, TemplateSource } from '../../src/templates/read.ts'
import { copyExample, Editor, removeApplication, webInf } from './editor.ts'

/** Returns the offsets of the first name in the first, middle and last expression of a template. */
function namesIn(file: string, text: string): readonly { offset: number; name: string }[] {
  const nodes = parseTemplate(new TemplateSource(file, text))
  const names = nodes.flatMap((node) => {
    if (node.kind !== 'output' && node.kind !== 'directive') return []
    const { start = 0, codeEnd = 0 } = node.code ?? {}
    const found = /(?<![\w$.'"])[A-Za-z_]\w*(?=[.(])/.exec(text.slice(start, codeEnd))
    const isName = node.kind === 'output' || node.name === 'if' || node.name === 'match'
    return found === null || !isName ? [] : [{ offset: start + found.index, name: found[0] }]
  })
  const places = [0, names.length >> 1, names.length - 1]
  return [...new Set(places)].flatMap((at) => names[at] ?? [])
}

/** Returns the line and character of each semantic token. */
function tokenStarts(data: readonly number[]): string[] {
  let [line, character] = [0, 0]
  return Array.from({ length: data.length / 5 }, (_, at) => {
    const [lines, characters] = [data[at * 5]!, data[at * 5 + 1]!]
    character = lines === 0 ? character + characters : characters
    line += lines
    return `${line}:${character}`
  })
}

describe.each([
  ['members', 'utf-16', '\n'],
  ['journal', 'utf-8', '\r\n'],
] as const)('%s, with positions in %s', (example, encoding, lineBreak) => {
  let editor: Editor
  let root: string
  let files: readonly string[]
  beforeAll(async () => {
    root = copyExample(example)
    files = globSync('**/*.ssp', { cwd: join(root, webInf) }).sort()
    editor = new Editor(root, { encoding })
    await editor.initialize()
    for (const file of files) {
      const path = `${webInf}/${file}`
      // Positions behind characters beyond the Basic Multilingual Plane differ in both encodings.
      const text = editor.read(path).replace(/^(?=<[a-z])/gm, '<%-- 😀ü --%>')
      await editor.open(path, text.replace(/\r?\n/g, lineBreak))
    }
  })
  afterAll(async () => {
    await editor.shutDown()
    removeApplication(root)
  })

  test('no template has a mistake', async () => {
    expect(files.length).toBeGreaterThan(10)
    for (const file of files)
      expect({ file, found: await editor.diagnostics(`${webInf}/${file}`) }).toEqual({
        file,
        found: [],
      })
  })

  test('the first, middle and last expression of each template are described', async () => {
    let described = 0
    for (const file of files) {
      const path = `${webInf}/${file}`
      for (const { offset, name } of namesIn(file, editor.text(path))) {
        const position = editor.lines(path).position(offset + name.length - 1)
        const hover = await editor.askAbout<Hover | null>('textDocument/hover', path, { position })
        const range = hover?.range
        expect({ file, name, at: range && editor.textIn(path, range) }).toEqual({
          file,
          name,
          at: name,
        })
        expect(range && editor.lines(path).offset(range.start)).toBe(offset)
        described++
      }
    }
    expect(described).toBeGreaterThan(files.length)
  })

  // A minute is not always enough on a machine that runs four files of tests at once.
  test('the same names are completed, defined, referenced, highlighted and renamed there', async () => {
    for (const file of files) {
      const path = `${webInf}/${file}`
      const { data } = await editor.askAbout<SemanticTokens>(
        'textDocument/semanticTokens/full',
        path,
      )
      const tokens = new Set(tokenStarts(data))
      for (const { offset, name } of namesIn(file, editor.text(path))) {
        const range = editor.lines(path).range(offset, offset + name.length)
        const about = { file, name }
        const position = range.end
        const found = await editor.askAbout<CompletionList>('textDocument/completion', path, {
          position,
        })
        expect({ about, labels: found.items.map(({ label }) => label) }).toEqual({
          about,
          labels: expect.arrayContaining([name]),
        })
        const defined = await editor.askAbout<Location[]>('textDocument/definition', path, {
          position: range.start,
        })
        expect({ about, defined: defined.length > 0 }).toEqual({ about, defined: true })
        const references = await editor.askAbout<Location[]>('textDocument/references', path, {
          position: range.start,
          context: { includeDeclaration: true },
        })
        expect({ about, references }).toEqual({
          about,
          references: expect.arrayContaining([{ uri: editor.uri(path), range }]),
        })
        const renamed = await editor.askAbout('textDocument/prepareRename', path, {
          position: range.start,
        })
        const isGiven = ['s', 'routes', 'body', 'unescape'].includes(name)
        if (!isGiven) expect({ about, renamed }).toMatchObject({ about, renamed: { range } })
        const { line, character } = range.start
        expect({ about, token: tokens.has(`${line}:${character}`) }).toEqual({ about, token: true })
      }
    }
  }, 240_000)

  test('signatures, symbols and the last line', async () => {
    let signatures = 0
    for (const file of files) {
      const path = `${webInf}/${file}`
      const lines = editor.lines(path)
      const symbols = await editor.askAbout<DocumentSymbol[]>('textDocument/documentSymbol', path)
      for (const { range, selectionRange } of symbols) {
        const [start, end] = [lines.offset(range.start), lines.offset(range.end)]
        const isInside = lines.offset(selectionRange.start) >= start && end <= lines.text.length
        expect({ file, isInside }).toEqual({ file, isInside: true })
      }
      for (const call of [...lines.text.matchAll(/(?<=\$\{s\.(?:url|i18n\.get)\()/g)].slice(0, 2)) {
        const position = lines.position(call.index)
        const help = await editor.askAbout<SignatureHelp | null>(
          'textDocument/signatureHelp',
          path,
          { position },
        )
        expect({ file, position, isShown: help !== null }).toEqual({
          file,
          position,
          isShown: true,
        })
        signatures++
      }
    }
    expect(signatures).toBeGreaterThan(10)
  })

  test('each template has folds inside its lines, and is formatted already', async () => {
    for (const file of files) {
      const path = `${webInf}/${file}`
      const folds = await editor.askAbout<FoldingRange[]>('textDocument/foldingRange', path)
      const lines = editor.lines(path)
      const last = lines.lineOf(lines.text.length)
      const isInside = folds.every((one) => one.startLine < one.endLine && one.endLine <= last)
      expect({ file, isInside }).toEqual({ file, isInside: true })
      const options = { tabSize: 2, insertSpaces: true }
      const edits = await editor.askAbout('textDocument/formatting', path, { options })
      expect({ file, edits }).toEqual({ file, edits: [] })
    }
  })
})
