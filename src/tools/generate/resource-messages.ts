/** Generates the messages of a resource, and adds them to `messages.yml` or removes them from it. */
import { editSections, type Messages } from './edit-messages.ts'
import type { Resource } from './generate-resource-controller.ts'
import type { Direction, GeneratedFile, Project } from './project.ts'
import { messageKey } from './resource-names.ts'

const textsOfForms: ReadonlySet<string> = new Set('new edit add confirm really'.split(' '))

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
    back: `All ${plural.words}`,
    confirm: `This deletes the ${words} permanently.`,
    really: `Delete ${words}`,
    empty: `There are no ${plural.words} yet.`,
    count: `{0, plural, one {# ${words}} other {# ${plural.words}}}`,
    more: `more than {0, number} ${plural.words}`,
    none: `No ${plural.words} match.`,
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
  return { path: messagesFile, text: editSections(text, sections, direction), kind: 'edit' }
}
