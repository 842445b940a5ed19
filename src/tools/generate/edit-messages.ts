/** Adds sections of messages to `messages.yml` and its translations, and removes them. All other text stays unchanged. */
import { isMap, parseDocument, stringify } from 'yaml'
import type { Direction } from './project.ts'

/** Message texts by key; a nested key contains an object. */
export interface Messages {
  readonly [key: string]: string | Messages
}

/** Sections with their keys. */
export type Sections = readonly (readonly [key: string, messages: Messages])[]

const formatSection = (key: string, messages: Messages): string =>
  stringify({ [key]: messages }, { lineWidth: 0, singleQuote: true })

/** Appends the sections. If the key of one exists, adds only its missing texts. Invalid YAML stays unchanged. */
function addMessages(text: string, sections: Sections): string {
  const document = parseDocument(text)
  if (document.errors.length > 0) return text
  let isChanged = false
  const add = (path: readonly string[], value: string | Messages): void => {
    const known: unknown = document.getIn(path)
    if (known === undefined || known === null) {
      document.setIn(path, value)
      isChanged = true
    } else if (typeof value !== 'string' && isMap(known))
      for (const [name, inner] of Object.entries(value)) add([...path, name], inner)
  }
  const added = sections.filter(([key]) => !document.has(key))
  for (const [key, messages] of sections) if (document.has(key)) add([key], messages)
  const kept = isChanged ? document.toString({ lineWidth: 0 }) : text
  const separator = kept === '' || kept.endsWith('\n') || added.length === 0 ? '' : '\n'
  return kept + separator + added.map(([key, messages]) => formatSection(key, messages)).join('')
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
