/** `lockRow`: locks a row, and at `repeatable read` or `serializable` also detects a concurrent change. */
import { lockByIdSql, rewriteSql } from './model-sql.ts'
import { runnerOf } from './statement-runner.ts'

/**
 * Returns a row, and locks it until the current transaction ends. Above `read committed`, a transaction that has waited for the lock does
 * not see what the other one has committed. There the row is also written again, so that of two such transactions the second one fails
 * with the SQL state 40001, after which `TxPerRequestFilter` can run the request again. Both must have the same isolation level: at `read
 * committed`, the lock writes nothing with which a snapshot could conflict.
 */
export async function lockRow(
  model: object,
  id: unknown,
): Promise<Record<string, unknown> | undefined> {
  const runner = runnerOf(model)
  const hasSnapshot = runner.database.currentTransaction()?.hasSnapshot === true
  const statement = hasSnapshot
    ? runner.prepare('rewrite', rewriteSql)
    : runner.prepare('lock', lockByIdSql)
  return (await runner.find(statement, [id, ...runner.owner], false))[0]
}
