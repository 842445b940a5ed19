/** `fw lsp`: a renamed field is renamed in keys and texts too, so that `fw check` finds no mistake afterwards. */
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { WorkspaceEdit } from 'vscode-languageserver'
import { checkApplication } from '../../src/tools/cli/check.ts'
import { change, contents, generate, linkSources, newFolder } from '../generate/folder.ts'
import { copyExample, Editor, removeApplication } from './editor.ts'

let root: string
let editor: Editor
afterEach(async () => {
  await editor.kill()
  removeApplication(root)
})

/** Creates a new application with a generated resource and a child of it. */
function generateScaffold(): string {
  const folder = realpathSync(newFolder())
  generate(folder, 'scaffold books book title:String:varchar(80) pages:Int? isbn:String:unique')
  generate(folder, 'scaffold chapters chapter name:String --parent books')
  linkSources(folder)
  change(
    folder,
    'tsconfig.json',
    '"compilerOptions": {',
    '"compilerOptions": {"customConditions": ["fwjs-source"],',
  )
  return folder
}

/** Renames the field at the mark, in a file that need not be open, and saves all changed files. */
async function rename(model: string, marked: string, newName: string) {
  const file = `src/main/model/${model}.ts`
  const method = 'textDocument/rename'
  const edit = await editor.ask<WorkspaceEdit>(method, file, marked, { newName })
  return editor.apply(edit)
}

test.each<[string, () => string, readonly (readonly [string, string, string])[]]>([
  [
    'members',
    () => copyExample('members'),
    [
      ['member', 'na|me: ParamType', 'fullName'],
      ['member', 'birth|day: ParamType', 'bornOn'],
    ],
  ],
  [
    'journal',
    () => copyExample('journal'),
    [
      ['article', 'ti|tle: ParamType', 'heading'],
      ['article', 'lockVer|sion: default', 'version'],
      ['api-token', 'na|me: ParamType', 'label'],
      ['comment', 'article|Id: ParamType', 'commentedId'],
      ['image', 'dig|est: ParamType', 'checksum'],
    ],
  ],
  [
    'a generated application',
    generateScaffold,
    [
      ['book', 'ti|tle: ParamType', 'heading'],
      ['book', 'pa|ges: ParamType', 'length'],
    ],
  ],
])(
  '%s: fields',
  async (_, create, fields) => {
    root = create()
    editor = new Editor(root)
    await editor.initialize()
    const before = contents(join(root, 'src'))
    const undo: (() => Promise<void>)[] = []
    for (const [model, marked, newName] of fields)
      undo.unshift(await rename(model, marked, newName))
    const { diagnostics } = await checkApplication(root)
    expect(diagnostics).toEqual([])
    for (const one of undo) await one()
    expect(contents(join(root, 'src'))).toEqual(before)
  },
  300_000,
)
