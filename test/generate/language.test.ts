/** `fw g language` adds a file of messages; pages in each language contain no English text. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parse } from 'yaml'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { defaultMessages } from '../../src/runtime/validation/messages.ts'
import { MessageCatalog } from '../../src/runtime/i18n.ts'
import { applicationLanguages } from '../../src/tools/generate.ts'
import { testApp, type Visitor } from '../../src/tools/testing.ts'
import {
  change,
  contents,
  destroy,
  generate,
  linkSources,
  newFolder,
  planned,
  removeFolder,
} from './folder.ts'

const resources = 'src/main/resources'
const read = (root: string, file: string): string =>
  readFileSync(join(root, resources, file), 'utf8')
const translations = applicationLanguages.filter((language) => language !== 'en')

function newApplication(options: Parameters<typeof newFolder>[0] = {}): string {
  const root = newFolder(options)
  onTestFinished(() => removeFolder(root))
  generate(root, scaffold)
  return root
}

// The names have no meaning, so that all words on the pages are those of generators.
const scaffold =
  'scaffold zomali zomal naku:String:varchar(80) pefi:Boolean? loru:enum:kaso,lipu zodi:LocalDate?'

describe('fw g language', () => {
  test('adds each key of the application, and the messages of failed rules', () => {
    const root = newApplication()
    generate(root, 'language fr')
    const catalog = MessageCatalog.load(join(root, resources))
    expect(catalog.missingKeys('fr')).toEqual([])
    expect(catalog.problems()).toEqual([])
    const { error } = parse(read(root, 'messages_fr.yml'))
    const rules = Object.keys(defaultMessages).filter((name) => name !== 'schema')
    expect(Object.keys(error).toSorted()).toEqual(rules.toSorted())
  })

  test('translates what generators wrote, and marks the rest with a note', () => {
    const root = newApplication()
    change(root, `${resources}/messages.yml`, 'save: Save\n', 'save: Store it\n')
    writeFileSync(
      join(root, resources, 'messages.yml'),
      `${read(root, 'messages.yml')}own:\n  text: Mine\n`,
    )
    const { notes } = planned(root, 'language fr')
    generate(root, 'language fr')
    const text = read(root, 'messages_fr.yml')
    expect(text).toContain('  cancel: Annuler\n')
    expect(text).toContain('  save: Store it # untranslated\n')
    expect(text).toContain('own:\n  text: Mine # untranslated\n')
    expect(text).toContain("    new: 'Zomal\u00a0: création' # untranslated\n")
    expect(text).toContain('    back: Retour à la liste\n')
    expect(text).toContain('      kaso: Kaso # untranslated\n')
    const count = text.split('# untranslated').length - 1
    expect(notes).toEqual([
      `Translate the ${count} texts of ${resources}/messages_fr.yml with the comment # untranslated.`,
    ])
  })

  test.each(translations)(
    'writes the file that a scaffold in %s would have extended',
    (language) => {
      const [one, other] = [newApplication(), newFolder()]
      onTestFinished(() => removeFolder(other))
      generate(one, `language ${language}`)
      generate(other, `language ${language}`)
      generate(other, scaffold)
      const file = `messages_${language}.yml`
      expect(parse(read(one, file))).toEqual(parse(read(other, file)))
      expect(read(one, file).split('\n').toSorted()).toEqual(
        read(other, file).split('\n').toSorted(),
      )
    },
  )

  test.each(translations)('translates a resource without views to %s', (language) => {
    const line = 'api-resource order_items order_item text:String'
    const [one, other] = [newApplication(), newApplication()]
    generate(one, line)
    for (const root of [one, other]) generate(root, `language ${language}`)
    generate(other, line)
    const file = `messages_${language}.yml`
    expect(parse(read(one, file))).toEqual(parse(read(other, file)))
  })

  test('changes nothing the second time, and adds the keys that are new', () => {
    const root = newApplication()
    generate(root, 'language pt-BR')
    const before = contents(root)
    expect(Object.keys(before)).toContain(`${resources}/messages_pt_BR.yml`)
    generate(root, 'language pt_BR')
    expect(contents(root)).toEqual(before)
    change(root, `${resources}/messages.yml`, 'root:\n', 'root:\n  more: Read on\n')
    generate(root, 'language pt-BR')
    expect(read(root, 'messages_pt_BR.yml')).toContain('  more: Read on # untranslated\n')
  })

  test('marks all texts in a language that generators do not have', () => {
    const root = newApplication()
    generate(root, 'language ko')
    const texts = read(root, 'messages_ko.yml')
      .split('\n')
      .filter((line) => /: \S/.test(line))
    expect(texts.filter((line) => !line.endsWith(' # untranslated'))).toEqual([])
  })

  test('has English messages of failed rules beside another default language', () => {
    const root = newApplication({ language: 'de' })
    generate(root, 'language en')
    const { error, common } = parse(read(root, 'messages_en.yml'))
    expect(error.required).toBe('{0} is required')
    expect(common.save).toBe('Save')
  })

  test.each([
    ['language', 'fw g language fr'],
    ['language en', 'already contains the texts in en'],
    ['language fr de', 'fw g language fr'],
    ['language x', "'x' is no language"],
  ])('%s is refused: %s', (line, message) => {
    const root = newApplication()
    expect(() => generate(root, line)).toThrow(message)
  })
})

describe('fw destroy language', () => {
  test('removes the file, also after a later scaffold', () => {
    const root = newApplication()
    const before = contents(root)
    generate(root, 'language fr')
    generate(root, 'scaffold others other name:String')
    destroy(root, 'language fr')
    destroy(root, 'scaffold others other name:String')
    expect(contents(root)).toEqual(before)
  })

  test('keeps a file with a text that was changed', () => {
    const root = newApplication()
    generate(root, 'language fr')
    change(root, `${resources}/messages_fr.yml`, 'list: Zomali # untranslated', 'list: Les zomals')
    expect(destroy(root, 'language fr').map(({ done }) => done)).toEqual(['kept'])
    destroy(root, 'language fr', { force: true })
    expect(Object.keys(contents(root))).not.toContain(`${resources}/messages_fr.yml`)
  })
})

describe('pages', async () => {
  const root = newFolder()
  afterAll(() => removeFolder(root))
  generate(root, scaffold)
  for (const language of translations) generate(root, `language ${language}`)
  linkSources(root)
  const { Bootstrap } = await import(pathToFileURL(join(root, 'src/main/bootstrap.ts')).href)
  const app = await testApp(Bootstrap, { root })
  const english = MessageCatalog.load(join(root, resources)).translations('en')

  /** Returns the patterns of the English texts that the language does not have. */
  function englishTexts(language: string): readonly RegExp[] {
    const own = MessageCatalog.load(join(root, resources)).translations(language)
    const ownTexts = own.keys().map((key) => own.find(key)!.text)
    const texts = english.keys().map((key) => english.find(key)!.text)
    return [...texts, ...Object.values(defaultMessages)]
      .filter((text) => !ownTexts.some((each) => each.includes(text)))
      .map((text) => text.replace(/\{.*\}/g, '\0'))
      .filter((text) => /[a-z]{2}/.test(text))
      .map(
        (text) =>
          new RegExp(
            `(?<![\\p{L}])${text.replace(/[.?*+^$()[\]{}|\\]/g, '\\$&').replaceAll('\0', '.*')}(?![\\p{L}])`,
            'u',
          ),
      )
  }

  async function visit(visitor: Visitor, language: string) {
    const headers = { 'accept-language': language }
    const get = (path: string) => visitor.get(path, { headers })
    await get('/zomali/new')
    const form = { naku: 'Miso', loru: 'kaso' }
    const pages = [
      await get('/'),
      await get('/zomali'),
      await get('/zomali/new'),
      await get('/lost'),
    ]
    pages.push(await visitor.post('/zomali', { form: { naku: '', loru: 'x', zodi: '1' }, headers }))
    const saved = await visitor.post('/zomali', { form, headers })
    const path = saved.location!
    pages.push(await get(path), await get(`${path}/edit`), await get('/zomali'))
    pages.push(await get('/zomali?q=xyz'), await get('/zomali?size=1'))
    const changed = await visitor.post(path, { form, headers })
    pages.push(await get(changed.location!))
    pages.push(
      await app
        .session()
        .post('/zomali', { form, headers: { ...headers, Origin: 'http://localhost' } }),
    )
    await visitor.post(path, { query: { _method: 'DELETE' }, form: {}, headers })
    pages.push(await get('/zomali'))
    return pages
  }

  test.each(translations)('in %s contain no English text', async (language) => {
    const pages = await visit(app.session(), language)
    expect(pages.map(({ status }) => status)).toEqual([
      200, 200, 200, 404, 400, 200, 200, 200, 200, 200, 200, 422, 200,
    ])
    for (const page of pages) {
      expect([page.attribute('html', 'lang'), page.attribute('html', 'dir')]).toEqual([
        language,
        language === 'ar' ? 'rtl' : 'ltr',
      ])
      const text = page.body.replace(/<style[^]*?<\/style>|<[^>]*>/g, ' ')
      const attributes = [...page.body.matchAll(/ (?:aria-label|alt|title|placeholder)="([^"]*)"/g)]
      const shown = [text, ...attributes.map(([, value]) => value)].join(' ')
      expect(englishTexts(language).filter((pattern) => pattern.test(shown))).toEqual([])
    }
  })

  test('in English are found by the patterns', async () => {
    const pages = await visit(app.session(), 'en')
    const shown = pages.map(({ body }) => body).join(' ')
    const found = englishTexts('ja').filter((pattern) => pattern.test(shown))
    expect(found.length).toBeGreaterThan(30)
  })
})
