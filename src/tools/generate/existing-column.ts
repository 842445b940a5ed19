/** Describes the type of an existing column: its input, its validation rules, and a value that it accepts. */
import type { ColumnSchema } from '../../runtime/db.ts'
import type { FieldSource } from '../../runtime/model.ts'
import type { SampledTable } from './database-schema.ts'
import {
  arrayType,
  enumType,
  findType,
  numericRule,
  withSample,
  type FieldType,
} from './field-type.ts'

/** Returns the SQL of the checks that concern only this column, and of its domain's checks. */
function columnConditions({ checks, domains }: SampledTable, { name, sqlType }: ColumnSchema) {
  const own = checks.filter(({ columns }) => columns.length === 1 && columns[0] === name)
  return [...own.map(({ sql }) => sql), ...[domains.get(sqlType) ?? []].flat()]
}

/** Returns the type of a table's column, with the column's sample, or without a sample the empty text. */
export function columnType(
  table: SampledTable,
  column: ColumnSchema,
  { type, isArray }: FieldSource,
): FieldType {
  const item = itemType(column, type, columnConditions(table, column))
  const sampled = withSample(item, table.samples.get(column.name) ?? '')
  return isArray ? arrayType(sampled) : sampled
}

const longTextName =
  /(?:^|_)(?:description|body|content|comment|note|summary|text|bio|message|detail)s?$/

function itemType(column: ColumnSchema, type: string, conditions: readonly string[]): FieldType {
  if (column.labels !== undefined) return enumType(column.labels)
  const base = findType(type)!
  if (base.inputmode !== undefined) return { ...base, rules: rangeRules(base, column, conditions) }
  const isLongText =
    type === 'String' && column.length === undefined && longTextName.test(column.name)
  return isLongText ? { ...base, input: 'textarea' } : base
}

/** Returns code whose value differs for each `count` from 10 to 9999; `undefined` if the type has too few values. */
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
  if (type !== 'String') return findType(type)?.facet.uniqueCode
  if (maxLength < 2) return undefined
  if (maxLength === 2) return 'String(10 + (count % 90))'
  if (maxLength === 3) return 'String(100 + (count % 900))'
  const prefix = sample.slice(0, maxLength - 4).replace(/[`\\$]/g, '')
  // Remove digits before the count, which would make values ambiguous: 1 and 23 give the same text as 12 and 3.
  const words = prefix.trimEnd().replace(/\d+$/, '')
  return words === '' ? 'String(count)' : `\`${words}\${count}\``
}

/** Inclusive bounds; an unknown bound is infinite. */
const unbounded = { min: -Infinity, max: Infinity }
type Range = Readonly<typeof unbounded>
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

function typeRange(type: string): Range {
  if (type === 'Short') return { min: -32768, max: 32767 }
  return type === 'Int' ? { min: -2147483648, max: 2147483647 } : unbounded
}

/** Returns the rules of a number with those of its digits. */
const digitRules = ({ rules }: FieldType, { digits, decimals }: ColumnSchema): readonly string[] =>
  digits === undefined || decimals === undefined || decimals < 0
    ? rules
    : [numericRule(digits, decimals)]

/** Returns the rules of a number, narrowed to the column's range, such as `intMinMaxValue(1, 5)`. */
function rangeRules(
  type: FieldType,
  column: ColumnSchema,
  conditions: readonly string[],
): readonly string[] {
  const { name } = type
  const rules = digitRules(type, column)
  const isInteger = name === 'Short' || name === 'Int' || name === 'Long'
  const step = isInteger ? 1 : 10 ** -Math.min(column.decimals ?? 6, 6)
  const checked = conditionRange(conditions, step)
  if (checked.min === -Infinity && checked.max === Infinity) return rules
  const { min, max } = intersect(typeRange(name), checked)
  const prefix = name === 'Long' ? 'long' : isInteger ? 'int' : 'double'
  const others = rules.filter((rule) => !rule.startsWith('int'))
  const format = (value: number): string => String(Number(value.toFixed(6)))
  if (min !== -Infinity && max !== Infinity)
    return [...others, `${prefix}MinMaxValue(${format(min)}, ${format(max)})`]
  if (min !== -Infinity) return [...others, `${prefix}MinValue(${format(min)})`]
  return max === Infinity ? rules : [...others, `${prefix}MaxValue(${format(max)})`]
}
