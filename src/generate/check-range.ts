/** The range of numbers that a column takes: its type's, narrowed by its checks. */
import type { ColumnSchema } from '../db.ts'

/** Both ends belong to it; an end that is not known is absent. */
interface Range {
  readonly least?: number
  readonly most?: number
}

const comparison =
  /^\(*"?\w[\w ]*"? *(>=|<=|>|<) *\(*'?(-?\d{1,12}(?:\.\d{1,6})?)'?\)*(?:::[\w ]+)?\)*$/

/** `step` is the least difference of two values: what is more than 0 is a step or more. */
function endOf(part: string, step: number): Range | undefined {
  const [, operator, text] = comparison.exec(part.trim()) ?? []
  if (operator === undefined) return undefined
  const value = Number(text)
  if (operator.startsWith('>')) return { least: operator === '>' ? value + step : value }
  return { most: operator === '<' ? value - step : value }
}

/** What holds in both. */
function narrower(a: Range, b: Range): Range {
  const least = Math.max(a.least ?? -Infinity, b.least ?? -Infinity)
  const most = Math.min(a.most ?? Infinity, b.most ?? Infinity)
  return {
    ...(least === -Infinity ? {} : { least }),
    ...(most === Infinity ? {} : { most }),
  }
}

/** Of conditions that are comparisons joined by AND; any other one says nothing here. */
function conditionRange(conditions: readonly string[], step: number): Range {
  const ranges = conditions.flatMap((condition) => {
    const parts = condition.replace(/^CHECK /, '').split(' AND ')
    const ends = parts.map((part) => endOf(part, step))
    return ends.includes(undefined) ? [] : (ends as Range[])
  })
  return ranges.reduce(narrower, {})
}

const ofTypes: Readonly<Record<string, Range>> = {
  Short: { least: -32768, most: 32767 },
  Int: { least: -2147483648, most: 2147483647 },
}

function typeRange(type: string, { digits, decimals }: ColumnSchema): Range {
  if (digits === undefined || decimals === undefined) return ofTypes[type] ?? {}
  if (digits > 15 || decimals < 0 || decimals > digits) return {}
  const most = Number(`${'9'.repeat(digits - decimals) || '0'}.${'9'.repeat(decimals) || '0'}`)
  return { least: -most, most }
}

/** The rules in the place of those that only name the type. */
export function rangeRules(
  type: string,
  rules: readonly string[],
  column: ColumnSchema,
  conditions: readonly string[],
): readonly string[] {
  const isWhole = type === 'Short' || type === 'Int' || type === 'Long'
  const step = isWhole ? 1 : 10 ** -Math.min(column.decimals ?? 6, 6)
  const checked = conditionRange(conditions, step)
  const isChecked = checked.least !== undefined || checked.most !== undefined
  if (!isChecked && (isWhole || column.digits === undefined)) return rules
  const { least, most } = narrower(typeRange(type, column), checked)
  const kind = type === 'Long' ? 'long' : isWhole ? 'int' : 'double'
  const others = rules.filter((rule) => !rule.startsWith('int'))
  const written = (value: number): string => String(Number(value.toFixed(6)))
  if (least !== undefined && most !== undefined)
    return [...others, `${kind}MinMaxValue(${written(least)}, ${written(most)})`]
  if (least !== undefined) return [...others, `${kind}MinValue(${written(least)})`]
  return most === undefined ? rules : [...others, `${kind}MaxValue(${written(most)})`]
}
