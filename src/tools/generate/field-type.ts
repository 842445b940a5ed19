/** The field types of the generators, each with its column type, form input, validation rules and sample values. */
import { definedMembers } from '../../runtime/base.ts'
import { type FieldFacet, type TypeDefinition, typeDefinitions } from '../../runtime/params.ts'
import { literal } from '../dev.ts'
import { quote } from './format-code.ts'

export interface FieldType {
  /** The name in the type's definition: a name in `ParamType`, `Json`, or the name that the application gave its own type. */
  readonly name: string
  /** The facet of the type's definition. */
  readonly facet: FieldFacet
  /** The constant and the import path of a type that the application defines. */
  readonly own?: { readonly name: string; readonly path: string }
  /** The SQL type of the column, which the field can override. */
  readonly sql: string
  /** Whether the column contains text, which lists can search and whose length a rule limits. */
  readonly isText: boolean
  /** Whether lists can sort by the column, and the column can be unique. */
  readonly isSortable: boolean
  /** The type's expression in `permit`; default `ParamType.<name>`. */
  readonly code?: string
  readonly input:
    | 'text'
    | 'email'
    | 'textarea'
    | 'select'
    | 'list'
    | 'date'
    | 'time'
    | 'datetime'
    | 'checkbox'
    | 'url'
    | 'attachment'
  /** The options of the select input. */
  readonly options?: readonly string[]
  readonly inputmode?: 'numeric' | 'decimal'
  /** The validation rules as code; `fwjs` exports each rule. */
  readonly rules: readonly string[]
  /** The method of `Params` that converts the form's inputs to the field's value. */
  readonly paramsMethod?: 'withDate' | 'withTime' | 'withDateTime' | 'withLines'
  /** A valid value, as text. */
  readonly sample: string
  /** The value of `sample` as a TypeScript expression. */
  readonly sampleCode: string
  /** A text that the rules reject; `undefined` if they accept any text. */
  readonly invalidSample?: string
}

/** Formats the value of a text as a TypeScript expression. */
function formatValue({ name, facet }: Pick<FieldType, 'name' | 'facet'>, text: string): string {
  if (facet.isLiteral === true) return text
  if (name === 'Json' && text !== '') return literal(JSON.parse(text)) ?? quote(text)
  return facet.code?.(text, quote(text)) ?? quote(text)
}

export const withSample = (type: FieldType, sample: string): FieldType => ({
  ...type,
  sample,
  sampleCode: formatValue(type, sample),
})

/** Returns the field type of a definition in `ParamType`; `undefined` for a type that generators do not use. */
export function toFieldType({ name, sql, field }: TypeDefinition<never>): FieldType | undefined {
  if (sql === undefined || field === undefined) return undefined
  const { input = 'text', inputmode, rules = [], paramsMethod, samples, invalidSample } = field
  const sample = samples[0]!
  return {
    name,
    facet: field,
    sql: sql.type,
    isText: sql.isText === true,
    isSortable: sql.isSortable !== false,
    input,
    rules,
    sample,
    sampleCode: formatValue({ name, facet: field }, sample),
    ...definedMembers({ inputmode, paramsMethod, invalidSample }),
  }
}

/** The field types by the name of their type in `ParamType`, or `Json`. */
export const fieldTypes: ReadonlyMap<string, FieldType> = new Map(
  typeDefinitions
    .map(toFieldType)
    .filter((type) => type !== undefined)
    .map((type) => [type.name, type]),
)

const text = fieldTypes.get('String')!
const decimal = fieldTypes.get('BigDecimal')!

/** The type of the column that contains an attachment's key. */
export const attachmentType: FieldType = {
  ...fieldTypes.get('Uuid')!,
  input: 'attachment',
  sample: '',
}

/** The other types by name, in lower case. */
const variants: ReadonlyMap<string, FieldType> = new Map([
  ['jsonb', fieldTypes.get('Json')!],
  ['decimal', decimal],
  ['text', { ...text, sql: 'text' }],
  [
    'url',
    {
      ...withSample(text, 'https://example.com/a?b=c'),
      sql: 'varchar(2048)',
      input: 'url',
      rules: ['url'],
      invalidSample: 'javascript:x',
    },
  ],
  ['attachment', attachmentType],
])

export const typeNames: readonly string[] = [...fieldTypes.keys(), 'enum', ...variants.keys()]

/** Finds a field type by name, ignoring letter case: `localdate` finds `LocalDate`. */
export function findType(name: string): FieldType | undefined {
  const lower = name.toLowerCase()
  const types = [...fieldTypes.values()]
  return types.find((type) => type.name.toLowerCase() === lower) ?? variants.get(lower)
}

/** Whether a column contains one of the options. */
export const isEnum = (type: FieldType): type is FieldType & Required<Pick<FieldType, 'options'>> =>
  type.options !== undefined && type.input === 'select'

/** Creates the type of one of the labels. */
export const enumType = (labels: readonly string[]): FieldType => ({
  ...withSample(text, labels[0] ?? ''),
  sql: `varchar(${Math.max(...labels.map((label) => label.length))})`,
  input: 'select',
  options: labels,
  rules: [`oneOf(${labels.map(quote).join(', ')})`],
})

/** Creates a type such as `numeric(10, 2)`, whose rule accepts only values that the column stores without rounding. */
export function decimalType(digits: number, decimals: number): FieldType {
  const sample =
    digits === decimals ? `0.${'5'.padEnd(decimals, '0')}` : decimals === 0 ? '7' : '7.5'
  return {
    ...withSample(decimal, sample),
    sql: `numeric(${digits}, ${decimals})`,
    rules: [numericRule(digits, decimals)],
  }
}

export const numericRule = (digits: number, decimals: number): string =>
  `numeric(${digits}${decimals === 0 ? '' : `, ${decimals}`})`

/** Creates the type of an array, whose input contains one item per line. */
export function arrayType(item: FieldType): FieldType {
  const { invalidSample: _invalid, options: _options, inputmode: _mode, ...rest } = item
  return {
    ...rest,
    code: `ParamType.array(ParamType.${item.name})`,
    sql: `${item.sql}[]`,
    input: 'list',
    isSortable: false,
    rules: [],
    paramsMethod: 'withLines',
    sampleCode: `[${item.sampleCode}]`,
  }
}
