/** The field types of the generators, each with its column type, form input, validation rules and sample values. */
import { quote } from './format-code.ts'

export interface FieldType {
  /** The name of the type in `ParamType`. */
  readonly name: string
  /** The SQL type of the column, which the field can override. */
  readonly sql: string
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

const unquoted: ReadonlySet<string> = new Set(
  'Boolean Byte Short Int Long Float Double Json'.split(' '),
)

/** Formats a value as a TypeScript expression. */
function formatValue(type: string, value: string): string {
  if (unquoted.has(type)) return value
  const dateTime = value.replace(' ', 'T')
  switch (type) {
    case 'BigDecimal':
      return `${quote(value)} as BigDecimal`
    case 'ByteArray':
      return `new TextEncoder().encode(${quote(value)})`
    case 'LocalDate':
      return `Temporal.PlainDate.from(${quote(value)})`
    case 'LocalTime':
      return `Temporal.PlainTime.from(${quote(value)})`
    case 'LocalDateTime':
      return `Temporal.PlainDateTime.from(${quote(dateTime)})`
    case 'DateTime':
      return `Temporal.Instant.from(${quote(`${dateTime}Z`)})`
    default:
      return quote(value)
  }
}

export const withSample = (type: FieldType, sample: string): FieldType => ({
  ...type,
  sample,
  sampleCode: formatValue(type.name, sample),
})

/** Defines a type with a text input and no rules, unless `more` has others. */
function define(
  name: string,
  sql: string,
  sample: string,
  more: Partial<FieldType> = {},
): FieldType {
  const sampleCode = formatValue(name, sample)
  return { name, sql, input: 'text', rules: [], sample, sampleCode, ...more }
}

const number = (
  name: string,
  sql: string,
  rules: readonly string[],
  inputmode: 'numeric' | 'decimal' = 'numeric',
): FieldType => define(name, sql, '7', { inputmode, rules, invalidSample: 'x' })

const dateTime = {
  input: 'datetime',
  rules: ['dateTimeFormat'],
  paramsMethod: 'withDateTime',
  invalidSample: '2000-13-01 10:20:30',
} as const

const text = define('String', 'varchar(512)', 'Something New')
const decimal = withSample(number('BigDecimal', 'numeric', ['numeric'], 'decimal'), '7.50')

const types: readonly FieldType[] = [
  text,
  define('Boolean', 'boolean', 'true', { input: 'checkbox' }),
  number('Byte', 'smallint', ['numeric', 'intMinMaxValue(-128, 127)']),
  number('Short', 'smallint', ['numeric', 'intMinMaxValue(-32768, 32767)']),
  number('Int', 'integer', ['numeric', 'intValue']),
  number('Long', 'bigint', ['numeric', 'longValue']),
  number('Float', 'real', ['floatValue'], 'decimal'),
  number('Double', 'double precision', ['doubleValue'], 'decimal'),
  decimal,
  // The sample is valid both as a form's text and as base64 in JSON.
  define('ByteArray', 'bytea', 'data'),
  define('LocalDate', 'date', '2000-01-02', {
    input: 'date',
    rules: ['dateFormat'],
    paramsMethod: 'withDate',
    invalidSample: '2000-13-01',
  }),
  define('LocalTime', 'time', '10:20:30', {
    input: 'time',
    rules: ['timeFormat'],
    paramsMethod: 'withTime',
    invalidSample: '25:00:00',
  }),
  define('LocalDateTime', 'timestamp', '2000-01-02 10:20:30', dateTime),
  define('DateTime', 'timestamptz', '2000-01-02 10:20:30', dateTime),
]

/** The types whose names `ParamType` has. */
export const fieldTypes: ReadonlyMap<string, FieldType> = new Map(
  types.map((type) => [type.name, type]),
)

const uuid = define('Uuid', 'uuid', '01890a5d-ac96-774b-bcce-b302099a8057', {
  rules: ['uuid'],
  invalidSample: 'x',
})
const json = define('Json', 'jsonb', '{"a":1}', {
  input: 'textarea',
  sampleCode: '{ a: 1 }',
  invalidSample: '{',
})

/** The type of the column that contains an attachment's key. */
export const attachmentType: FieldType = { ...uuid, input: 'attachment', sample: '' }

/** The other types by name, in lower case. */
const variants: ReadonlyMap<string, FieldType> = new Map([
  ['uuid', uuid],
  ['json', json],
  ['jsonb', json],
  ['decimal', decimal],
  ['text', { ...text, sql: 'text' }],
  [
    'email',
    define('String', 'varchar(254)', 'ann@example.com', {
      input: 'email',
      rules: ['email'],
      invalidSample: 'x',
    }),
  ],
  [
    'url',
    define('String', 'varchar(2048)', 'https://example.com/a?b=c', {
      input: 'url',
      rules: ['url'],
      invalidSample: 'javascript:x',
    }),
  ],
  ['attachment', attachmentType],
])

export const typeNames: readonly string[] = [...fieldTypes.keys(), 'enum', ...variants.keys()]

/** Finds a field type by name, ignoring letter case: `localdate` finds `LocalDate`. */
export function findType(name: string): FieldType | undefined {
  const lower = name.toLowerCase()
  return types.find((type) => type.name.toLowerCase() === lower) ?? variants.get(lower)
}

/** Creates the type of one of the labels. Its check rejects an empty text, so an optional one becomes NULL. */
export const enumType = (labels: readonly string[], isOptional: boolean): FieldType => ({
  ...withSample(text, labels[0] ?? ''),
  sql: `varchar(${Math.max(...labels.map((label) => label.length))})`,
  input: 'select',
  options: labels,
  rules: [`oneOf(${labels.map(quote).join(', ')})`],
  ...(isOptional ? { code: 'ParamType.NullableString' } : {}),
})

/** Creates a type such as `numeric(10, 2)`, whose rules limit the value to these digits. */
export function decimalType(digits: number, decimals: number): FieldType {
  const max = `${'9'.repeat(digits - decimals) || '0'}${decimals === 0 ? '' : `.${'9'.repeat(decimals)}`}`
  // Omit the range for more than 15 digits, which a double cannot represent exactly.
  const range = digits > 15 ? [] : [`doubleMinMaxValue(-${max}, ${max})`]
  const sample =
    digits === decimals ? `0.${'5'.padEnd(decimals, '0')}` : decimals === 0 ? '7' : '7.5'
  return {
    ...withSample(decimal, sample),
    sql: `numeric(${digits}, ${decimals})`,
    rules: [...decimal.rules, ...range],
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
