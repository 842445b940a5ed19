/** Fields and relations of a model, parsed from the command line: `name:String`, `company:references?`. */
import { didYouMean, FwError } from '../../runtime/base.ts'
import { uniqueValueCode } from './existing-column.ts'
import {
  arrayType,
  attachmentType,
  decimalType,
  enumType,
  fieldTypes,
  findType,
  typeNames,
  type FieldType,
} from './field-type.ts'
import { findOwnType } from './own-type.ts'
import type { Project } from './project.ts'
import { modelName, Name, parseName, reservedFieldNames } from './resource-names.ts'

export interface Field {
  readonly name: Name
  readonly type: FieldType
  readonly isOptional: boolean
  /** The column's SQL type in the migration. */
  readonly sql: string
  /** The maximum length, from `varchar(n)`. */
  readonly maxLength?: number | undefined
  /** The model that the column references. */
  readonly references?: Name
  /** The title and key fields of the referenced model, for links and selects; `undefined` if the model has no title. */
  readonly target?: { readonly title: string; readonly key: string }
  /** Whether the column is unique. */
  readonly isUnique?: boolean
  /** The label on pages; by default the name of the referenced model or of the field. */
  readonly label?: Name | undefined
  /**
   * The forms that have an input for an existing column: with `create`, only the form of a new record; with `none`, no form. By
   * default, the forms of new and existing records have it.
   */
  readonly inForm?: 'create' | 'none' | undefined
  /** The default of an existing column, as the text that the form of a new record shows. */
  readonly defaultText?: string | undefined
  /** The TypeScript expression of a unique column's value in a factory; its value differs for each row. */
  readonly uniqueCode?: string | undefined
  /** Whether the database accepts only some texts of an existing column, because of a check or a foreign key. */
  readonly isRestricted?: boolean
  /** Whether the referenced record has the same owner as the record. */
  readonly isOwned?: boolean
  /** Whether the column has an index, so that lists can sort by it. */
  readonly isIndexed?: boolean
  /** The name of the controller object whose show page displays the referenced record. */
  readonly linksTo?: string | undefined
}

/** Whether the user chose the maximum length. Forms show such a limit. */
export const hasLimit = ({ type, maxLength }: Field): boolean =>
  maxLength !== undefined && `varchar(${maxLength})` !== type.sql

const titleNames: ReadonlySet<string> = new Set(['name', 'title', 'label'])

/** Returns the field whose value identifies a record on pages; `undefined` if the record has no required text. */
export function findTitleField(fields: readonly Field[]): Field | undefined {
  const texts = fields.filter(
    ({ type, isOptional, references }) =>
      type.name === 'String' && type.input === 'text' && !isOptional && references === undefined,
  )
  return texts.find(({ name }) => titleNames.has(name.camel)) ?? texts[0]
}

/** A relation that adds no column to the model's table. */
export interface Association {
  readonly name: Name
  readonly kind: 'belongsTo' | 'hasMany'
  readonly model: Name
}

export interface Attributes {
  readonly fields: readonly Field[]
  readonly associations: readonly Association[]
}

const reservedFields = ['id', 'created_at', 'updated_at', ...reservedFieldNames]
const columnType = /^[a-z][a-z\d_ ]*(\(\d+( *, *\d+)?\))?(\[\])?$/i
const optionalType = /^(?:Option\[(.+)\]|([^?]+)\?)$/
const arrayItems = ['String', 'Short', 'Int', 'Long', 'Uuid', 'LocalDate']
const collection = /^Seq\[([A-Z]\w*)\]$/

export const invalidField = (word: string, reason: string): FwError =>
  new FwError('generate.field-invalid', `The field '${word}' is invalid: ${reason}.`)

