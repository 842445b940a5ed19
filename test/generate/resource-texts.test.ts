/** The texts of a resource are in the languages of the application, in sentences that are correct for any name. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { describe, expect, onTestFinished, test } from 'vitest'
import { applicationLanguages } from '../../src/tools/generate.ts'
import { contents, destroy, generate, newFolder, removeFolder } from './folder.ts'

function newApplication(options: Parameters<typeof newFolder>[0] = {}): string {
  const root = newFolder(options)
  onTestFinished(() => removeFolder(root))
  return root
}

const scaffold = 'scaffold rechnungen rechnung titel:String bezahlt:Boolean'
const resources = 'src/main/resources'
const read = (root: string, file: string): string => readFileSync(join(root, file), 'utf8')
const messages = (root: string, file = 'messages.yml') =>
  parse(read(root, `${resources}/${file}`)) as Record<string, Record<string, unknown>>

describe('a scaffold in an application in German', () => {
  test('has German sentences with the names of the application', () => {
    const root = newApplication({ language: 'de' })
    generate(root, scaffold)
    expect(messages(root)['rechnung']).toMatchObject({
      flash: { created: 'Rechnung wurde angelegt.', deleted: 'Rechnung wurde gelöscht.' },
      view: { list: 'Rechnungen', new: 'Rechnung anlegen', empty: 'Noch keine Einträge.' },
      titel: 'Titel',
    })
    expect(read(root, `${resources}/messages.yml`)).not.toContain('untranslated')
  })

  test('has tests that look for these sentences', () => {
    const root = newApplication({ language: 'de' })
    generate(root, scaffold)
    expect(read(root, 'src/test/controller/rechnungen-controller.test.ts')).toContain(
      "assert.equal(page.html('.empty'), 'Noch keine Einträge.')",
    )
    const browser = read(root, 'src/test/browser/rechnungen.test.ts')
    expect(browser).toContain("getByRole('link', { name: 'Rechnung anlegen' })")
    expect(browser).toContain("getByRole('button', { name: 'Endgültig löschen' })")
  })

  test('has English texts in the browser test, if the application has English pages', () => {
    const root = newApplication({ language: 'de' })
    writeFileSync(join(root, resources, 'messages_en.yml'), 'site:\n  title: X\n')
    generate(root, scaffold)
    const browser = read(root, 'src/test/browser/rechnungen.test.ts')
    expect(browser).toContain("getByRole('link', { name: 'Add rechnung' })")
    expect(browser).toContain("getByRole('button', { name: 'Save' })")
  })
})

describe('a scaffold in an application with translations', () => {
  test('adds the same keys to each language, and marks what contains names', () => {
    const root = newApplication()
    const others = applicationLanguages.filter((language) => language !== 'en')
    for (const language of others)
      writeFileSync(join(root, resources, `messages_${language}.yml`), 'site:\n  title: X\n')
    generate(root, scaffold)
    const keys = (file: string) =>
      Object.entries(messages(root, file)['rechnung']!).map(([key, value]) => [
        key,
        typeof value === 'string' ? '' : Object.keys(value as object),
      ])
    for (const language of others)
      expect([language, keys(`messages_${language}.yml`)]).toEqual([language, keys('messages.yml')])
    const french = read(root, `${resources}/messages_fr.yml`)
    expect(french).toContain('    list: Rechnungen # untranslated\n')
    expect(french).toContain('    back: Retour à la liste\n')
    expect(french).toContain('  titel: Titel # untranslated\n')
    expect(read(root, `${resources}/messages.yml`)).not.toContain('untranslated')
  })

  test('leaves all files as they were when it is removed', () => {
    const root = newApplication()
    writeFileSync(join(root, resources, 'messages_fr.yml'), 'site:\n  title: X\n')
    const initial = contents(root)
    generate(root, scaffold)
    destroy(root, scaffold)
    const { [`${resources}/messages_fr.yml`]: french } = contents(root)
    expect(french).toBe(initial[`${resources}/messages_fr.yml`])
  })

  test('adds nothing to a region whose language has a file, and texts to a region alone', () => {
    const root = newApplication()
    for (const locale of ['de', 'de_AT', 'pt_BR'])
      writeFileSync(join(root, resources, `messages_${locale}.yml`), 'site:\n  title: X\n')
    generate(root, scaffold)
    expect(messages(root, 'messages_de_AT.yml')['rechnung']).toBeUndefined()
    expect(messages(root, 'messages_pt_BR.yml')['common']).toMatchObject({ save: 'Salvar' })
  })
})

test('a resource of an API has no texts of pages', () => {
  const root = newApplication({ api: true })
  generate(root, 'api-resource tasks task name:String')
  expect(Object.keys(messages(root)['task']!)).toEqual(['flash', 'id', 'name'])
})
