/** The database and the transaction of the running work, by their classes. */
import { FwError } from '../base.ts'
import { Database } from './database.ts'
import { currentScope } from './scope.ts'
import { Transaction } from './transaction.ts'

const defaults = new Map<string, Database>()

/** Makes a database the one that models and sessions of this process use; `undefined` takes it away. */
export function useDatabase(database: Database | undefined, name = 'default'): void {
  if (database) defaults.set(name, database)
  else defaults.delete(name)
}

/** What `useDatabase` gave this name, if anything. */
export const usedDatabase = (name: string): Database | undefined => defaults.get(name)

/**
 * The database of the running work, else the process's own; its queries go through the running transaction by themselves.
 * @throws FwError `db.not-configured`
 */
export function currentDatabase(name = 'default'): Database {
  const scoped = name === 'default' ? currentScope()?.database : undefined
  const database = scoped instanceof Database ? scoped : defaults.get(name)
  if (database) return database
  throw new FwError('db.not-configured', `No database '${name}' is open. ${mend(name)}`)
}

const mend = (name: string): string =>
  name === 'default'
    ? 'Give DATABASE_URL or db.default.url, or open one with openDatabase and useDatabase.'
    : `Give db.${name}.url, or open one with openDatabase and useDatabase.`

/** The transaction that queries go through here, if there is one. */
export function currentTransaction(): Transaction | undefined {
  const transaction = currentScope()?.transaction
  return transaction instanceof Transaction ? transaction : undefined
}
