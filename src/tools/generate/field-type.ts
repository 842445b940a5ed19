/** The field types of the generators, each with its column type, form input, validation rules and sample values. */

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

const number = (
  name: string,
  sql: string,
  rules: readonly string[],
  inputmode: 'numeric' | 'decimal' = 'numeric',
): FieldType => {
  const samples = { sample: '7', sampleCode: '7', invalidSample: 'x' }
  return { name, sql, input: 'text', inputmode, rules, ...samples }
}

const dateTime = {
  input: 'datetime',
  rules: ['dateTimeFormat'],
  paramsMethod: 'withDateTime',
  sample: '2000-01-02 10:20:30',
  invalidSample: '2000-13-01 10:20:30',
} as const

const types: readonly FieldType[] = [
  {
    name: 'String',
    sql: 'varchar(512)',
    input: 'text',
    rules: [],
    sample: 'Something New',
    sampleCode: "'Something New'",
  },
  {
    name: 'Boolean',
    sql: 'boolean',
    input: 'checkbox',
    rules: [],
    sample: 'true',
    sampleCode: 'true',
  },
  number('Byte', 'smallint', ['numeric', 'intMinMaxValue(-128, 127)']),
  number('Short', 'smallint', ['numeric', 'intMinMaxValue(-32768, 32767)']),
  number('Int', 'integer', ['numeric', 'intValue']),
  number('Long', 'bigint', ['numeric', 'longValue']),
  number('Float', 'real', ['floatValue'], 'decimal'),
  number('Double', 'double precision', ['doubleValue'], 'decimal'),
  {
    ...number('BigDecimal', 'numeric', ['numeric'], 'decimal'),
    sample: '7.50',
    sampleCode: "'7.50' as BigDecimal",
  },
  {
    name: 'ByteArray',
    sql: 'bytea',
    input: 'text',
    rules: [],
    // The sample is valid both as a form's text and as base64 in JSON.
    sample: 'data',
    sampleCode: "new TextEncoder().encode('data')",
  },
  {
    name: 'LocalDate',
    sql: 'date',
    input: 'date',
    rules: ['dateFormat'],
    paramsMethod: 'withDate',
    sample: '2000-01-02',
    sampleCode: "Temporal.PlainDate.from('2000-01-02')",
    invalidSample: '2000-13-01',
  },
  {
    name: 'LocalTime',
    sql: 'time',
    input: 'time',
    rules: ['timeFormat'],
    paramsMethod: 'withTime',
    sample: '10:20:30',
    sampleCode: "Temporal.PlainTime.from('10:20:30')",
    invalidSample: '25:00:00',
  },
  {
    ...dateTime,
    name: 'LocalDateTime',
    sql: 'timestamp',
    sampleCode: "Temporal.PlainDateTime.from('2000-01-02T10:20:30')",
  },
  {
    ...dateTime,
    name: 'DateTime',
    sql: 'timestamptz',
    sampleCode: "Temporal.Instant.from('2000-01-02T10:20:30Z')",
  },
]

export const fieldTypes: ReadonlyMap<string, FieldType> = new Map(
  types.map((type) => [type.name, type]),
)

/** Finds a field type by name, ignoring letter case: `localdate` finds `LocalDate`. */
export function findFieldType(name: string): FieldType | undefined {
  const lower = name.toLowerCase()
  return fieldTypes.get(name) ?? types.find((type) => type.name.toLowerCase() === lower)
}
