/** Generates the messages of a resource in each language of the application, and adds them to its files or removes them. */
import { parseDocument } from 'yaml'
import { editSections, markUntranslated, type Messages, type MessageText } from './edit-messages.ts'
import { enumLabels } from './enum-labels.ts'
import type { Resource } from './generate-resource-controller.ts'
import { chooseListFields } from './list-fields.ts'
import { listTextFiles, type TextFile } from './message-files.ts'
import {
  containsName,
  insertNames,
  readScaffoldTexts,
  type TextNames,
  type Texts,
} from './message-texts.ts'
import type { Direction, GeneratedFile, Project } from './project.ts'
import { messageKey, type ResourceNames } from './resource-names.ts'

const textsOfForms = ['new', 'edit', 'add', 'confirm', 'really']

function textNames({ resources, resource }: ResourceNames): TextNames {
  const { name, parent } = resources
  return {
    title: resource.name.title,
    titles: name.title,
    words: resource.name.words,
    plural: name.words,
    parent: parent?.resource.name.title ?? '',
  }
}

/** Returns the texts of pages that the views of the resource use. */
function viewTexts(
  { names, kind, key, fields }: Resource,
  view: Texts,
): readonly (readonly [string, string])[] {
  const { filter, search } = chooseListFields(fields)
  const unused = new Set([
    ...(kind === 'reads' ? textsOfForms : []),
    ...(names.resources.parent?.hasPages === true ? [] : ['parent']),
    ...(filter.length > 0 || search.length > 0 ? [] : ['all']),
    ...(key === undefined ? ['back'] : []),
  ])
  return Object.entries(view).filter(([name]) => !unused.has(name))
}

/**
 * Returns the resource's messages: flash messages, texts of pages, and labels of fields. A translation marks the texts that
 * contain a name of the application, because generators do not translate names.
 */
function resourceMessages(
  resource: Resource,
  { textLanguage, isDefault }: Omit<TextFile, 'path'>,
): Messages {
  const { names, fields, kind, hasViews } = resource
  const { flash, view, id } = readScaffoldTexts(textLanguage).resource
  const own = textNames(names)
  const mark = (text: string): MessageText => (isDefault ? text : markUntranslated(text))
  const fill = (texts: readonly (readonly [string, string])[]): Messages =>
    Object.fromEntries(
      texts.map(([key, text]) => {
        const filled = insertNames(text, own)
        return [key, containsName(text) ? mark(filled) : filled]
      }),
    )
  const titles = fields.map(({ name, references, label }) => [
    name.camel,
    mark((label ?? references ?? name).title),
  ])
  const labels = enumLabels(fields).map(([field, texts]) => [
    field,
    Object.fromEntries(Object.entries(texts).map(([value, text]) => [value, mark(text)])),
  ])
  return {
    ...(kind === 'reads' ? {} : { flash: fill(Object.entries(flash)) }),
    ...(hasViews ? { view: fill(viewTexts(resource, view)) } : {}),
    id,
    ...(labels.length === 0 ? {} : { enum: Object.fromEntries(labels) as Messages }),
    ...(Object.fromEntries(titles) as Messages),
  }
}

/** Adds the sections of resources to the files of messages, or removes them. */
export const editMessages = (
  project: Project,
  resources: readonly Resource[],
  direction: Direction,
): readonly GeneratedFile[] =>
  listTextFiles(project).map((file) => {
    const sections = resources.map((resource): [string, Messages] => [
      messageKey(resource.names),
      resourceMessages(resource, file),
    ])
    const text = editSections(project.read(file.path) ?? '', sections, direction)
    return { path: file.path, text, kind: 'edit' }
  })

/** The languages of the pages that generated tests read, and the texts that all resources share in a browser. */
export interface TestedTexts {
  /** The default language, which clients without a browser see. */
  readonly language: string
  /** The language that a browser with English pages sees. */
  readonly browserLanguage: string
  readonly browserTexts: Texts
}

/** Reads the languages of tests, and the shared texts: those of the application, else those of the generator. */
export function readTestedTexts(project: Project): TestedTexts {
  const files = listTextFiles(project)
  const page = files.find(({ isDefault }) => isDefault)!
  const browser = files.find(({ textLanguage }) => textLanguage === 'en') ?? page
  const document = parseDocument(project.read(browser.path) ?? '')
  const texts = Object.entries(readScaffoldTexts(browser.textLanguage).common)
  const browserTexts = texts.map(([key, text]) => {
    const own: unknown = document.getIn(['common', key])
    return [key, typeof own === 'string' ? own : text]
  })
  return {
    language: page.textLanguage,
    browserLanguage: browser.textLanguage,
    browserTexts: Object.fromEntries(browserTexts) as Texts,
  }
}

/** Returns the flash messages and the texts of the pages of a resource in a language. */
export function resourceTexts(names: ResourceNames, language: string) {
  const { flash, view } = readScaffoldTexts(language).resource
  const own = textNames(names)
  const fill = (texts: Texts): Texts =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, insertNames(text, own)]))
  return { flash: fill(flash), view: fill(view) }
}
