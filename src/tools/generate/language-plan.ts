/** Plans the file of messages in another language: it has each key of the application. */
import { isScalar, parse, parseDocument, visit } from 'yaml'
import { canonicalLocale } from '../../runtime/i18n.ts'
import { toSnakeCase } from '../../runtime/params.ts'
import {
  editSections,
  isText,
  markUntranslated,
  untranslatedComment,
  type Messages,
  type MessageText,
} from './edit-messages.ts'
import { capitalize } from './format-code.ts'
import { listMessageFiles, messagesFolder } from './message-files.ts'
import {
  containsName,
  findTextLanguage,
  insertNames,
  readAllTexts,
  readScaffoldTexts,
  type TextNames,
  type TextTree,
} from './message-texts.ts'
import { invalidArguments, type Command, type Plan, type Project } from './project.ts'

/** Plans the file, or only the texts that an existing file lacks. @throws FwError `generate.arguments-invalid` */
export function languagePlan({ project, words, usage, direction }: Command): Plan {
  const [word, more] = words
  if (word === undefined || more !== undefined) throw invalidArguments(usage)
  const locale = canonicalLocale(word)
  if (locale === undefined) throw invalidArguments(`'${word}' is no language. ${usage}`)
  const [source, ...others] = listMessageFiles(project)
  if (locale === canonicalLocale(source!.language))
    throw invalidArguments(`${source!.path} already contains the texts in ${locale}.`)
  const file = others.find(({ language }) => canonicalLocale(language) === locale)
  const path = file?.path ?? `${messagesFolder}/messages_${locale.replaceAll('-', '_')}.yml`
  const messages = translate(readTexts(project, source!.path), source!.language, locale)
  const current = project.read(path)
  if (direction === 'remove') return planRemoval(path, messages, current)
  const text = editSections(current ?? '', Object.entries(messages), direction)
  return { files: [{ path, text, kind: 'edit' }], notes: noteUntranslated(path, text) }
}

/** Plans the removal of a file. It stays if a text in it was changed or added. */
function planRemoval(path: string, messages: Messages, current: string | undefined): Plan {
  if (current === undefined) return { files: [], notes: [] }
  const generated = editSections('', Object.entries(messages), 'add')
  const known = listTexts(generated)
  const isUnchanged = [...listTexts(current)].every(([key, text]) => known.get(key) === text)
  return { files: [{ path, text: isUnchanged ? current : generated }], notes: [] }
}

/** Returns the texts of a file with their comments, by key. */
function listTexts(yaml: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  visit(parseDocument(yaml), {
    Pair: (_key, { key, value }, path) => {
      if (!isScalar(value)) return
      const keys = [...path.map((node) => ('key' in node ? node.key : undefined)), key]
      const names = keys.filter(isScalar).map((name) => String(name.value))
      texts.set(names.join('.'), `${String(value.value)}#${value.comment ?? ''}`)
    },
  })
  return texts
}

function noteUntranslated(path: string, text: string): readonly string[] {
  const count = text.split(`#${untranslatedComment}\n`).length - 1
  return count === 0
    ? []
    : [`Translate the ${count} texts of ${path} with the comment #${untranslatedComment}.`]
}

/** Reads the texts of a file as strings; items of a list have numbers as keys. */
function readTexts(project: Project, path: string): TextTree {
  const toTree = (value: unknown): string | TextTree =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toTree(each)]))
      : String(value ?? '')
  const tree = toTree(parse(project.read(path) ?? '', { schema: 'failsafe', merge: true }))
  return typeof tree === 'string' ? {} : tree
}

/**
 * Returns the texts in a language. A text that generators wrote becomes theirs in this language. Any other text, such as a name,
 * stays in the default language, and is marked as untranslated.
 */
function translate(texts: TextTree, from: string, to: string): Messages {
  const target = findTextLanguage(to)
  if (target === undefined) return translateTree(texts, {}, undefined)
  const source = findTextLanguage(from)
  const known = readAllTexts(target)
  const original = source === undefined ? undefined : readAllTexts(source)
  const sections = Object.entries(texts).map(([key, value]) => [
    key,
    isResource(value)
      ? translateResource(key, value, { source, target })
      : translateText(value, known[key], original && (original[key] ?? {})),
  ])
  // Visitors must not read the messages of failed rules in the default language.
  const errors = texts['error'] === undefined ? { error: known['error'] } : {}
  return { ...(Object.fromEntries(sections) as Messages), ...(errors as Messages) }
}

/** Translates a text or a section. `original` contains the texts that generators write in the default language, if they have it. */
function translateText(
  value: string | TextTree,
  known: string | TextTree | undefined,
  original: string | TextTree | undefined,
): MessageText | Messages {
  if (typeof value === 'string') {
    const isOriginal = original === undefined || original === value
    return typeof known === 'string' && isOriginal ? known : markUntranslated(value)
  }
  return translateTree(
    value,
    typeof known === 'object' ? known : {},
    typeof original === 'string' ? {} : original,
  )
}

const translateTree = (
  texts: TextTree,
  known: TextTree,
  original: TextTree | undefined,
): Messages =>
  Object.fromEntries(
    Object.entries(texts)
      .filter(([, value]) => value !== '')
      .map(([key, value]) => [
        key,
        translateText(value, known[key], original && (original[key] ?? {})),
      ]),
  )

const isTree = (value: string | TextTree | undefined): value is TextTree =>
  typeof value === 'object'

/** Whether a section contains the texts of a resource, which have its names. */
const isResource = (value: string | TextTree): value is TextTree =>
  isTree(value) && (isTree(value['flash']) || isTree(value['view']))

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

/** Returns the names that the texts of a resource contain. A resource without views has only the name of its section. */
function readNames(key: string, { view }: TextTree): TextNames {
  const { list, detail, parent } = (isTree(view) ? view : {}) as Readonly<Record<string, string>>
  const title = detail ?? capitalize(toSnakeCase(key).replaceAll('_', ' '))
  const titles = list ?? title
  return {
    title,
    titles,
    words: lowerFirst(title),
    plural: lowerFirst(titles),
    parent: parent ?? '',
  }
}

/** Translates the texts of a resource, with the names that its texts in the default language have. */
function translateResource(
  key: string,
  texts: TextTree,
  { source, target }: { readonly source: string | undefined; readonly target: string },
): Messages {
  const names = readNames(key, texts)
  const known = readScaffoldTexts(target).resource as unknown as TextTree
  const original =
    source === undefined ? undefined : (readScaffoldTexts(source).resource as unknown as TextTree)
  const fill = (tree: TextTree): TextTree =>
    Object.fromEntries(
      Object.entries(tree).map(([key, value]) => [
        key,
        typeof value === 'string' ? insertNames(value, names) : fill(value),
      ]),
    )
  const translated = translateTree(
    texts,
    fill(known),
    original === undefined ? undefined : fill(original),
  )
  return markNames(translated, known)
}

/** Marks the texts whose templates contain a name. */
const markNames = (messages: Messages, templates: TextTree): Messages =>
  Object.fromEntries(
    Object.entries(messages).map(([key, value]) => {
      const template = templates[key]
      if (typeof value === 'string')
        return [
          key,
          typeof template === 'string' && containsName(template) ? markUntranslated(value) : value,
        ]
      return [
        key,
        isText(value) || typeof template !== 'object' ? value : markNames(value, template),
      ]
    }),
  )
