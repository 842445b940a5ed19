/** Sums, means, minima, maxima and counts of a query's rows, computed by the database. */
import { FwError } from '../base.ts'
import type { ParamType } from '../params.ts'
import { compileSelect, runSelect, visibleRows, type QueryState } from './compile-query.ts'

export type Aggregate = 'sum' | 'avg' | 'min' | 'max'

/**
 * Returns the aggregate of a field over the rows of the query, after its limit and offset. Without rows, a sum is 0 and the
 * other aggregates are `undefined`.
 */
export async function aggregateRows(
  state: QueryState,
  name: Aggregate,
  fieldName: string,
): Promise<unknown> {
  const { table } = state.runner
  const field = table.fieldOf(fieldName)
  const values = compileValues(state, field)
  const whole = name === 'sum' ? 'coalesce(sum("value"), 0)::text' : `${name}("value")`
  const cast = name === 'avg' ? '::float8' : table.castOf(field)
  const sql = `select ${whole}${cast} as "value" from (${values.sql}) as "fw_rows"`
  const [row] = await runSelect(state, { ...values, sql })
  const { value } = row!
  if (name === 'avg') return value ?? undefined
  return name === 'sum'
    ? toSum(String(value), table.columns[field]!)
    : table.fromDriver(field, value)
}

export async function countRowsBy(
  state: QueryState,
  fieldName: string,
): Promise<Map<unknown, number>> {
  const { table } = state.runner
  const field = table.fieldOf(fieldName)
  const values = compileValues(state, field)
  const sql =
    `select "value"${table.castOf(field)} as "value", count(*) as "count" from (${values.sql}) as "fw_rows" ` +
    'group by "fw_rows"."value" order by "fw_rows"."value"'
  const rows = await runSelect(state, { ...values, sql })
  return new Map(
    rows.map((row) => [table.fromDriver(field, row['value']), row['count'] as number] as const),
  )
}

function compileValues(state: QueryState, field: string) {
  const { table } = state.runner
  const visible = visibleRows(state)
  const builder = state.isLimited === true ? visible : visible.clearOrderBy()
  const selection = `${table.quoted}.${table.column(field)} as "value"`
  return compileSelect(state, builder, (state.isDistinct === true ? 'distinct ' : '') + selection)
}

/**
 * Converts a sum from text. The query casts the sum to text, because PostgreSQL's sum of integers has a wider type than the
 * field.
 */
function toSum(text: string, { definition }: ParamType<unknown>): unknown {
  const { decode, isInteger = false } = definition?.sql ?? {}
  if (!isInteger) return decode === undefined ? text : decode(text)
  const sum = Number(text)
  if (Number.isSafeInteger(sum)) return sum
  throw new FwError(
    'db.value-out-of-range',
    `The sum ${text} is beyond the safe integers: declare the column as ParamType.BigInt.`,
  )
}
