/** The values of an enum are a union in the types of the application, and their labels are messages on all pages. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { testApp } from '../../src/tools/testing.ts'
import {
  contents,
  destroy,
  generate,
  linkSources,
  newFolder,
  planned,
  removeFolder,
} from './folder.ts'

const root = newFolder()
afterAll(() => removeFolder(root))
const resources = join(root, 'src/main/resources')
writeFileSync(join(resources, 'messages_de.yml'), 'site:\n  title: X\n')
const line =
  'scaffold books book name:String status:enum:draft,in-print kind:enum?:novel,atlas edition:enum:v1.5,v2.0'
const before = contents(root)
generate(root, line)
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const german = read('src/main/resources/messages_de.yml')
writeFileSync(
  join(resources, 'messages_de.yml'),
  german
    .replace('draft: Draft # untranslated', 'draft: Entwurf')
    .replace('in-print: In print # untranslated', 'in-print: Im Druck'),
)
linkSources(root)
const { Bootstrap } = await import(pathToFileURL(join(root, 'src/main/bootstrap.ts')).href)
const app = await testApp(Bootstrap, { root })

describe('the generated files', () => {
  test('contain a label for each value, which a translation marks as untranslated', () => {
    const { enum: labels } = parse(read('src/main/resources/messages.yml')).book
    expect(labels).toEqual({
      status: { draft: 'Draft', 'in-print': 'In print' },
      kind: { novel: 'Novel', atlas: 'Atlas' },
    })
    expect(german).toContain('      novel: Novel # untranslated\n')
  })

  test('contain the values as a union once, in the model', () => {
    const model = read('src/main/model/book.ts')
    expect(model).toContain("  status: ParamType.oneOf('draft', 'in-print'),\n")
    expect(model).toContain("  kind: ParamType.optional(ParamType.oneOf('novel', 'atlas')),\n")
    expect(read('src/main/controller/books-controller.ts')).toContain(
      'status: Book.columns.status,',
    )
  })

  test('are removed without the fields of the command', () => {
    const fresh = newFolder()
    onTestFinished(() => removeFolder(fresh))
    writeFileSync(join(fresh, 'src/main/resources/messages_de.yml'), 'site:\n  title: X\n')
    generate(fresh, line)
    destroy(fresh, 'scaffold books book')
    expect(contents(fresh)).toEqual(before)
  })

  test.each(['job print status:enum?:draft,sold', 'mailer print status:enum?:draft,sold'])(
    'of %s have the union too, and are removed by the name alone',
    (command) => {
      const own = planned(root, command).files.find(({ path }) => path.startsWith('src/main/'))!
      expect(own.text).toContain("ParamType.optional(ParamType.oneOf('draft', 'sold'))")
      generate(root, command)
      const removed = destroy(root, command.split(' ').slice(0, 2).join(' '))
      expect(removed.filter(({ done }) => done === 'kept')).toEqual([])
    },
  )
})

describe('the pages', () => {
  const form = { name: 'Tea', status: 'in-print', kind: 'atlas', edition: 'v1.5' }
  async function createBook(locale: string) {
    const visitor = app.session()
    const headers = { 'accept-language': locale }
    await visitor.get('/books/new', { headers })
    const { location } = await visitor.post('/books', { form, headers })
    return { visitor, headers, path: location! }
  }

  test.each([
    ['en', ['Draft', 'In print'], 'Atlas'],
    ['de', ['Entwurf', 'Im Druck'], 'Atlas'],
  ])('show the labels in %s', async (locale, [draft, inPrint], atlas) => {
    const { visitor, headers, path } = await createBook(locale)
    const shown = await visitor.get(path, { headers })
    expect(shown.all('dd')).toEqual(['Tea', inPrint, atlas, 'v1.5'])
    const list = await visitor.get('/books', { headers })
    expect(list.all('tbody td')).toEqual(expect.arrayContaining([inPrint, atlas, 'v1.5']))
    expect(list.all('select[name=status] option')).toEqual(['', draft, inPrint])
    const edit = await visitor.get(`${path}/edit`, { headers })
    expect(edit.all('#status option')).toEqual(['', draft, inPrint])
    expect(edit.attribute('#status option[selected]', 'value')).toBe('in-print')
    expect(edit.all('#edition option')).toEqual(['', 'v1.5', 'v2.0'])
  })

  test('list the labels in the message of a wrong value, and JSON lists the values', async () => {
    const { visitor, headers } = await createBook('de')
    const page = await visitor.post('/books', { form: { ...form, status: 'x' }, headers })
    expect(page.status).toBe(400)
    expect(page.html('#status-error')).toContain('Entwurf, Im Druck')
    const token = (await visitor.get('/books/new')).attribute('meta[name="csrf-token"]', 'content')!
    const json = await visitor.post('/books.json', {
      json: { ...form, status: 'x' },
      headers: { ...headers, 'x-csrf-token': token },
    })
    expect(json.json().status[0]).toContain('draft, in-print')
  })

  test('have an empty place for an optional enum without a value', async () => {
    const { visitor, headers } = await createBook('en')
    const saved = await visitor.post('/books', { form: { ...form, kind: '' }, headers })
    expect((await visitor.follow(saved)).all('dd')[2]).toBe('')
  })
})
