/** The framework layer with the base class of a generated application; its POST requests have a forgery token. */
import { openDatabase, useDatabase } from 'fwjs/db'
import { ApplicationController } from '../../generated-controller.ts'
import { serveFw } from '../fw-app.ts'

/** No request of the benchmark has a query, but the transaction filter needs a database. */
export async function serve(): Promise<number> {
  const database = await openDatabase({ kind: 'pglite', folder: 'memory' })
  useDatabase(database)
  return serveFw(ApplicationController, database)
}