/** The types of other frameworks and of SQL. */
const foreignTypes: ReadonlyMap<string, string> = new Map([
  ['bigint', 'Long'],
  ['bool', 'Boolean'],
  ['char', 'String'],
  ['date', 'LocalDate'],
  ['file', 'attachment'],
  ['image', 'attachment'],
  ['integer', 'Int'],
  ['money', 'BigDecimal'],
  ['number', 'Int or BigDecimal'],
  ['numeric', 'BigDecimal'],
  ['time', 'LocalTime'],
  ['timestamp', 'DateTime'],
  ['timestamptz', 'DateTime'],
  ['varchar', 'String'],
])

function unknownType(word: string, type: string): FwError {
  const suggestion = foreignTypes.get(type.toLowerCase()) ?? didYouMean(type, typeNames)
  const hint =
    suggestion === undefined
      ? `. The types are ${typeNames.join(', ')} and references; for an optional field, write ? after the type`
      : ` (did you mean ${suggestion}?)`
  return invalidField(word, `there is no type '${type}'${hint}`)
}

/** Parses the fields and relations of the command line. @throws FwError `generate.field-invalid` with all problems */
export function parseAttributes(words: readonly string[], project?: Project): Attributes {
  const problems: string[] = []
  const fields: Field[] = []
  const associations: Association[] = []
  for (const word of words) {
    try {
      const attribute = parseAttribute(word, project)
      if ('kind' in attribute) associations.push(attribute)
      else if (fields.some(({ name }) => name.snake === attribute.name.snake))
        throw invalidField(word, 'its name occurs twice')
      else fields.push(attribute)
    } catch (error) {
      if (!(error instanceof FwError)) throw error
      problems.push(error.message)
    }
  }
  if (problems.length === 0) return { fields, associations }
  throw new FwError('generate.field-invalid', problems.join('\n'))
}

interface Notation {
  readonly word: string
  readonly name: Name
  readonly isOptional: boolean
  /** The part after the type: `varchar(64)`, the labels of an enum, or the model of a reference. */
  readonly detail: string | undefined
}

function parseAttribute(word: string, project: Project | undefined): Field | Association {
  const [nameText = '', typeText = '', ...rest] = word.split(':')
  if (typeText === '') throw invalidField(word, 'write it as name:Type')
  const name = new Name(nameText)
  if (reservedFields.includes(name.snake))
    throw new FwError(
      'generate.name-invalid',
      `The field '${word}' has a reserved name. The reserved names are ${reservedFields.join(', ')}; choose another name.`,
    )
  const optional = optionalType.exec(typeText)
  const typeName = optional?.[1] ?? optional?.[2] ?? typeText
  const details = rest.filter((part) => part !== 'unique' && part !== 'index')
  if (details.length > 1) throw invalidField(word, 'write it as name:Type')
  const notation = { word, name, isOptional: optional !== null, detail: details[0] }
  const field = parseField(notation, typeName, project)
  if (field === undefined) return parseAssociation(word, name, typeText, typeName)
  return addIndexes(word, field, rest)
}

function addIndexes(word: string, field: Field, modifiers: readonly string[]): Field {
  const isUnique = modifiers.includes('unique')
  const isIndexed = modifiers.includes('index')
  if (!isUnique && !isIndexed) return field
  const { type, maxLength, references } = field
  if (!type.isSortable) throw invalidField(word, 'a list, JSON or bytes cannot have an index')
  if (!isUnique) return { ...field, isIndexed }
  // A unique reference needs no unique value: each row of a factory creates the row that it references.
  if (references !== undefined) return { ...field, isUnique, isIndexed }
  const source = { type: type.name, maxLength, values: type.options, isArray: false }
  const uniqueCode = uniqueValueCode(source, type.sample)
  if (uniqueCode !== undefined) return { ...field, isUnique, isIndexed, uniqueCode }
  const kind = type.options === undefined ? type.name : 'enum'
  throw invalidField(word, `${kind} has too few values to be unique`)
}

const labelPattern = /^[A-Za-z\d][\w. -]*$/

