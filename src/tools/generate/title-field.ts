/** The field whose value stands for a record on pages. */
import type { Field } from './field.ts'

const titleNames: ReadonlySet<string> = new Set(['name', 'title', 'label'])

/** The field that identifies a record for people; `undefined` if no text is required. */
export function findTitleField(fields: readonly Field[]): Field | undefined {
  const texts = fields.filter(
    ({ type, isOptional, references }) =>
      type.name === 'String' && type.input === 'text' && !isOptional && references === undefined,
  )
  return texts.find(({ name }) => titleNames.has(name.camel)) ?? texts[0]
}

/** A list sorts by the title of its records. */
export function indexTitle(fields: readonly Field[]): readonly Field[] {
  const title = findTitleField(fields)
  return fields.map((field) => (field === title ? { ...field, isIndexed: true } : field))
}
