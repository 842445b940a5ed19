/** `fw lsp` on every template of the examples: no mistakes, and each expression has a description at its own place. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FoldingRange, Hover } from 'vscode-languageserver'
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
      await editor.open(path, editor.read(path).replace(/\r?\n/g, lineBreak))
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
