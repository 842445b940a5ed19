/** The texts that the pages of all resources share: they stand once in each language's file, and only while a view uses them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { change, contents, destroy, generate, newFolder, removeFolder } from './folder.ts'

const members =
  'scaffold members member name:String note:Option[String]:varchar(80) active:Boolean?'
const companies = 'scaffold companies company name:String'
const messages = 'src/main/resources/messages.yml'
const german = 'src/main/resources/messages_de.yml'

let root = ''
beforeEach(() => {
  root = newFolder()
})
afterEach(() => removeFolder(root))

type Section = Readonly<Record<string, unknown>>
const text = (file: string): string => readFileSync(join(root, file), 'utf8')
const sections = (file = messages) => parse(text(file)) as Readonly<Record<string, Section>>
const write = (file: string, content: string): void => writeFileSync(join(root, file), content)

describe('texts that resources share', () => {
  it('stand once, and the views of all resources use them', () => {
    generate(root, members)
    generate(root, companies)
    const { common, member } = sections()
    expect(common).toMatchObject({ save: 'Save', no: 'no' })
    expect(common!['limit']).toContain('{# characters}')
    expect(Object.keys(member?.view as Section)).toEqual(
      'list detail new edit add back confirm really empty count more none all'.split(' '),
    )
    const texts = Object.values(common!)
    for (const view of ['member', 'company'])
      for (const value of Object.values(sections()[view]?.view as Section))
        expect(texts).not.toContain(value)
    const form = text('src/main/webapp/WEB-INF/views/companies/_form.html.ssp')
    expect(form).toContain("s.i18n.get('common.save')")
    const used = Object.values(contents(root)).flatMap((file) => [
      ...file.matchAll(/'common\.(\w+)'/g),
    ])
    expect(new Set(Object.keys(common!))).toEqual(new Set(used.map(([, key]) => key)))
  })

  it('are unchanged when the generator runs again', () => {
    generate(root, members)
    const before = contents(root)
    generate(root, members)
    expect(contents(root)).toEqual(before)
  })

  it('keep the texts, the order and the comments of the application', () => {
    const own =
      "site: {title: Mine}\n# buttons\ncommon:\n    save:   Store   # short\n\n    more:\n      a: |\n        line\nlast: 'x'\n"
    write(messages, own)
    generate(root, companies)
    expect(
      text(messages).startsWith(
        'site: {title: Mine}\n# buttons\ncommon:\n    save:   Store   # short\n\n    more:\n      a: |\n        line\n    edit: Edit\n    cancel: Cancel\n',
      ),
    ).toBe(true)
    expect(text(messages)).toContain("\nlast: 'x'\ncompany:\n")
    expect(text('src/test/browser/companies.test.ts')).toContain("name: 'Store'")
    destroy(root, companies)
    expect(text(messages)).toBe(own)
  })

  it('are removed with the last resource that uses them', () => {
    const initial = contents(root)
    generate(root, companies)
    const one = text(messages)
    generate(root, members)
    expect(text(messages)).toContain('limit:')
    destroy(root, members)
    expect(text(messages)).toBe(one)
    destroy(root, companies)
    const { [messages]: left } = contents(root)
    expect(left).toBe(initial[messages])
  })

  it('stay while a changed view, which is kept, or another file uses them', () => {
    generate(root, members)
    change(root, 'src/main/webapp/WEB-INF/views/members/show.html.ssp', '<dl>', '<dl class="x">')
    change(
      root,
      'src/main/controller/root-controller.ts',
      'return',
      "this.i18n.get('common.yes')\n    return",
    )
    destroy(root, members)
    expect(Object.keys(sections().common!)).toEqual(['edit', 'delete', 'yes', 'no', 'path'])
  })

  it.each([
    ['de', 'Speichern'],
    ['es', 'Guardar'],
    ['fr', 'Enregistrer'],
  ])('are translated to the languages of the application: %s', (language, save) => {
    write(`src/main/resources/messages_${language}.yml`, 'site:\n  title: X\n')
    write('src/main/resources/messages_ko.yml', 'site:\n  title: X\n')
    generate(root, companies)
    expect(sections(`src/main/resources/messages_${language}.yml`).common).toMatchObject({ save })
    expect(Object.keys(sections(`src/main/resources/messages_${language}.yml`).common!)).toEqual(
      Object.keys(sections().common!),
    )
    expect(sections().common).toMatchObject({ save: 'Save' })
    expect(text('src/main/resources/messages_ko.yml')).toBe('site:\n  title: X\n')
    destroy(root, companies)
    expect(text(`src/main/resources/messages_${language}.yml`)).toBe('site:\n  title: X\n')
  })

  it('have the language of the application, which the browser test reads', () => {
    write(german, 'site:\n  title: X\n')
    change(root, 'src/main/resources/application.yml', '', 'i18n:\n  defaultLocale: fr\n')
    generate(root, companies)
    expect(sections().common).toMatchObject({ save: 'Enregistrer' })
    expect(sections(german).common).toMatchObject({ save: 'Speichern' })
    expect(text('src/test/browser/companies.test.ts')).toContain("name: 'Enregistrer'")
  })

  it('are absent without views', () => {
    generate(root, 'api-resource tasks task name:String')
    expect(sections().common).toBeUndefined()
  })
})
