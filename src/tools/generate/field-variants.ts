/** Field types derived from the basic types: enums, decimals with a precision, arrays, JSON, email addresses. */
import { fieldTypes, findFieldType, type FieldType } from './field-type.ts'
import { quote } from './format-code.ts'

const text = fieldTypes.get('String')!
const decimal = fieldTypes.get('BigDecimal')!

const uuid: FieldType = {
  ...text,
  name: 'Uuid',
  sql: 'uuid',
  rules: ['uuid'],
  sample: '01890a5d-ac96-774b-bcce-b302099a8057',
  sampleCode: "'01890a5d-ac96-774b-bcce-b302099a8057'",
  invalidSample: 'x',
}

const json: FieldType = {
  ...text,
  name: 'Json',
  sql: 'jsonb',
  input: 'textarea',
  sample: '{"a":1}',
  sampleCode: '{ a: 1 }',
  invalidSample: '{',
}

/** The type of the column that contains an attachment's key. */
export const attachmentType: FieldType = { ...uuid, input: 'attachment', sample: '' }

/** The field types whose names are not in `ParamType`. */
const variants: ReadonlyMap<string, FieldType> = new Map<string, FieldType>([
  ['uuid', uuid],
  ['json', json],
  ['jsonb', json],
  ['decimal', decimal],
  ['text', { ...text, sql: 'text' }],
  [
    'email',
    {
      ...text,
      sql: 'varchar(254)',
      input: 'email',
      rules: ['email'],
      sample: 'ann@example.com',
      sampleCode: "'ann@example.com'",
      invalidSample: 'x',
    },
  ],
  [
    'url',
    {
      ...text,
      sql: 'varchar(2048)',
      input: 'url',
      rules: ['url'],
      sample: 'https://example.com/a?b=c',
      sampleCode: "'https://example.com/a?b=c'",
      invalidSample: 'javascript:x',
    },
  ],
  ['attachment', attachmentType],
])

/** The names of all field types, for error messages. */
export const typeNames: readonly string[] = [...fieldTypes.keys(), 'enum', ...variants.keys()]

export const findType = (name: string): FieldType | undefined =>
  findFieldType(name) ?? variants.get(name.toLowerCase())

/**
 * Creates the type of a text that must be one of the labels. If it is optional, an empty text becomes NULL, because the
 * column's check rejects an empty text.
 */
export function enumType(labels: readonly string[], isOptional: boolean): FieldType {
  const [first = ''] = labels
  const length = Math.max(...labels.map((label) => label.length))
  return {
    ...text,
    sql: `varchar(${length})`,
    input: 'select',
    options: labels,
    rules: [`oneOf(${labels.map(quote).join(', ')})`],
    sample: first,
    sampleCode: quote(first),
    ...(isOptional ? { code: 'ParamType.NullableString' } : {}),
  }
}

/** Creates a type such as `numeric(10, 2)`, whose rules limit the value to these digits. */
export function decimalType(digits: number, decimals: number): FieldType {
  const max = `${'9'.repeat(digits - decimals) || '0'}${decimals === 0 ? '' : `.${'9'.repeat(decimals)}`}`
  // Omit the range for more than 15 digits, which a double cannot represent exactly.
  const range = digits > 15 ? [] : [`doubleMinMaxValue(-${max}, ${max})`]
  const sample =
    digits === decimals ? `0.${'5'.padEnd(decimals, '0')}` : decimals === 0 ? '7' : '7.5'
  return {
    ...decimal,
    sql: `numeric(${digits}, ${decimals})`,
    rules: [...decimal.rules, ...range],
    sample,
    sampleCode: `'${sample}' as BigDecimal`,
  }
}

/** Creates the type of an array, whose input contains one item per line. */
export function arrayType(item: FieldType): FieldType {
  const { invalidSample: _invalid, options: _options, inputmode: _mode, ...rest } = item
  return {
    ...rest,
    code: `ParamType.array(ParamType.${item.name})`,
    sql: `${item.sql}[]`,
    input: 'list',
    rules: [],
    paramsMethod: 'withLines',
    sampleCode: `[${item.sampleCode}]`,
  }
}
