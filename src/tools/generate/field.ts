/** Fields and relations of a model, and their notation on the command line: `name:String`, `company:references?`. */
import { didYouMean, FwError } from '../../runtime/base.ts'
import { fieldTypes, findFieldType, type FieldType } from './field-type.ts'
import { invalidName, Name } from './resource-names.ts'

export interface Field {
  readonly name: Name
  readonly type: FieldType
  readonly isOptional: boolean
  /** The column type in the migration. */
  readonly sql: string
  /** The length of a `varchar(n)`. */
  readonly maxLength?: number
  /** The model that the column points to. */
  readonly references?: Name
  /** The label on pages, if it is neither the name nor the referenced model. */
  readonly label?: Name
  /** The forms that contain an existing column: only the form of a new record, or none. Absent: both forms. */
  readonly inForm?: 'create' | 'none'
  /** The default of an existing column, as text in the form of a new record. */
  readonly defaultText?: string
  /** An expression with a different value for each row of a factory, for a unique column. */
  readonly uniqueCode?: string
  /** Whether an index of the column exists, so that lists sort by it. */
  readonly isIndexed?: boolean
  /** The object of routes whose page shows the referenced record. */
  readonly linksTo?: string
}

/** A relation that adds no column. */
export interface Association {
  readonly name: Name
  readonly kind: 'belongsTo' | 'hasMany'
  readonly model: Name
}

export interface Attributes {
  readonly fields: readonly Field[]
  readonly associations: readonly Association[]
}

const reservedFields: ReadonlySet<string> = new Set(
  'id created_at updated_at flash view'.split(' '),
)
const columnType = /^[a-z][a-z\d_ ]*(\(\d+( *, *\d+)?\))?(\[\])?$/i
const optionalType = /^(?:Option\[(.+)\]|([^?]+)\?)$/
const collection = /^Seq\[([A-Z]\w*)\]$/

const invalidField = (word: string, reason: string): FwError =>
  new FwError('generate.field-invalid', `The field '${word}' is invalid: ${reason}.`)

function unknownType(word: string, type: string): FwError {
  const suggestion = didYouMean(type, fieldTypes.keys())
  const hint = suggestion === undefined ? '' : ` (did you mean ${suggestion}?)`
  const known = [...fieldTypes.keys()].join(', ')
  return invalidField(
    word,
    `there is no type '${type}'${hint}. The types are ${known}, each also as Option[…] or with ?, and references`,
  )
}

/** @throws FwError `generate.field-invalid` with the problems of all words */
export function parseAttributes(words: readonly string[]): Attributes {
  const problems: string[] = []
  const fields: Field[] = []
  const associations: Association[] = []
  for (const word of words) {
    try {
      const attribute = parseAttribute(word)
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

function parseAttribute(word: string): Field | Association {
  const [nameText = '', typeText = '', sql, ...rest] = word.split(':')
  if (typeText === '' || rest.length > 0) throw invalidField(word, 'write it as name:Type')
  const name = new Name(nameText)
  if (reservedFields.has(name.snake))
    throw invalidName(nameText, 'every resource already has a member of that name')
  const optional = optionalType.exec(typeText)
  const typeName = optional?.[1] ?? optional?.[2] ?? typeText
  const isOptional = optional !== null
  if (sql !== undefined && !columnType.test(sql))
    throw invalidField(word, `'${sql}' is not a column type such as varchar(64)`)
  if (typeName === 'references') {
    const column = new Name(`${name.snake}_id`)
    return { ...createField(column, fieldTypes.get('Long')!, isOptional), references: name }
  }
  const type = findFieldType(typeName)
  if (type !== undefined) return createField(name, type, isOptional, sql)
  return parseAssociation(word, name, typeText, typeName)
}

function createField(name: Name, type: FieldType, isOptional: boolean, sql = type.sql): Field {
  const length = type.name === 'String' ? /^varchar\((\d+)\)$/i.exec(sql)?.[1] : undefined
  const field = { name, type, isOptional, sql }
  return length === undefined ? field : { ...field, maxLength: Number(length) }
}

/** `company:Option[Company]` belongs to a company, `members:Seq[Member]` has many members. */
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
  if (isModel && didYouMean(typeName, fieldTypes.keys(), 1) === undefined)
    return { name, kind: 'belongsTo', model: new Name(typeName) }
  throw unknownType(word, typeName)
}
