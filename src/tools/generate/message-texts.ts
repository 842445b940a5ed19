/** The texts that generators write, in the languages of `templates/languages`. */
import { parse } from 'yaml'
import { canonicalLocale, localeChain } from '../../runtime/i18n.ts'
import { defaultMessages } from '../../runtime/validation.ts'
import { fillTemplate, listTemplates } from './fill-template.ts'

/** The languages in which the texts of applications and generators are available. */
export const applicationLanguages: readonly string[] = 'en ar de es fr it ja nl pt'.split(' ')

/** Returns the language of the texts for a locale, such as `pt` for `pt_BR`; `undefined` if there are none. */
export function findTextLanguage(locale: string): string | undefined {
  const canonical = canonicalLocale(locale)
  const chain = canonical === undefined ? [] : localeChain(canonical)
  return chain.find((one) => applicationLanguages.includes(one))
}

/** Texts by key. */
export type Texts = Readonly<Record<string, string>>

/** Texts in sections. */
export interface TextTree {
  readonly [key: string]: string | TextTree
}

/** Texts of a scaffold: those that all resources share, and those of one resource, with placeholders for its names. */
export interface ScaffoldTexts {
  readonly common: Texts
  readonly resource: { readonly flash: Texts; readonly view: Texts; readonly id: string }
}

/** The placeholders in the texts of a resource: its names as titles and as words of a sentence, and the title of its parent. */
export const resourceNames = ['title', 'titles', 'words', 'plural', 'parent'] as const

/** The names in the texts of a resource. */
export type TextNames = Readonly<Record<(typeof resourceNames)[number], string>>

const placeholders: Texts = Object.fromEntries(resourceNames.map((name) => [name, `{{${name}}}`]))
const scaffolds = new Map<string, ScaffoldTexts>()

/** Returns the texts of scaffolds in a language of `applicationLanguages`. */
export function readScaffoldTexts(language: string): ScaffoldTexts {
  const known = scaffolds.get(language)
  if (known !== undefined) return known
  // A placeholder is its own value, so that the file is parsed once for all resources.
  const file = fillTemplate(`scaffold/messages/${language}.yml`, placeholders)
  const texts = parse(file) as ScaffoldTexts
  scaffolds.set(language, texts)
  return texts
}

/** Whether a text contains a name of the resource, which stays untranslated. */
export const containsName = (text: string): boolean => text.includes('{{')

/** Replaces the placeholders of a text by the names of a resource. */
export const insertNames = (text: string, names: TextNames): string =>
  text.replace(/\{\{(\w+)\}\}/g, (_match, name: keyof TextNames) => names[name])

/** Returns the sections of a part of accounts, such as `authentication-totp`; none for a part without pages. */
export function readAccountTexts(
  templates: string,
  language: string,
): readonly (readonly [string, TextTree])[] {
  const file = `messages/${language}.yml`
  if (!listTemplates(templates).includes(file)) return []
  const texts = parse(fillTemplate(`${templates}/${file}`, {})) as Record<string, TextTree>
  return Object.entries(texts)
}

const accountParts = ['', '-totp', '-passkeys', '-api-token-pages']

/** Returns all texts in a language except those of resources and the name of the site. */
export function readAllTexts(language: string): TextTree {
  const file = fillTemplate(`languages/${language}.yml`, { titleText: "''" })
  const { site: _site, ...texts } = parse(file) as TextTree
  return {
    // The other languages have the texts of failed rules in their file.
    error: Object.fromEntries(Object.entries(defaultMessages).filter(([key]) => key !== 'schema')),
    ...texts,
    common: readScaffoldTexts(language).common,
    ...Object.fromEntries(
      accountParts.flatMap((part) => readAccountTexts(`authentication${part}`, language)),
    ),
  }
}
