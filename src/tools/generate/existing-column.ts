/** Describes the type of an existing column: its input, its validation rules, and a value that it accepts. */
import type { ColumnSchema } from '../../runtime/db.ts'
import type { FieldSource } from '../../runtime/model.ts'
import { fieldTypes, type FieldType } from './field-type.ts'
import { quote } from './format-code.ts'

/** A sample value and the check constraints of a column, read from the database. */
export interface ColumnExample {
  /** A value that the column accepts, as text; for a list, an item of such a value. */
  readonly sample: string
  /** The SQL of the checks that concern only this column, and of its domain's checks. */
  readonly conditions: readonly string[]
}

export function columnType(
  column: ColumnSchema,
  source: FieldSource,
  { sample, conditions }: ColumnExample,
): FieldType {
  const item = itemType(column, source.type, conditions)
  const type = { ...item, sample, sampleCode: formatValue(source.type, sample) }
  if (!source.isArray) return type
  const { invalidSample: _invalid, options: _options, ...rest } = type
  return {
    ...rest,
    code: `ParamType.array(ParamType.${source.type})`,
    input: 'list',
    rules: [],
    paramsMethod: 'withLines',
    sampleCode: `[${type.sampleCode}]`,
  }
}

const text = fieldTypes.get('String')!
const longTextName =
  /(?:^|_)(?:description|body|content|comment|note|summary|text|bio|message|detail)s?$/

function itemType(column: ColumnSchema, type: string, conditions: readonly string[]): FieldType {
  const base = fieldTypes.get(type) ?? { ...text, name: type }
  if (column.labels !== undefined) {
    const rule = `oneOf(${column.labels.map(quote).join(', ')})`
    return { ...text, input: 'select', options: column.labels, rules: [rule] }
  }
  if (type === 'Uuid') return { ...base, rules: ['uuid'], invalidSample: 'x' }
  if (base.inputmode !== undefined) return { ...base, rules: rangeRules(base, column, conditions) }
  const isLongText =
    type === 'String' && column.length === undefined && longTextName.test(column.name)
  return isLongText || type === 'Json' ? { ...base, input: 'textarea' } : base
}

const unquoted: ReadonlySet<string> = new Set('Boolean Short Int Long Float Double Json'.split(' '))

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

const uniqueCodes: Readonly<Record<string, string>> = {
  Short: 'count',
  Int: 'count',
  Long: 'count',
  Float: 'count',
  Double: 'count',
  BigDecimal: 'String(count) as BigDecimal',
  Uuid: 'crypto.randomUUID()',
  LocalDate: "Temporal.PlainDate.from('2000-01-02').add({ days: count })",
  LocalTime: "Temporal.PlainTime.from('10:20:30').add({ minutes: count })",
  LocalDateTime: "Temporal.PlainDateTime.from('2000-01-02T10:20:30').add({ minutes: count })",
  DateTime: "Temporal.Instant.from('2000-01-02T10:20:30Z').add({ minutes: count })",
}

/**
 * Returns a TypeScript expression whose value differs for each `count`, an integer from 10 to 9999. Returns `undefined` if the
 * type has too few values.
 */
export function uniqueValueCode(
  {
    type,
    maxLength = 99,
    values,
    isArray,
  }: Pick<FieldSource, 'type' | 'maxLength' | 'values' | 'isArray'>,
  sample: string,
): string | undefined {
  if (values !== undefined || isArray) return undefined
  if (type !== 'String') return uniqueCodes[type]
  if (maxLength < 2) return undefined
  if (maxLength === 2) return 'String(10 + (count % 90))'
  if (maxLength === 3) return 'String(100 + (count % 900))'
  const prefix = sample.slice(0, maxLength - 4).replace(/[`\\$]/g, '')
  // Remove digits before the count, which would make values ambiguous: 1 and 23 give the same text as 12 and 3.
  const words = prefix.trimEnd().replace(/\d+$/, '')
  return words === '' ? 'String(count)' : `\`${words}\${count}\``
}

/** Inclusive bounds; an unknown bound is infinite. */
interface Range {
  readonly min: number
  readonly max: number
}

const unbounded: Range = { min: -Infinity, max: Infinity }
const intersect = (a: Range, b: Range): Range => ({
  min: Math.max(a.min, b.min),
  max: Math.min(a.max, b.max),
})

const comparison =
  /^\(*"?\w[\w ]*"? *(>=|<=|>|<) *\(*'?(-?\d{1,12}(?:\.\d{1,6})?)'?\)*(?:::[\w ]+)?\)*$/

/** Parses a condition such as `price > 0`. A strict bound is moved by `step`, the smallest difference between two values. */
function parseComparison(condition: string, step: number): Range | undefined {
  const [, operator, number] = comparison.exec(condition.trim()) ?? []
  if (operator === undefined) return undefined
  const value = Number(number)
  if (operator.startsWith('>'))
    return { ...unbounded, min: operator === '>' ? value + step : value }
  return { ...unbounded, max: operator === '<' ? value - step : value }
}

/** Returns the range that the conditions allow. Reads only comparisons, which may be joined by AND. */
function conditionRange(conditions: readonly string[], step: number): Range {
  return conditions
    .flatMap((condition) => {
      const parts = condition.replace(/^CHECK /, '').split(' AND ')
      const ranges = parts.map((part) => parseComparison(part, step))
      return ranges.every((range) => range !== undefined) ? ranges : []
    })
    .reduce(intersect, unbounded)
}

function typeRange(type: string, { digits, decimals }: ColumnSchema): Range {
  if (digits === undefined || decimals === undefined) {
    if (type === 'Short') return { min: -32768, max: 32767 }
    return type === 'Int' ? { min: -2147483648, max: 2147483647 } : unbounded
  }
  if (digits > 15 || decimals < 0 || decimals > digits) return unbounded
  const max = Number(`${'9'.repeat(digits - decimals) || '0'}.${'9'.repeat(decimals) || '0'}`)
  return { min: -max, max }
}

/** Returns the rules of a number, narrowed to the column's range, such as `intMinMaxValue(1, 5)`. */
function rangeRules(
  { name, rules }: FieldType,
  column: ColumnSchema,
  conditions: readonly string[],
): readonly string[] {
  const isInteger = name === 'Short' || name === 'Int' || name === 'Long'
  const step = isInteger ? 1 : 10 ** -Math.min(column.decimals ?? 6, 6)
  const checked = conditionRange(conditions, step)
  const isChecked = checked.min !== -Infinity || checked.max !== Infinity
  if (!isChecked && (isInteger || column.digits === undefined)) return rules
  const { min, max } = intersect(typeRange(name, column), checked)
  const prefix = name === 'Long' ? 'long' : isInteger ? 'int' : 'double'
  const others = rules.filter((rule) => !rule.startsWith('int'))
  const format = (value: number): string => String(Number(value.toFixed(6)))
  if (min !== -Infinity && max !== Infinity)
    return [...others, `${prefix}MinMaxValue(${format(min)}, ${format(max)})`]
  if (min !== -Infinity) return [...others, `${prefix}MinValue(${format(min)})`]
  return max === Infinity ? rules : [...others, `${prefix}MaxValue(${format(max)})`]
}
