/** `fw lsp`: the names of form fields, parameters and labels, which TypeScript does not link to the column of a model. */
import { rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Location, WorkspaceEdit } from 'vscode-languageserver'
import { checkApplication } from '../../src/tools/cli/check.ts'
import { copyExample, Editor, removeApplication, webInf } from './editor.ts'

let root: string
let editor: Editor

async function start(example: string): Promise<void> {
  root = copyExample(example)
  editor = new Editor(root)
  await editor.initialize()
}
async function stop(): Promise<void> {
  await editor.kill()
  removeApplication(root)
}

const pathOf = (uri: string): string => relative(root, fileURLToPath(uri)).replace(`${webInf}/`, '')

/** Returns the file and the text of each location. */
async function places(method: string, file: string, marked: string): Promise<string[]> {
  const more = { context: { includeDeclaration: true } }
  const found = await editor.ask<Location[]>(`textDocument/${method}`, file, marked, more)
  return found.map(({ uri, range }) => {
    const text = editor.textIn(relative(root, fileURLToPath(uri)), range)
    return `${pathOf(uri)} ${text}`
  })
}

/** Returns the line of each edit of a rename, as it is afterwards. */
async function renamed(file: string, marked: string, newName: string): Promise<string[]> {
  const edit = await editor.ask<WorkspaceEdit>('textDocument/rename', file, marked, { newName })
  return Object.entries(edit.changes!).flatMap(([uri, edits]) => {
    const lines = editor.lines(relative(root, fileURLToPath(uri)))
    return edits.map(({ range, newText }) => {
      const [start, end] = [lines.offset(range.start), lines.offset(range.end)]
      const before = lines.text.slice(0, start).split('\n').at(-1)!
      const after = lines.text.slice(end).split('\n')[0]!
      return `${pathOf(uri)}: ${(before + newText + after).trim()}`
    })
  })
}

describe('in members', () => {
  const model = 'src/main/model/member.ts'
  const controller = 'src/main/controller/members-controller.ts'
  const form = `${webInf}/views/members/_form.html.ssp`
  beforeAll(() => start('members'))
  afterAll(stop)

  const uses = [
    `${controller} name`,
    'views/members/_field.html.ssp name',
    'views/members/_form.html.ssp name',
    `${model} name`,
  ]
  test.each([
    ['a column', model, 'na|me: ParamType'],
    ['a rule', controller, "paramKey('na|me')"],
    ['the value of a partial', form, "_field' { name: 'na|me' }"],
  ])('references of %s', async (_, file, marked) => {
    const found = await places('references', file, marked)
    expect(found).toEqual(expect.arrayContaining(uses))
    // The parameter of the path `/members/script/:name` is another one.
    expect(found.filter((one) => one === `${controller} name`)).toHaveLength(3)
  })

  test.each([
    ['a rule', controller, "paramKey('na|me')"],
    ['the value of a partial', form, "_field' { name: 'na|me' }"],
  ])('the definition of %s is the column', async (_, file, marked) => {
    expect(await places('definition', file, marked)).toEqual([`${model} name`])
  })

  test('an input, a read of its parameter, and the parts of a date', async () => {
    const page = `${webInf}/views/members/new.html.ssp`
    await editor.open(page)
    const end = editor.text(page).length
    const text =
      '<p id="birthday" title="${1 > 0}">\n<input title="${2 > 1}" name="birthday" value="${s.params.get(\'birthday\')}">\n<input name=birthdayYear>\n'
    await editor.edit(page, end, end, text)
    expect(await places('definition', page, 'name="birth|day"')).toEqual([`${model} birthday`])
    const edits = await renamed(page, 'name="birth|day"', 'bornOn')
    expect(edits.filter((one) => one.startsWith('views/members/new')).sort()).toEqual([
      'views/members/new.html.ssp: <input name=bornOnYear>',
      'views/members/new.html.ssp: <input title="${2 > 1}" name="birthday" value="${s.params.get(\'bornOn\')}">',
      'views/members/new.html.ssp: <input title="${2 > 1}" name="bornOn" value="${s.params.get(\'birthday\')}">',
    ])
    expect(edits).toContain(`${controller}: return this.params.withDate('bornOn')`)
    await editor.close(page)
  })

  test('a rename that starts at a rule changes the model, the form and the labels', async () => {
    expect(await editor.ask('textDocument/prepareRename', controller, "paramKey('na|me')")).toEqual(
      expect.objectContaining({ placeholder: 'name' }),
    )
    const edits = await renamed(controller, "paramKey('na|me')", 'fullName')
    expect(edits).toEqual(
      expect.arrayContaining([
        `${model}: fullName: ParamType.String,`,
        `${controller}: paramKey('fullName').is(required, minLength(2)),`,
        `${controller}: this.view.addParam('fullName', '')`,
        `${controller}: fullName: ParamType.String,`,
        "views/members/_form.html.ssp: <%@include '_field' { name: 'fullName' } %>",
        "views/members/_field.html.ssp: <%@val name: 'fullName' | 'birthday' | 'countryId' %>",
        'src/main/resources/messages.yml: fullName: Name',
        'src/main/resources/messages_de.yml: fullName: Name',
      ]),
    )
    expect(edits.join('\n')).not.toContain("params.get('fullName')")
  })

  test('names stay, with a message, if their rename causes a mistake', async () => {
    const other = `${webInf}/views/error/404.html.ssp`
    await editor.open(other)
    const original = editor.text(other)
    await editor.edit(other, 0, 0, "<% const key = 'name' as const %>${s.i18n.get(key)}\n")
    const edits = await renamed(model, 'na|me: ParamType', 'fullName')
    expect(edits).toContain(`${controller}: fullName: ParamType.String,`)
    expect(edits.join('\n')).not.toContain('messages.yml')
    expect(editor.messages.join('\n')).toContain("Form fields and labels are still called 'name'")
    await editor.edit(other, 0, editor.text(other).length, original)
    await editor.close(other)
  })
})

