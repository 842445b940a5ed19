/** `fw lsp`: a renamed field is renamed in keys and texts too, so that `fw check` finds no mistake afterwards. */
import { copyFileSync, globSync, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
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

/** The models whose fields `fwjs/accounts` requires by name. */
const fixed = ['api-token.ts', 'login.ts', 'passkey.ts', 'second-factor.ts']

/** Returns the fields of all columns, with the names of their models. */
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

const views = 'src/main/webapp/WEB-INF/views/members'

describe('refused with the reason:', () => {
  const code = 'src/main/kinds.ts'
  const view = 'src/main/view.ts'
  beforeEach(async () => {
    root = copyExample('members')
    editor = new Editor(root)
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
  })
  const ask = (file: string, marked: string, newName: string): Promise<WorkspaceEdit> =>
    editor.ask('textDocument/rename', file, marked, { newName })

  test('the name of another field', async () => {
    await expect(rename('member', 'birthday', 'name')).rejects.toThrow(
      /^'name' cannot be the name: src\/main\/model\/member.ts:\d+: /,
    )
  })

  test('a reserved word for a value of a template', async () => {
    await expect(ask(`${views}/_list.html.ssp`, '<%@val mem|bers', 'class')).rejects.toThrow(
      /^This name causes a mistake in WEB-INF\/views\/members\/_list.html.ssp: 'class' is reserved/,
    )
  })

  test('a text without the declaration of its type', async () => {
    await expect(ask(code, "orderBy('i|d'", 'number')).rejects.toThrow(
      "'id' is a text here: rename it where your code declares it",
    )
  })

  test('a column that Fw finds by its name, from a text', async () => {
    // With this text, the completion finds the column.
    await editor.open(
      view,
      "import { Member } from '#model/member'\nexport const MemberView = Member.view({ fields: ['id', 'name'] })\n",
    )
    await expect(ask(code, "orderBy('i|d'", 'number')).rejects.toThrow(
      "Fw gives 'id' its value because of this name",
    )
  })

  test('a name of a package', async () => {
    await expect(ask(code, "show('ti|tle'", 'heading')).rejects.toThrow(
      "TypeScript would rename 'title' in lib.dom.d.ts of a package too",
    )
  })

  test("'set' in a template", async () => {
    await editor.open(`${views}/index.html.ssp`)
    await editor.edit(`${views}/index.html.ssp`, 0, 0, "<% set('title', '') %>\n")
    await expect(ask(`${views}/index.html.ssp`, "set('ti|tle'", 'heading')).rejects.toThrow(
      'Rename this value in the layout or page that declares it',
    )
  })

  test("'this.set' in a controller, which has no types, but not that of another class", async () => {
    const controller = 'src/main/controller/members-controller.ts'
    const advice =
      "'this.set' has no types: rename the value at '<%@val' in its view or layout, and this text by hand"
    const marked = "this.set('mem|bers'"
    await expect(ask(controller, marked, 'people')).rejects.toThrow(advice)
    await expect(editor.ask('textDocument/prepareRename', controller, marked)).rejects.toThrow(
      advice,
    )
    const store = 'src/main/store.ts'
    editor.write(
      store,
      `type Key = 'first' | 'last'
export class Store {
  set(key: Key): Key {
    return key
  }
  clear(): Key {
    return this.set('first')
  }
}
`,
    )
    const edit = await ask(store, "this.set('fir|st')", 'one')
    expect(edit.changes![editor.uri(store)]).toHaveLength(2)
  })
})

test('a declaration in quotes is renamed as one without quotes', async () => {
  root = copyExample('members')
  editor = new Editor(root)
  const model = 'src/main/model/member.ts'
  editor.write(
    model,
    editor.read(model).replace('countryId:', "'countryId':").replace('  id:', "  'id':"),
  )
  await editor.initialize()
  await expect(
    editor.ask('textDocument/rename', model, "'i|d':", { newName: 'number' }),
  ).rejects.toThrow('because of this name')
  const edit = await editor.ask<WorkspaceEdit>('textDocument/rename', model, "'coun|tryId':", {
    newName: 'stateId',
  })
  await editor.apply(edit)
  expect(editor.read('src/main/controller/members-controller.ts')).toContain(
    'stateId: ParamType.optional(ParamType.Long),',
  )
  expect((await checkApplication(root)).diagnostics).toEqual([])
})

test('an object that no longer satisfies its type is corrected', async () => {
  root = copyExample('members')
  editor = new Editor(root)
  const code = 'src/main/named.ts'
  editor.write(
    code,
    `import type { Member } from '#model/member'
const row = { name: 'Ann' }
export const named = row satisfies Pick<Member, 'name'>
`,
  )
  await editor.initialize()
  await rename('member', 'name', 'fullName')
  expect(editor.read(code)).toContain("const row = { fullName: 'Ann' }")
  expect(editor.read(code)).toContain("Pick<Member, 'fullName'>")
})

test.each(['name', "'name'"])(
  'a mistake that a rename leaves is in a message: %s',
  async (declared) => {
    root = copyExample('members')
    editor = new Editor(root)
    const model = 'src/main/model/member.ts'
    editor.write(model, editor.read(model).replace('name:', `${declared}:`))
    editor.write(
      'src/main/paths.ts',
      `import type { ParsedPath } from 'node:path'
import type { Member } from '#model/member'
export const asPath = (member: Member): Pick<ParsedPath, 'name'> => member
`,
    )
    await editor.initialize()
    const marked = `${declared.replace('me', 'me|')}:`
    await editor.ask('textDocument/rename', model, marked, { newName: 'fullName' })
    expect(editor.messages).toEqual([
      expect.stringMatching(
        /^The rename leaves a mistake, correct it by hand: src\/main\/paths.ts:3: Property 'name' is missing/,
      ),
    ])
  },
)
