/** Selects and counts all rows of a model for keyset pagination, with prepared SQL. */
import { attachRelations, type QueryState } from './compile-query.ts'
import type { KeyList } from './key-page.ts'
import * as sql from './model-sql.ts'
import type { StatementRunner } from './statement-runner.ts'

export function plainKeyList(
  runner: StatementRunner,
  order: QueryState['order'],
  relations: QueryState['relations'],
): KeyList<Record<string, unknown>> {
  const { table } = runner
  const find = (shape: string, create: () => string) =>
    runner.sql.get(shape) ?? runner.sql.add(shape, create())
  return {
    table,
    order,
    async attach(rows) {
      await attachRelations(relations, rows)
      return rows
    },
    select(keys, condition, limit) {
      const sorted = keys.map(({ field, direction }) => `${field} ${direction}`).join()
      const conditions = condition.map(({ fields, operator }) => `${fields.join()} ${operator}`)
      const statement = find(`page ${sorted} ${conditions.join()}`, () =>
        sql.keyPageSql(table, keys, condition),
      )
      const parameters = condition.flatMap(({ fields, values }) =>
        values.map((value, at) => table.toParameter(fields[at]!, value)),
      )
      return runner.find(statement, [...parameters, limit], true)
    },
    async count(limit) {
      const isAll = limit === Infinity
      const statement = isAll
        ? find('count', () => sql.countSql(table))
        : find('count up to', () => sql.countUpToSql(table))
      const { rows } = await runner.run<{ count: number }>(statement, isAll ? [] : [limit], true)
      return rows[0]!.count
    },
  }
}
