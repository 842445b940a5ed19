/** Chooses the title field of a record, whose value identifies the record on pages. */
import type { Field } from './field.ts'

const titleNames: ReadonlySet<string> = new Set(['name', 'title', 'label'])

/** Returns the title field of a record; `undefined` if the record has no required text. */
export function findTitleField(fields: readonly Field[]): Field | undefined {
  const texts = fields.filter(
    ({ type, isOptional, references }) =>
      type.name === 'String' && type.input === 'text' && !isOptional && references === undefined,
  )
  return texts.find(({ name }) => titleNames.has(name.camel)) ?? texts[0]
}

/** Marks the title field as indexed, so that lists can sort by it. */
export function indexTitle(fields: readonly Field[]): readonly Field[] {
  const title = findTitleField(fields)
  return fields.map((field) => (field === title ? { ...field, isIndexed: true } : field))
}
