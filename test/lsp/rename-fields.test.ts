/** `fw lsp`: a renamed field is renamed in keys and texts too, so that `fw check` finds no mistake afterwards. */
import { copyFileSync, globSync, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import type { WorkspaceEdit } from 'vscode-languageserver'
import { checkApplication, RepeatedCheck } from '../../src/tools/cli/check.ts'
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

/** Renames a column's field in its model, which need not be open, and saves all changed files. */
async function rename(model: string, field: string, newName: string) {
  const file = `src/main/model/${model}.ts`
  const [declared] = new RegExp(`\\b${field}: (?:defaulted|ParamType)`).exec(editor.text(file))!
  const marked = `${declared.slice(0, 1)}|${declared.slice(1)}`
  const method = 'textDocument/rename'
  const edit = await editor.ask<WorkspaceEdit>(method, file, marked, { newName })
  const changed = Object.keys(edit.changes!).map((uri) => fileURLToPath(uri))
  return { undo: await editor.apply(edit), changed }
}

/** Returns the fields of all columns, with the names of their models. */
/** The models whose fields `fwjs/accounts` requires by name. */
const fixed = ['api-token.ts', 'login.ts', 'passkey.ts', 'second-factor.ts']

function columns(): (readonly [model: string, field: string])[] {
  return globSync('*.ts', { cwd: join(root, 'src/main/model'), exclude: fixed })
    .sort()
    .flatMap((file) =>
      [
        ...editor.text(`src/main/model/${file}`).matchAll(/^ +(\w+): (?:defaulted\()?ParamType/gm),
      ].map(([, field]) => [basename(file, '.ts'), field!] as const),
    )
}

test.each([
  ['members', 3],
  ['journal', 23],
])(
  '%s: each of %i fields, and back',
  async (example, count) => {
    root = copyExample(example)
    // The types of the built package are checked faster than the sources of Fw.
    copyFileSync('templates/application/tsconfig.json.tpl', join(root, 'tsconfig.json'))
    editor = new Editor(root)
    await editor.initialize()
    const check = new RepeatedCheck(root)
    onTestFinished(() => check.close())
    expect((await check.check([])).diagnostics).toEqual([])
    const before = contents(join(root, 'src'))
    const renamed: string[] = []
    for (const [model, field] of columns()) {
      const name = `${model}.${field}`
      if (['id', 'createdAt', 'updatedAt'].includes(field)) {
        await expect(rename(model, field, 'other')).rejects.toThrow('because of this name')
        continue
      }
      const { undo, changed } = await rename(model, field, `${field}Renamed`)
      const { diagnostics } = await check.check(changed)
      expect({ name, diagnostics }).toEqual({ name, diagnostics: [] })
      await undo()
      expect({ name, files: contents(join(root, 'src')) }).toEqual({ name, files: before })
      await check.check(changed)
      renamed.push(name)
    }
    expect(renamed).toHaveLength(count)
  },
  600_000,
)

test('an optional field, which permit may leave out', async () => {
  root = copyExample('members')
  editor = new Editor(root)
  await editor.initialize()
  await rename('member', 'countryId', 'stateId')
  const controller = editor.read('src/main/controller/members-controller.ts')
  expect(controller).toContain('stateId: ParamType.optional(ParamType.Long),')
  expect(editor.read('src/main/model/member.ts')).toContain(
    'stateId: ParamType.optional(ParamType.Long),',
  )
})

test('a generated application: several fields, and the key of a parent', async () => {
  root = generateScaffold()
  editor = new Editor(root)
  await editor.initialize()
  const before = contents(join(root, 'src'))
  const undone: (() => Promise<void>)[] = []
  for (const [model, field, newName] of [
    ['book', 'title', 'heading'],
    ['book', 'pages', 'length'],
    ['chapter', 'bookId', 'volumeId'],
  ] as const)
    undone.unshift((await rename(model, field, newName)).undo)
  const { diagnostics } = await checkApplication(root)
  expect(diagnostics).toEqual([])
  expect(editor.read('src/test/factory/book.ts')).toContain('length: ')
  const books = editor.read('src/main/controller/books-controller.ts')
  expect(books).toContain('heading: ParamType.String,')
  expect(books).toContain("paramKey('heading').is(required, maxLength(80)),")
  const views = 'src/main/webapp/WEB-INF/views/books'
  expect(editor.read(`${views}/_form.html.ssp`)).toContain(
    "{ name: 'heading', label: s.i18n.get('book.heading'), maxlength: 80,",
  )
  expect(editor.read(`${views}/index.html.ssp`)).toContain("list.sortBy('heading')")
  expect(editor.read('src/main/resources/messages.yml')).toMatch(/^ {2}heading: Title$/m)
  expect(editor.messages).toEqual([])
  // The parameter of the path has another meaning than the field.
  expect(editor.read('src/main/controller/book-chapters-controller.ts')).toContain('/books/:bookId')
  for (const undo of undone) await undo()
  expect(contents(join(root, 'src'))).toEqual(before)
}, 300_000)

test('a name that cannot be where it is, and a name of a package, are refused', async () => {
  root = copyExample('members')
  editor = new Editor(root)
  const code = 'src/main/kinds.ts'
  const view = 'src/main/view.ts'
  editor.write(view, '')
  editor.write(
    code,
    `import { Member } from '#model/member'
const show = <K extends 'title' | 'other'>(kind: K) => kind
export const shown = show('title')
export const members = Member.query().orderBy('id', 'desc')
`,
  )
  await editor.initialize()
  await expect(rename('member', 'birthday', 'name')).rejects.toThrow(
    /^'name' cannot be the name: src\/main\/model\/member.ts:\d+: /,
  )
  const ask = (file: string, marked: string, newName: string) =>
    editor.ask('textDocument/rename', file, marked, { newName })
  const views = 'src/main/webapp/WEB-INF/views/members'
  await expect(ask(`${views}/_list.html.ssp`, '<%@val mem|bers', 'class')).rejects.toThrow(
    /^This name causes a mistake in WEB-INF\/views\/members\/_list.html.ssp: 'class' is reserved/,
  )
  await expect(ask(code, "orderBy('i|d'", 'number')).rejects.toThrow(
    "'id' is a text here: rename it where your code declares it",
  )
  // With this text, the completion finds the column.
  await editor.open(
    view,
    "import { Member } from '#model/member'\nexport const MemberView = Member.view({ fields: ['id', 'name'] })\n",
  )
  await expect(ask(code, "orderBy('i|d'", 'number')).rejects.toThrow(
    "Fw gives 'id' its value because of this name",
  )
  await expect(ask(code, "show('ti|tle'", 'heading')).rejects.toThrow(
    "TypeScript would rename 'title' in lib.dom.d.ts of a package too",
  )
  await editor.open(`${views}/index.html.ssp`)
  await editor.edit(`${views}/index.html.ssp`, 0, 0, "<% set('title', '') %>\n")
  await expect(ask(`${views}/index.html.ssp`, "set('ti|tle'", 'heading')).rejects.toThrow(
    'Rename this value in the layout or page that declares it',
  )
})

test('a mistake that a rename leaves is in a message', async () => {
  root = copyExample('members')
  editor = new Editor(root)
  const code = 'src/main/paths.ts'
  editor.write(
    code,
    `import type { ParsedPath } from 'node:path'
import type { Member } from '#model/member'
export const asPath = (member: Member): Pick<ParsedPath, 'name'> => member
`,
  )
  await editor.initialize()
  await rename('member', 'name', 'fullName')
  expect(editor.messages).toEqual([
    expect.stringMatching(
      /^The rename leaves a mistake, correct it by hand: src\/main\/paths.ts:3: Property 'name' is missing/,
    ),
  ])
})
