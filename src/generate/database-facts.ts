/** What the reverse generators know of an existing database. */
import {
  dumpSchema,
  readOtherRelations,
  readSchema,
  type Database,
  type OtherRelation,
  type TableSchema,
} from '../db.ts'
import { findSamples, readDomainChecks } from './find-samples.ts'

/** A table, and for each column a text that it takes. */
export interface TableFacts extends TableSchema {
  readonly samples: ReadonlyMap<string, string>
  /** The conditions of domains, by their names. */
  readonly domains: ReadonlyMap<string, string>
}

/** Read once, before anything is planned. */
export interface DatabaseFacts {
  readonly tables: readonly TableFacts[]
  /** Views, partitions and foreign tables. */
  readonly others: readonly OtherRelation[]
  /** SQL that makes the whole structure anew. */
  readonly structure: string
}

/** Of sessions: they are Fw's own. */
const own = /^(?:fw_session|servlet_sessions$)/

/** Only reads. */
export async function readDatabase(database: Database): Promise<DatabaseFacts> {
  const domains = await readDomainChecks(database)
  const tables: TableFacts[] = []
  for (const table of await readSchema(database))
    if (!own.test(table.name))
      tables.push({ ...table, samples: await findSamples(database, table, domains), domains })
  return {
    tables,
    others: await readOtherRelations(database),
    structure: await dumpSchema(database, { withMigrations: false }),
  }
}
