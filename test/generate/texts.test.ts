/** The texts that generators write: each language has all of them, and each is a valid message with the same placeholders. */
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse } from 'yaml'
import { describe, expect, test } from 'vitest'
import { Message } from '../../src/runtime/i18n/message.ts'
import { defaultMessages } from '../../src/runtime/validation/messages.ts'
import { commandGroups } from '../../src/tools/cli/commands.ts'
import { applicationLanguages } from '../../src/tools/generate.ts'

const templates = resolve(import.meta.dirname, '../../templates')
const folders = globSync('*/messages', { cwd: templates }).toSorted()
const translations = applicationLanguages.filter((language) => language !== 'en')

type Tree = { readonly [key: string]: string | Tree }

const flatten = (tree: Tree, prefix = ''): [string, string][] =>
  Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string'
      ? [[prefix + key, value] as [string, string]]
      : flatten(value, `${prefix}${key}.`),
  )

/** Reads the texts of a file, with `X` in place of the names that a generator inserts. */
function readTexts(folder: string, language: string): ReadonlyMap<string, string> {
  const file = readFileSync(join(templates, folder, `${language}.yml.tpl`), 'utf8')
  return new Map(flatten(parse(file.replace(/\{\{\w+\}\}/g, 'X')) as Tree))
}

/** Reads the English texts. Those of failed rules are a part of Fw. */
function readEnglish(folder: string): ReadonlyMap<string, string> {
  const texts = readTexts(folder, 'en')
  if (folder !== 'languages') return texts
  // The message of a schema is the text of the schema.
  const errors = Object.entries(defaultMessages).filter(([key]) => key !== 'schema')
  return new Map([...texts, ...errors.map(([key, text]) => [`error.${key}`, text] as const)])
}

const placeholders = (text: string, language: string): readonly string[] =>
  [...(new Message(text, language).arguments?.keys() ?? [])].toSorted()

/** Returns the branches of the plurals in a text. */
const pluralBranches = (text: string): readonly (readonly string[])[] =>
  [...text.matchAll(/\{\d+, plural,((?: \w+ \{[^{}]*\})+)\}/g)].map(([, branches]) =>
    [...branches!.matchAll(/ (\w+) \{/g)].map(([, name]) => name!),
  )

test('there are texts in nine languages, for all parts of an application', () => {
  expect(translations.length).toBeGreaterThanOrEqual(8)
  expect(folders).toHaveLength(5)
  for (const folder of [...folders, 'languages']) {
    const files = globSync('*.yml.tpl', { cwd: join(templates, folder) })
    expect(files.map((file) => file.split('.')[0]!).toSorted()).toEqual(
      applicationLanguages.toSorted(),
    )
  }
})

test('the help of fw new names all languages', () => {
  const options = commandGroups.flatMap(([, commands]) =>
    commands.flatMap((command) => command.options ?? []),
  )
  const description = options.find(([term]) => term === '--language <code>')![1]
  expect(description.match(/\b[a-z]{2}\b(?=,| or|$)/g)).toEqual(applicationLanguages)
})

describe.each([...folders, 'languages'])('the texts of %s', (folder) => {
  const english = readEnglish(folder)

  test.each(translations)(
    'are complete in %s, with the placeholders of the English ones',
    (language) => {
      const texts = readTexts(folder, language)
      expect([...texts.keys()].toSorted()).toEqual([...english.keys()].toSorted())
      for (const [key, text] of texts) {
        expect([key, new Message(text, language).fault()]).toEqual([key, undefined])
        expect([key, placeholders(text, language)]).toEqual([
          key,
          placeholders(english.get(key)!, 'en'),
        ])
      }
    },
  )

  test.each(applicationLanguages)('have all plural forms of %s', (language) => {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
    for (const [key, text] of readTexts(folder, language)) {
      expect([key, text.includes('plural')]).toEqual([key, pluralBranches(text).length > 0])
      for (const branches of pluralBranches(text))
        expect([key, branches.toSorted()]).toEqual([key, pluralCategories.toSorted()])
    }
  })

  test.each(translations)(
    'are translated to %s, except for words that both languages have',
    (language) => {
      const same = [...readTexts(folder, language)].filter(
        ([key, text]) => text === english.get(key) && text.includes(' '),
      )
      expect(same).toEqual([])
    },
  )
})