/** Parses a field; returns `undefined` if its type is not a field type. */
function parseField(
  notation: Notation,
  typeName: string,
  project: Project | undefined,
): Field | undefined {
  const { word, name, isOptional, detail } = notation
  const array = /^(.+)\[\]$/.exec(typeName)?.[1]
  if (array !== undefined) return parseArray(notation, array)
  if (typeName === 'references') {
    const column = new Name(`${name.snake}_id`)
    const references = detail === undefined ? name : modelName(parseName(detail))
    return { ...createField(column, fieldTypes.get('Long')!, isOptional), references }
  }
  if (typeName === 'enum') return parseEnum(notation)
  const type = findType(typeName) ?? (project && findOwnType(project, typeName))
  if (type === undefined) return undefined
  if (type === attachmentType) {
    if (detail !== undefined) throw invalidField(word, 'an attachment has no column type')
    const field = createField(new Name(`${name.snake}_id`), type, isOptional)
    // The attachment belongs to only one row, so that deleting the row can delete the attachment.
    return { ...field, references: new Name('attachment'), label: name, isUnique: true }
  }
  const column = /^(?:numeric|decimal)\((.*)\)$/i.exec(detail ?? '')
  const digits = /^(\d{1,3})(?:, ?(\d{1,3}))?$/.exec(column?.[1] ?? detail ?? '')
  if (type.name === 'BigDecimal' && digits !== null) {
    const [precision, scale] = [Number(digits[1]), Number(digits[2] ?? 0)]
    if (precision < 1 || scale > precision)
      throw invalidField(
        word,
        `'${detail}' are not the digits of a number and those after its point`,
      )
    return createField(name, decimalType(precision, scale), isOptional, column?.[0])
  }
  if (detail?.endsWith('?') === true)
    throw invalidField(
      word,
      `the question mark belongs behind the type: ${name.camel}:${typeName}?:${detail.slice(0, -1)}`,
    )
  if (detail !== undefined && !columnType.test(detail))
    throw invalidField(word, `'${detail}' is not a column type such as varchar(64)`)
  return createField(name, type, isOptional, detail)
}

function parseArray({ word, name, isOptional, detail }: Notation, itemName: string): Field {
  const item = findType(itemName)
  if (item === undefined) throw unknownType(word, itemName)
  if (isOptional) throw invalidField(word, 'a list may be empty, so it is never optional')
  if (detail !== undefined || !arrayItems.includes(item.name))
    throw invalidField(word, `an array is one of ${arrayItems.join('[], ')}[]`)
  return createField(name, arrayType(item), false)
}

function parseEnum({ word, name, isOptional, detail = '' }: Notation): Field {
  const labels = detail.split(',').map((label) => label.trim())
  if (labels.length < 2 || labels.includes(''))
    throw invalidField(word, 'write an enum as status:enum:draft,published')
  const refused = labels.find((label) => !labelPattern.test(label))
  if (refused !== undefined)
    throw invalidField(
      word,
      `write an enum as status:enum:draft,published. '${refused}' is not a value: a value has only the letters a to z, digits, spaces, _, . and -, and starts with a letter or a digit. For another text on pages, edit its label in messages.yml`,
    )
  const type = enumType([...new Set(labels)])
  return { name, type, isOptional, sql: type.sql }
}

function createField(name: Name, type: FieldType, isOptional: boolean, sql = type.sql): Field {
  const length = type.isText ? /^varchar\((\d+)\)$/i.exec(sql)?.[1] : undefined
  return {
    name,
    type,
    isOptional,
    sql,
    maxLength: length === undefined ? undefined : Number(length),
  }
}

/** Parses a relation: `company:Option[Company]` belongs to a company, `members:Seq[Member]` has many members. */
function parseAssociation(
  word: string,
  name: Name,
  typeText: string,
  typeName: string,
): Association {
  const many = collection.exec(typeText)?.[1]
  if (many !== undefined && !fieldTypes.has(many))
    return { name, kind: 'hasMany', model: new Name(many) }
  const isModel = typeText.startsWith('Option[') && /^[A-Z]\w*$/.test(typeName)
  if (isModel && didYouMean(typeName, typeNames, 1) === undefined)
    return { name, kind: 'belongsTo', model: new Name(typeName) }
  throw unknownType(word, typeName)
}
