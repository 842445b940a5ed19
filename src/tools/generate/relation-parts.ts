/** Generates the code by which a resource displays and edits references, with the title of the referenced record. */
import { isAttachment } from './attachments.ts'
import type { Field } from './field.ts'
import {
  formatCall,
  formatImport,
  formatObject,
  importModel,
  type Importable,
} from './format-code.ts'
import type { OwnerScope } from './owner-scope.ts'
import type { Name, QualifiedName } from './resource-names.ts'
import { relationName } from './table-fields.ts'

/** A field that references a record whose model has a title. */
export type TitledField = Field & Required<Pick<Field, 'references' | 'target'>>

export const isTitled = (field: Field): field is TitledField =>
  field.references !== undefined && field.target !== undefined

/** Whether pages display the referenced record instead of its key. */
const isIncluded = (field: Field): field is Field & Required<Pick<Field, 'references'>> =>
  isTitled(field) || isAttachment(field)

/** Returns the member of a record that contains the referenced record, such as `company`. */
export const memberName = ({ name }: Field): string => relationName(name.camel).camel

/** Returns the name of the view's value with the records of a select, such as `companyOptions`. */
export const optionsName = (model: Name): string => `${model.camel}Options`

/** Returns one field for each referenced model with a title. */
export const titledModels = (fields: readonly Field[]): readonly TitledField[] => [
  ...new Map(fields.filter(isTitled).map((field) => [field.references.file, field])).values(),
]

/** Returns the type of a record with its relations: `Member & { readonly company?: Company | undefined }`. */
export function recordType(model: QualifiedName, fields: readonly Field[]): string {
  const members = fields
    .filter(isIncluded)
    .map((field) => `readonly ${memberName(field)}?: ${field.references.pascal} | undefined`)
  const { pascal } = model.name
  return members.length === 0 ? pascal : `(${pascal} & { ${members.join('; ')} })`
}

/** Whether the field's select has a search. Of fields of one model only the first has it, as they share their options. */
export const isSearched = (field: TitledField, fields: readonly Field[]): boolean =>
  fields.find((each) => isTitled(each) && each.references.file === field.references.file) === field

/** Returns the import of a model's type in a view. */
export const importType = ({ pascal, file }: Importable): string =>
  `<%@import type { ${pascal} } from '#model/${file}' %>`

/** Returns the imports of the referenced models in a view, except the resource's own model. */
export const typeImports = (model: QualifiedName, fields: readonly Field[]): string => {
  const others = fields
    .filter(isIncluded)
    .filter(({ references }) => references.file !== model.file)
  return [...new Set(others.map(({ references }) => importType(references)))].join('\n')
}

/** Returns the declarations of the options of selects in a view. */
export const optionValues = (fields: readonly Field[]): string =>
  titledModels(fields)
    .map(
      ({ references }) => `<%@val ${optionsName(references)}: readonly ${references.pascal}[] %>`,
    )
    .join('\n')

/** Returns the imports, the option `include` and the methods that a resource's controller needs for its relations. */
export function relationParts(
  model: QualifiedName,
  fields: readonly Field[],
  scope: OwnerScope | undefined,
) {
  const titled = fields.filter(isTitled)
  const included = fields.filter(isIncluded)
  if (included.length === 0) return { imports: [], option: '', methods: [] }
  const constant = (field: Field): string =>
    `${model.name.camel}${relationName(field.name.camel).pascal}`
  const entries = included.map((field) => `${memberName(field)}: ${constant(field)}`)
  const sets = titledModels(fields).map(({ references, target }) => {
    const names = titled
      .filter((field) => field.references.file === references.file)
      .map(({ name }) => `'${name.camel}'`)
    const isOwned = titled.some((each) => each.references.file === references.file && each.isOwned)
    const offered =
      references.pascal + (isOwned ? `.scoped(this.currentUser.${scope?.userField})` : '')
    const args = [offered, `'${target.title}'`, ...names]
    const value = formatCall('await this.findOptions', args, 7)
    const call = formatCall('this.set', [`'${optionsName(references)}'`, value], 4)
    return `    ${call.replaceAll('\n', '\n    ')}`
  })
  return {
    imports: [
      formatImport(included.map(constant), `#model/${model.file}-relations`),
      ...titledModels(fields)
        .filter(({ references }) => references.file !== model.file)
        .map(({ references }) => importModel(references)),
    ],
    option: `include: ${formatObject(entries, 'include: '.length)},`,
    methods:
      sets.length === 0
        ? []
        : [
            `  override async preparePage(view: string) {\n    if (view === 'show') return\n${sets.join('\n')}\n  }`,
          ],
  }
}
