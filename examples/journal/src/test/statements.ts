/** Records the SQL statements that code sends to the database. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'

/** Returns the SQL of the statements that `work` sends, without `begin`, `commit` and other statements of transactions. */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = []
  const record = (event: unknown) => {
    const { sql } = event as { readonly sql: string }
    if (!/^(?:begin|commit|rollback|savepoint|release)/i.test(sql)) statements.push(sql)
  }
  subscribe('fw:sql:start', record)
  try {
    await work()
  } finally {
    unsubscribe('fw:sql:start', record)
  }
  return statements
}
