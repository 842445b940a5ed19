/** The type of a column that is there: its input, its rules, and a value that it takes. */
import type { ColumnSchema } from '../db.ts'
import type { FieldSource } from '../model.ts'
import { rangeRules } from './check-range.ts'
import { quoted } from './code-text.ts'
import { fieldTypes, type FieldType } from './field-type.ts'

const text = fieldTypes.get('String')!
const instant = (value: string): string => `${value.replace(' ', 'T')}Z`

const codes: Readonly<Record<string, (value: string) => string>> = {
  BigDecimal: (value) => `${quoted(value)} as BigDecimal`,
  ByteArray: (value) => `new TextEncoder().encode(${quoted(value)})`,
  LocalDate: (value) => `Temporal.PlainDate.from(${quoted(value)})`,
  LocalTime: (value) => `Temporal.PlainTime.from(${quoted(value)})`,
  LocalDateTime: (value) => `Temporal.PlainDateTime.from(${quoted(value.replace(' ', 'T'))})`,
  DateTime: (value) => `Temporal.Instant.from(${quoted(instant(value))})`,
}
const plain: ReadonlySet<string> = new Set('Boolean Short Int Long Float Double Json'.split(' '))

/** A value's text as an expression of TypeScript. */
function codeOf(type: string, value: string): string {
  return plain.has(type) ? value : (codes[type] ?? quoted)(value)
}

const varied: Readonly<Record<string, string>> = {
  Short: 'made',
  Int: 'made',
  Long: 'made',
  Float: 'made',
  Double: 'made',
  BigDecimal: 'String(made) as BigDecimal',
  Uuid: 'crypto.randomUUID()',
  LocalDate: "Temporal.PlainDate.from('2000-01-02').add({ days: made })",
  LocalTime: "Temporal.PlainTime.from('10:20:30').add({ minutes: made })",
  LocalDateTime: "Temporal.PlainDateTime.from('2000-01-02T10:20:30').add({ minutes: made })",
  DateTime: "Temporal.Instant.from('2000-01-02T10:20:30Z').add({ minutes: made })",
}

/** Code of a value that differs for each `made`, a number of two to four digits; `undefined` where there is none. */
export function distinctCode(
  { type, maxLength = 99, values, isArray }: FieldSource,
  sample: string,
): string | undefined {
  if (values !== undefined || isArray) return undefined
  if (type !== 'String') return varied[type]
  if (maxLength < 4) return shortCodes[maxLength]
  const own = sample.slice(0, maxLength - 4).replace(/[`\\$]/g, '')
  // A digit at the end of one and at the beginning of the other would run together.
  const words = own.trimEnd().replace(/\d+$/, '')
  return words === '' ? 'String(made)' : `\`${words}\${made}\``
}

const shortCodes: readonly (string | undefined)[] = [
  undefined,
  undefined,
  'String(10 + (made % 90))',
  'String(100 + (made % 900))',
]

const longText =
  /(?:^|_)(?:description|body|content|comment|note|summary|text|bio|message|detail)s?$/

function oneValue(column: ColumnSchema, type: string, conditions: readonly string[]): FieldType {
  const base = fieldTypes.get(type) ?? { ...text, name: type }
  if (column.labels !== undefined) {
    const rule = `oneOf(${column.labels.map(quoted).join(', ')})`
    return { ...text, input: 'select', options: column.labels, rules: [rule] }
  }
  if (type === 'Uuid') return { ...base, rules: ['uuid'], wrong: 'x' }
  if (base.inputmode !== undefined)
    return { ...base, rules: rangeRules(type, base.rules, column, conditions) }
  const isLong = type === 'String' && column.length === undefined && longText.test(column.name)
  return isLong || type === 'Json' ? { ...base, input: 'textarea' } : base
}

/** What the database says of a column beside its type. */
export interface ColumnWords {
  /** A text that the column takes; of a list, one of its items. */
  readonly sample: string
  /** Checks of this column alone, those of its domain among them. */
  readonly conditions: readonly string[]
}

export function columnType(
  column: ColumnSchema,
  source: FieldSource,
  { sample, conditions }: ColumnWords,
): FieldType {
  const { type } = source
  const one = { ...oneValue(column, type, conditions), sample, sampleCode: codeOf(type, sample) }
  if (!source.isArray) return one
  const { wrong: _wrong, gather: _gather, options: _options, ...rest } = one
  return {
    ...rest,
    code: `ParamType.array(ParamType.${type})`,
    input: 'list',
    rules: [],
    gather: 'withLines',
    sampleCode: `[${one.sampleCode}]`,
  }
}