const labelFiles = ['', '_de', '_pl'].map((tag) => `src/main/resources/messages${tag}.yml`)

describe('in journal', () => {
  beforeAll(() => start('journal'))
  afterAll(stop)
  const article = 'src/main/model/article.ts'

  test('rules beside the model, a resource and its pages', async () => {
    const edits = await renamed(article, 'ti|tle: ParamType', 'headline')
    expect(edits).toEqual(
      expect.arrayContaining([
        "src/main/model/writing.ts: paramKey('headline').is(required, maxLength(160)),",
        "views/desk/articles/_form.html.ssp: <%@include '/shared/_field' { name: 'headline', label: s.i18n.get('article.title'), maxlength: 160 } %>",
        'src/main/resources/messages_pl.yml: headline: Tytuł',
      ]),
    )
    expect(edits.filter((one) => one.includes("sortBy('headline')"))).toHaveLength(1)
    expect(edits.join('\n')).not.toMatch(/set\('headline'|site\.headline/)
  })

  /** Gives the label of a field to another form too, and renames the field. `german` is the label in `messages_de.yml`. */
  const renameShared = async (german: string): Promise<string[]> => {
    const form = `${webInf}/views/desk/articles/_form.html.ssp`
    const other = 'src/main/controller/other-form.ts'
    const before = [...labelFiles, form].map((file) => editor.read(file))
    for (const file of labelFiles) {
      const rest = editor.read(file).replace(/^  summary: .*\n/m, '')
      editor.write(file, `${rest}\nsummary: ${file.endsWith('_de.yml') ? german : 'Shared'}\n`)
    }
    editor.write(form, editor.read(form).replace("'article.summary'", "'summary'"))
    editor.write(
      other,
      "import { paramKey } from 'fwjs'\n\nexport const field = paramKey('summary')\n",
    )
    try {
      return await renamed(article, 'summ|ary: ParamType', 'abstract')
    } finally {
      for (const [at, file] of [...labelFiles, form].entries()) editor.write(file, before[at]!)
      editor.write(other, '')
    }
  }
  const isLabel = (edit: string): boolean => edit.includes('messages') || edit.includes('i18n.get')

  test('a label that other forms have too is copied', async () => {
    const edits = await renameShared('Shared')
    expect(edits.filter(isLabel)).toEqual([
      expect.stringContaining("name: 'abstract', label: s.i18n.get('summary')"),
      expect.stringContaining("name: 'summary', label: s.i18n.get('abstract')"),
      ...labelFiles.map((file) => `${file}: summary: Shared\nabstract: Shared`),
    ])
  })

  test('a label that cannot be copied in each language keeps its name, with a message', async () => {
    const edits = await renameShared('>\n  Gemeinsam')
    expect(edits.filter(isLabel)).toEqual([
      expect.stringContaining("name: 'abstract', label: s.i18n.get('summary')"),
    ])
    expect(editor.messages.join('\n')).toContain("Add 'abstract' to each language")
  })

  test('a form that pages with a field of another model include keeps its names, with a message', async () => {
    const page = `${webInf}/views/articles/show.html.ssp`
    await editor.open(page)
    const original = editor.text(page)
    const values = "{ action: '', back: '', submit: '' }"
    await editor.edit(
      page,
      original.length,
      original.length,
      `<%@include '/desk/articles/_form' ${values} %>\n`,
    )
    expect(await editor.diagnostics(page)).toEqual([])
    const edits = await renamed(article, 'bo|dy: ParamType', 'text')
    expect(edits.filter((one) => one.startsWith('views/desk/articles/_form'))).toEqual([])
    expect(editor.messages.join('\n')).toContain(
      `'body' can be the field of another model too, and stays in ${webInf}/views/desk/articles/_form.html.ssp`,
    )
    await editor.edit(page, 0, editor.text(page).length, original)
    await editor.diagnostics(page)
  })

  test('a field of two models in one file is renamed in its own form only', async () => {
    const edits = await renamed(article, 'bo|dy: ParamType', 'text')
    expect(edits.filter((one) => one.includes('_form'))).toHaveLength(2)
    expect(edits.filter((one) => one.includes('_comments'))).toEqual([])
    expect(edits.join('\n')).not.toContain('comment.text')
  })
})

test('strong parameters of a resource, in an object and in a constant', async () => {
  await start('journal')
  const file = 'src/main/controller/tags-controller.ts'
  editor.write(
    'src/main/controller/label-controller.ts',
    `import { FwResource, ParamType, resource } from 'fwjs'
import { Tag } from '#model/tag'
import { ApplicationController } from './application-controller.ts'
const base = { name: ParamType.String }
const fields = { ...base, note: ParamType.optional(ParamType.String) }
export class LabelController extends FwResource(ApplicationController, {
  model: Tag, resourcesName: 'labels', resourceName: 'label',
  createFormStrongParameters: fields,
  updateFormStrongParameters: { name: ParamType.String },
}) {}
export const labels = resource(LabelController)
`,
  )
  await editor.open(file)
  const edits = await renamed('src/main/model/tag.ts', 'na|me: ParamType', 'word')
  const label = 'src/main/controller/label-controller.ts:'
  expect(edits).toEqual(
    expect.arrayContaining([
      `${label} const base = { word: ParamType.String }`,
      `${label} updateFormStrongParameters: { word: ParamType.String },`,
    ]),
  )
  await editor.shutDown()
  rmSync(join(root, 'src'), { recursive: true })
  removeApplication(root)
})

test('a path that another file gives to the controller, methods of other objects, and other elements', async () => {
  await start('members')
  const controller = 'src/main/controller/members-controller.ts'
  const page = `${webInf}/views/members/index.html.ssp`
  const change = (file: string, old: string, text: string): void => {
    expect(editor.read(file)).toContain(old)
    editor.write(
      file,
      editor.read(file).replace(old, () => text),
    )
  }
  change(controller, "'/members/script/:name'", "'/members/script/:file'")
  change(
    controller,
    '  newInput() {',
    `  options() {
    const options = { param: (key: string) => key.length }
    return String(options.param('name'))
  }

  newInput() {`,
  )
  change(page, '</h1>', '</h1><object name="name"></object><input name="name">')
  const lines = (edits: readonly string[], text: string): string[] =>
    edits.filter((one) => one.includes(text))
  const rename = () => renamed('src/main/model/member.ts', 'na|me: ParamType', 'fullName')
  const before = await rename()
  expect(lines(before, "params.get('fullName')")).toHaveLength(1)
  expect(lines(before, "options.param('fullName')")).toEqual([])
  expect(lines(before, '<object')).toEqual([
    expect.stringContaining('<object name="name"></object><input name="fullName">'),
  ])
  const more = 'src/main/controller/more-routes.ts'
  const routes = (owner: string): string =>
    `import { mix, routes, XsrfCookie } from 'fwjs'
import { MembersController } from './members-controller.ts'
import { ApplicationController } from './application-controller.ts'
export class OtherController extends ApplicationController {
  script() {
    return ''
  }
}
export class HeirController extends MembersController {}
const Base = mix(HeirController, XsrfCookie)
export class GrandchildController extends Base {}
export const more = routes(${owner}, (r) => ({ namedUrl: r.get('/more/:name', 'script') }))
`
  editor.write(more, routes('OtherController'))
  expect(lines(await rename(), "params.get('fullName')")).toHaveLength(1)
  for (const owner of ['MembersController', 'HeirController', 'GrandchildController']) {
    editor.write(more, routes(owner))
    expect(lines(await rename(), "params.get('fullName')")).toEqual([])
  }
  await stop()
})

describe('permitted parameters that a variable brings to the model', () => {
  const model = 'src/main/model/country.ts'
  const controller = 'src/main/controller/countries-controller.ts'
  const message = `The permitted parameter 'label' can be the renamed field in ${controller}:6`
  beforeEach(async () => {
    await start('members')
    editor.write(
      model,
      `import { model, ParamType } from 'fwjs'
export const Country = model('countries', { id: ParamType.Long, label: ParamType.String })
`,
    )
    editor.write(
      controller,
      `import { paramKey, ParamType, required } from 'fwjs'
import { Country } from '#model/country'
import { ApplicationController } from './application-controller.ts'
export class CountriesController extends ApplicationController {
  async create() {
    const permitted = this.params.permit({ label: ParamType.String })
    if (!this.validation(this.params, paramKey('label').is(required)).validate()) return 'no'
    await Country.create(permitted)
    return 'ok'
  }
}
`,
    )
  })
  afterEach(stop)

  test('are named in a message', async () => {
    await renamed(model, 'la|bel: ParamType', 'title')
    expect(editor.messages.join('\n')).toContain(message)
  })

  test('are named once, although a file changes after the message', async () => {
    const shown: string[] = []
    editor.connection.onNotification('window/showMessage', async (params: { message: string }) => {
      shown.push(params.message)
      // A rename that is not complete begins again.
      const changes = [{ uri: editor.uri(model), type: 2 }]
      await editor.connection.sendNotification('workspace/didChangeWatchedFiles', { changes })
    })
    await renamed(model, 'la|bel: ParamType', 'title')
    expect(shown).toEqual([expect.stringContaining(message)])
  })
})

test('texts that are typed as the key of a label are renamed, others stay with a message', async () => {
  await start('journal')
  const typed = 'src/main/controller/label-keys.ts'
  editor.write(
    typed,
    `import type { MessageKeys } from 'fwjs'
export const label: keyof MessageKeys = 'article.title'
export const read = 'article.title'
export const queue = 'article.title'
`,
  )
  editor.write(
    'src/main/controller/label-reader.ts',
    `import type { MessageKeys } from 'fwjs'
import { read } from './label-keys.ts'
export const shown: keyof MessageKeys = read
`,
  )
  const edit = await editor.ask<WorkspaceEdit>(
    'textDocument/rename',
    'src/main/model/article.ts',
    'ti|tle: ParamType',
    { newName: 'headline' },
  )
  await editor.apply(edit)
  expect(editor.read(typed).match(/'article\.\w+'/g)).toEqual([
    "'article.headline'",
    "'article.headline'",
    "'article.title'",
  ])
  expect(editor.messages).toEqual([
    `Not renamed, because these texts may not be the message 'article.title': ${typed}:4`,
  ])
  expect((await checkApplication(root)).diagnostics).toEqual([])
  await stop()
})
