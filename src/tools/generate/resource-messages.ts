/** Generates the messages of a resource, and adds them to `messages.yml` or removes them from it. */
import { isMap, parseDocument, stringify } from 'yaml'
import { isAttachment } from './attachments.ts'
import { hasLimit } from './field.ts'
import type { Resource } from './generate-resource-controller.ts'
import type { Direction, GeneratedFile, Project } from './project.ts'
import { messageKey } from './resource-names.ts'

/** Message texts by key; a nested key contains an object. */
interface Messages {
  readonly [key: string]: string | Messages
}

const textsOfForms: ReadonlySet<string> = new Set(
  'new edit add change save cancel delete confirm really invalid optional limit remove actions'.split(
    ' ',
  ),
)

/** Returns the resource's messages: flash messages, texts of pages, and labels of fields. */
function resourceMessages({ names, fields, kind }: Resource): Messages {
  const { resources, resource } = names
  const isReadOnly = kind === 'reads'
  const { words, title } = resource.name
  const { parent, name: plural } = resources
  const flash = {
    created: `The ${words} was created.`,
    updated: `The ${words} was updated.`,
    deleted: `The ${words} was deleted.`,
  }
  const view = {
    list: plural.title,
    ...(parent === undefined ? {} : { parent: parent.resource.name.title }),
    detail: title,
    new: `New ${words}`,
    edit: `Edit ${words}`,
    add: `Add ${words}`,
    change: 'Edit',
    save: 'Save',
    cancel: 'Cancel',
    back: `All ${plural.words}`,
    delete: 'Delete',
    confirm: `This deletes the ${words} permanently.`,
    really: `Delete ${words}`,
    empty: `There are no ${plural.words} yet.`,
    invalid: 'Please correct the fields below.',
    optional: 'optional',
    ...(fields.some(hasLimit) ? { limit: 'at most {0} characters' } : {}),
    ...(fields.some((field) => isAttachment(field) && field.isOptional)
      ? { remove: 'Remove the file' }
      : {}),
    yes: 'yes',
    no: 'no',
    actions: 'Actions',
    path: 'Path to this page',
    pages: 'Pages',
    first: 'First page',
    previous: 'Previous page',
    next: 'Next page',
    last: 'Last page',
    count: `{0, plural, one {# ${words}} other {# ${plural.words}}}`,
    more: `more than {0, number} ${plural.words}`,
    size: 'Records on a page:',
    none: `No ${plural.words} match.`,
    search: 'Search',
    text: 'Text',
    all: `All ${plural.words}`,
  }
  const read = Object.entries(view).filter(([key]) => !textsOfForms.has(key))
  return {
    ...(isReadOnly ? {} : { flash }),
    view: isReadOnly ? Object.fromEntries(read) : view,
    id: 'ID',
    ...Object.fromEntries(
      fields.map(({ name, references, label }) => [
        name.camel,
        (label ?? references ?? name).title,
      ]),
    ),
  }
}

const messagesFile = 'src/main/resources/messages.yml'

/** Adds the sections of resources to `messages.yml`, or removes them. */
export function editMessages(
  project: Project,
  resources: readonly Resource[],
  direction: Direction,
): GeneratedFile {
  const sections = resources.map((resource): [string, Messages] => [
    messageKey(resource.names),
    resourceMessages(resource),
  ])
  const text = project.read(messagesFile) ?? ''
  const edited = direction === 'add' ? addMessages(text, sections) : removeMessages(text, sections)
  return { path: messagesFile, text: edited, kind: 'edit' }
}

type Sections = readonly (readonly [key: string, messages: Messages])[]

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
