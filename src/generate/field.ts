/** Fields and relations, as the command line names them: `name:String:varchar(64)`, `age:Int?`, `company:references`. */
import { didYouMean, FwError } from '../base.ts'
import { fieldTypes, type FieldType } from './field-type.ts'
import { Name, nameInvalid } from './resource-names.ts'

/** A column that a form fills in. */
export interface Field {
  readonly name: Name
  readonly type: FieldType
  readonly isOptional: boolean
  /** In the migration, word for word. */
  readonly sql: string
  /** Of a `varchar(n)`. */
  readonly maxLength?: number
  /** The model that the column points to. */
  readonly references?: Name
  /** What it is called on pages, where that is neither its name nor what it points to. */
  readonly label?: Name
  /** Of a column that was there before the application; absent: in both forms. */
  readonly inForm?: 'create' | 'none'
  /** What the form of a new record begins with, as the column's default says. */
  readonly fallback?: string
  /** Code of a value that differs for each `made`, where no two rows may have the same. */
  readonly distinct?: string
  /** The object of routes whose page shows what the column points to. */
  readonly linksTo?: string
}

/** A relation between models, which has no column of its own. */
export interface Association {
  readonly name: Name
  readonly kind: 'belongsTo' | 'hasMany'
  readonly model: Name
}

/** What the words after the names of a resource say. */
export interface Attributes {
  readonly fields: readonly Field[]
  readonly associations: readonly Association[]
}

const own: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at', 'flash', 'view'])
const columnType = /^[a-z][a-z\d_ ]*(\(\d+( *, *\d+)?\))?(\[\])?$/i
const optionalType = /^(?:Option\[(.+)\]|([^?]+)\?)$/
const collection = /^Seq\[([A-Z]\w*)\]$/

function invalid(word: string, why: string): FwError {
  return new FwError('generate.field-invalid', `The field '${word}' cannot stand: ${why}.`)
}

function unknownType(word: string, type: string): FwError {
  const meant = didYouMean(type, fieldTypes.keys())
  const known = [...fieldTypes.keys()].join(', ')
  return invalid(
    word,
    `there is no type '${type}'${meant === undefined ? '' : ` (did you mean ${meant}?)`}. Types are ` +
      `${known}, each also Option[…] or with ?, and references`,
  )
}

/** Every word, or what is wrong with all of them. @throws FwError `generate.field-invalid` */
export function readAttributes(words: readonly string[]): Attributes {
  const problems: FwError[] = []
  const fields: Field[] = []
  const associations: Association[] = []
  for (const word of words) {
    try {
      const read = readAttribute(word)
      if ('kind' in read) associations.push(read)
      else if (fields.some(({ name }) => name.snake === read.name.snake))
        throw invalid(word, 'it is there twice')
      else fields.push(read)
    } catch (error) {
      if (!(error instanceof FwError)) throw error
      problems.push(error)
    }
  }
  if (problems.length === 0) return { fields, associations }
  const text = problems.map(({ message }) => message).join('\n')
  throw new FwError('generate.field-invalid', text)
}

function readAttribute(word: string): Field | Association {
  const [given = '', typeText = '', sql, ...more] = word.split(':')
  if (typeText === '' || more.length > 0) throw invalid(word, 'write it as name:Type')
  const name = new Name(given)
  if (own.has(name.snake)) throw nameInvalid(given, 'the resource has that name for itself')
  const optional = optionalType.exec(typeText)
  const inner = optional?.[1] ?? optional?.[2] ?? typeText
  const isOptional = optional !== null
  if (sql !== undefined && !columnType.test(sql))
    throw invalid(word, `'${sql}' is no column type such as varchar(64)`)
  if (inner === 'references') return reference(name, isOptional)
  const type = fieldTypes.get(inner)
  if (type !== undefined) return field(name, type, isOptional, sql)
  return association(word, name, typeText, inner)
}

function field(name: Name, type: FieldType, isOptional: boolean, sql = type.sql): Field {
  const size = /^varchar\((\d+)\)$/i.exec(sql)?.[1]
  const maxLength = type.name === 'String' && size !== undefined ? { maxLength: Number(size) } : {}
  return { name, type, isOptional, sql, ...maxLength }
}

function reference(name: Name, isOptional: boolean): Field {
  const type = fieldTypes.get('Long')!
  return { ...field(new Name(`${name.snake}_id`), type, isOptional), references: name }
}

/** `company:Option[Company]` belongs to, `members:Seq[Member]` has many. */
function association(word: string, name: Name, typeText: string, inner: string): Association {
  const many = collection.exec(typeText)?.[1]
  if (many !== undefined && !fieldTypes.has(many))
    return { name, kind: 'hasMany', model: new Name(many) }
  const isModel = typeText.startsWith('Option[') && /^[A-Z]\w*$/.test(inner)
  if (isModel && didYouMean(inner, fieldTypes.keys(), 1) === undefined)
    return { name, kind: 'belongsTo', model: new Name(inner) }
  throw unknownType(word, inner)
}
