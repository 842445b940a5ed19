/** The types of fields: what each is in a table, a form, a validation and a test. */

/** One type of the generator. */
export interface FieldType {
  /** Its name in `ParamType`. */
  readonly name: string
  /** The column type unless one is given. */
  readonly sql: string
  /** What `permit` takes, as code, where it is not the type of that name. */
  readonly code?: string
  /** Of the input in a form. */
  readonly input:
    | 'text'
    | 'textarea'
    | 'select'
    | 'list'
    | 'date'
    | 'time'
    | 'datetime'
    | 'checkbox'
  /** Of a select. */
  readonly options?: readonly string[]
  readonly inputmode?: 'numeric' | 'decimal'
  /** Rules of the validation, as code; `fwjs` exports each. */
  readonly rules: readonly string[]
  /** The method of Params that gathers the field from several inputs. */
  readonly gather?: 'withDate' | 'withTime' | 'withDateTime' | 'withLines'
  /** A value that passes, as text; and the same as an expression of TypeScript. */
  readonly sample: string
  readonly sampleCode: string
  /** A text that does not pass, where there is one. */
  readonly wrong?: string
}

const number = (
  name: string,
  sql: string,
  rules: readonly string[],
  inputmode: 'numeric' | 'decimal' = 'numeric',
): FieldType => ({
  name,
  sql,
  input: 'text',
  inputmode,
  rules,
  sample: '7',
  sampleCode: '7',
  wrong: 'x',
})

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
    // A form sends it as it is, a program as base64: it is both.
    sample: 'data',
    sampleCode: "new TextEncoder().encode('data')",
  },
  {
    name: 'LocalDate',
    sql: 'date',
    input: 'date',
    rules: ['dateFormat'],
    gather: 'withDate',
    sample: '2000-01-02',
    sampleCode: "Temporal.PlainDate.from('2000-01-02')",
    wrong: '2000-13-01',
  },
  {
    name: 'LocalTime',
    sql: 'time',
    input: 'time',
    rules: ['timeFormat'],
    gather: 'withTime',
    sample: '10:20:30',
    sampleCode: "Temporal.PlainTime.from('10:20:30')",
    wrong: '25:00:00',
  },
  {
    name: 'LocalDateTime',
    sql: 'timestamp',
    input: 'datetime',
    rules: ['dateTimeFormat'],
    gather: 'withDateTime',
    sample: '2000-01-02 10:20:30',
    sampleCode: "Temporal.PlainDateTime.from('2000-01-02T10:20:30')",
    wrong: '2000-13-01 10:20:30',
  },
  {
    name: 'DateTime',
    sql: 'timestamptz',
    input: 'datetime',
    rules: ['dateTimeFormat'],
    gather: 'withDateTime',
    sample: '2000-01-02 10:20:30',
    sampleCode: "Temporal.Instant.from('2000-01-02T10:20:30Z')",
    wrong: '2000-13-01 10:20:30',
  },
]

export const fieldTypes: ReadonlyMap<string, FieldType> = new Map(
  types.map((type) => [type.name, type]),
)
