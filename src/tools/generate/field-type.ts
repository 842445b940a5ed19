/** The field types of the generators: column, form input, validation rules and sample values of each. */

export interface FieldType {
  /** The name in `ParamType`. */
  readonly name: string
  /** The SQL type of the column, unless the field has another. */
  readonly sql: string
  /** The expression in `permit`, if it is not `ParamType.<name>`. */
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
  /** The options of a select. */
  readonly options?: readonly string[]
  readonly inputmode?: 'numeric' | 'decimal'
  /** Validation rules as code; `fwjs` exports each rule. */
  readonly rules: readonly string[]
  /** The method of `Params` that joins the field from several inputs. */
  readonly paramsMethod?: 'withDate' | 'withTime' | 'withDateTime' | 'withLines'
  /** A valid value as text. */
  readonly sample: string
  /** The same value as a TypeScript expression. */
  readonly sampleCode: string
  /** Text that the rules refuse, if there is any. */
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
    // Valid as the text of a form and as base64 in JSON.
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

/** Ignores letter case: `localdate` is `LocalDate`. */
export function findFieldType(name: string): FieldType | undefined {
  const lower = name.toLowerCase()
  return fieldTypes.get(name) ?? types.find((type) => type.name.toLowerCase() === lower)
}
