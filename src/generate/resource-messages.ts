/** The texts of a resource. */
import type { Messages } from './edit-messages.ts'
import type { Field } from './field.ts'
import type { ResourceNames } from './resource-names.ts'

/** Labels by field, what happened, and what its pages say. */
export function resourceMessages(
  { resources, resource }: ResourceNames,
  fields: readonly Field[],
): Messages {
  const { words, title } = resource.name
  const many = resources.name
  const { parent } = resources
  return {
    flash: {
      created: `The ${words} was created.`,
      updated: `The ${words} was updated.`,
      deleted: `The ${words} was deleted.`,
    },
    view: {
      list: many.title,
      ...(parent === undefined ? {} : { parent: parent.resource.name.title }),
      detail: title,
      new: `New ${words}`,
      edit: `Edit ${words}`,
      add: `Add ${words}`,
      change: 'Edit',
      save: 'Save',
      cancel: 'Cancel',
      back: `All ${many.words}`,
      delete: 'Delete',
      confirm: `This takes the ${words} away for good.`,
      really: `Delete ${words}`,
      empty: `There are no ${many.words} yet.`,
      invalid: 'Please correct the fields below.',
      optional: 'optional',
      yes: 'yes',
      no: 'no',
      pages: 'Pages',
      previous: 'Previous page',
      next: 'Next page',
    },
    id: 'ID',
    ...Object.fromEntries(
      fields.map(({ name, references, label }) => [
        name.camel,
        (label ?? references ?? name).title,
      ]),
    ),
  }
}
