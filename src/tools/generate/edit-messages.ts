/** Adds sections of messages to `messages.yml` and its translations, and removes them. All other text stays unchanged. */
import {
  isMap,
  isScalar,
  parseDocument,
  Scalar,
  stringify,
  type Document,
  type Node,
  type YAMLMap,
} from 'yaml'
import type { Direction } from './project.ts'

/** A message text, or one with the comment of an untranslated text. */
export type MessageText = string | Scalar<string>

/** Message texts by key; a nested key contains an object. */
export interface Messages {
  readonly [key: string]: MessageText | Messages
}

/** The comment behind an untranslated text of a translation. `fw check` counts these texts. */
export const untranslatedComment = ' untranslated'

/** Marks a text as untranslated. */
export function markUntranslated(text: string): Scalar<string> {
  const marked = new Scalar(text)
  marked.comment = untranslatedComment
  return marked
}

export const isText = (value: MessageText | Messages): value is MessageText =>
  typeof value === 'string' || isScalar(value)

/** Sections and single texts with their keys. */
export type Sections = readonly (readonly [key: string, messages: Messages | MessageText])[]

const formatMessages = (messages: Messages): string =>
  stringify(messages, { lineWidth: 0, singleQuote: true })

const formatSection = (key: string, messages: Messages | MessageText): string =>
  formatMessages({ [key]: messages })

/** Lines to insert into a text at an offset. */
interface Insertion {
  readonly at: number
  readonly lines: string
}

/** Appends the sections. If the key of one exists, adds only its missing texts. Invalid YAML stays unchanged. */
function addMessages(text: string, sections: Sections): string {
  const document = parseDocument(text)
  if (document.errors.length > 0) return text
  const known = sections.filter(([key]) => document.has(key))
  const added = sections.filter(([key]) => !document.has(key))
  const kept = addTexts(text, document, known)
  const separator = kept === '' || kept.endsWith('\n') || added.length === 0 ? '' : '\n'
  return kept + separator + added.map(([key, messages]) => formatSection(key, messages)).join('')
}

/** Adds the missing texts of existing sections, each after the last text of its section. */
function addTexts(text: string, document: Document, sections: Sections): string {
  const insertions: Insertion[] = []
  // A section in braces, or without texts, has no line after which a text belongs, so the document is formatted again.
  let isFormatted = false
  const add = (path: readonly string[], parent: unknown, messages: Messages): void => {
    if (!isMap<unknown, Node>(parent)) return
    for (const [name, value] of Object.entries(messages)) {
      const known = parent.get(name, true)
      if (known !== undefined && !(isScalar(known) && known.value === null)) {
        if (!isText(value)) add([...path, name], known, value)
        continue
      }
      const insertion = known === undefined && insertAfter(text, parent, { [name]: value })
      if (insertion) insertions.push(insertion)
      else isFormatted = true
      document.setIn([...path, name], value)
    }
  }
  add([], document.contents, Object.fromEntries(sections))
  return isFormatted ? document.toString({ lineWidth: 0 }) : insertLines(text, insertions)
}

/** Inserts the messages after the last parsed line of a map; returns `undefined` if the map has no lines. */
function insertAfter(text: string, map: YAMLMap, messages: Messages): Insertion | undefined {
  const key = map.items.map((item) => item.key as Node).find(({ range }) => range)
  if (map.flow === true || !key?.range) return undefined
  const indent = ' '.repeat(key.range[0] - lineStart(text, key.range[0]))
  const lines = formatMessages(messages).replace(/^(?=.)/gm, indent)
  return { at: lineEnd(text, lastOffset(map)), lines }
}

/** Returns the offset after the last parsed value of a node, without the comments below it. */
function lastOffset(node: Node): number {
  const items = isMap<Node, Node | null>(node) && node.flow !== true ? node.items : []
  const last = items.findLast(({ key }) => key.range)
  return last === undefined ? node.range![1] : lastOffset(last.value ?? last.key)
}

const lineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1

/** Returns the offset after the line in which a value ends. The text of a block ends after its last line break. */
function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', Math.max(0, offset - 1))
  return end < 0 ? text.length : end + 1
}

function insertLines(text: string, insertions: readonly Insertion[]): string {
  let result = ''
  let end = 0
  for (const { at, lines } of insertions.toSorted((a, b) => a.at - b.at)) {
    result += text.slice(end, at)
    result += (result.endsWith('\n') ? '' : '\n') + lines
    end = at
  }
  return result + text.slice(end)
}

/** Removes the sections, except those that were changed. */
const removeMessages = (text: string, sections: Sections): string =>
  sections.reduce(
    (left, [key, messages]) => removeSection(left, formatSection(key, messages)),
    text,
  )

function removeSection(text: string, section: string): string {
  const start = `\n${text}`.indexOf(`\n${section}`)
  const end = start + section.length
  // A comment or an indented line after the section belongs to the section, so the section was changed.
  const isUnchanged = start >= 0 && /^[^\s#]?$/.test(text.slice(end, end + 1))
  return isUnchanged ? text.slice(0, start) + text.slice(end) : text
}

/** Adds the sections to the text of a file, or removes them. */
export const editSections = (text: string, sections: Sections, direction: Direction): string =>
  direction === 'add' ? addMessages(text, sections) : removeMessages(text, sections)

/** Removes texts of a section, except those that were changed; removes the section if it then has no lines. */
export function removeTexts(text: string, section: string, texts: Messages): string {
  const key = `${section}:\n`
  const start = `\n${text}`.indexOf(`\n${key}`)
  if (start < 0) return text
  const body = start + key.length
  const end = body + /^(?:[ \t]+.*\n?|\n)*/.exec(text.slice(body))![0].length
  const own = text.slice(body, end)
  const indent = /^[ \t]+/m.exec(own)?.[0] ?? ''
  const removed = new Set(
    formatMessages(texts)
      .replace(/^(?=.)/gm, indent)
      .split('\n')
      .slice(0, -1),
  )
  const lines = own.split('\n').filter((line) => !removed.has(line))
  const isEmpty = lines.every((line) => line === '')
  return text.slice(0, isEmpty ? start : body) + lines.join('\n') + text.slice(end)
}
