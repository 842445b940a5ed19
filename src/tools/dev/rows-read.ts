/**
 * Finds the rows that a failed request has read, so that a test can insert them. The request's transaction has been rolled back:
 * its SELECT statements, sent again, return what the request has read. Other tables are read by keys.
 */
import {
  currentDatabase,
  outsideTransaction,
  readSchema,
  runInTransaction,
  Transaction,
  withoutStatementLog,
  type ColumnSchema,
  type Database,
  type ForeignKey,
  type SentStatement,
  type TableSchema,
} from '../../runtime/db.ts'
import { quoteName, quoteTableName } from '../../runtime/model.ts'
import { toCamelCase } from '../../runtime/params.ts'
import { isRepeatable, withoutLock } from './repeatable-select.ts'
import { isWritable, toCells, type Cells, type TextRow } from './row-cells.ts'
import { SecretValues } from './secret-values.ts'

/** Rows of a table, whose name is that of the schema. */
export interface TableRows {
  readonly table: string
  readonly rows: readonly Cells[]
}

/** How many statements of a request are sent again. */
export const maxStatements = 50
/** How many rows of a table are read whose keys the statements do not contain, such as for `count(*)`. */
const maxUnknown = 20
export const maxRowsOfTable = 50

/**
 * Returns the rows that the statements have read, with the rows that they reference: a table comes after those that it references.
 * Appends what is redacted or shortened to the array `omitted`. Only the database `default` is read.
 */
export function readRows(
  statements: readonly SentStatement[],
  omitted: string[],
): Promise<readonly TableRows[]> {
  const database = currentDatabase()
  const transaction = new Transaction(database, { readOnly: true })
  const read = async () => {
    const reader = new RowReader(database, await readSchema(database))
    try {
      await reader.read(statements)
    } finally {
      // A function of the application may have taken a lock of the session, which would remain on the pool's connection.
      await database.query({ sql: unlock, parameters: [] }).catch(() => {})
    }
    return reader.rows(omitted)
  }
  return withoutStatementLog(() =>
    outsideTransaction(async () => {
      try {
        return await runInTransaction(transaction, read)
      } finally {
        await transaction.rollback()
      }
    }),
  )
}

const unlock = 'select pg_advisory_unlock_all()'

const isInsert = ({ sql }: SentStatement): boolean => /^\s*insert\b/i.test(sql)

const describe = ({ sql, parameters }: SentStatement): string =>
  JSON.stringify([sql, texts(parameters)])

/** Collects rows by table. */
class RowReader {
  readonly #database: Database
  readonly #tables: ReadonlyMap<string, TableSchema>
  /** The found rows of each table, by the texts of their primary key. */
  readonly #found = new Map<TableSchema, Map<string, TextRow>>()
  /** The tables of which the request has used rows, perhaps without their keys. */
  readonly #unclear = new Set<TableSchema>()
  /** What a limit leaves out. */
  readonly #cut = new Set<string>()

  constructor(database: Database, tables: readonly TableSchema[]) {
    this.#database = database
    const own = tables.map((table) => [plainName(table.name), table] as const)
    this.#tables = new Map(own.filter(([name]) => isApplications(name)))
  }

  async read(statements: readonly SentStatement[]): Promise<void> {
    const inserts = statements.filter(isInsert)
    const others = statements.filter((one) => !isInsert(one))
    const reads = others.filter(isRepeatable).map((one) => [describe(one), one] as const)
    const distinct = [...new Map(reads).values()]
    if (distinct.length > maxStatements)
      this.#cut.add(`statements after the first ${maxStatements}`)
    for (const statement of distinct.slice(0, maxStatements)) await this.#readStatement(statement)
    this.#mayNeedRows(this.#tablesOf(others.filter((one) => !isRepeatable(one))))
    for (const table of this.#unclear)
      if (!this.#found.has(table)) await this.#add(table, '', [], maxUnknown)
    for (const insert of inserts) await this.#readReferenced(insert)
    for (const [table, rows] of this.#found)
      for (const key of table.foreignKeys) await this.#addReferenced(key, [...rows.values()])
    while (this.#clearReferences());
  }

  #mayNeedRows(tables: readonly TableSchema[]): void {
    for (const table of tables) this.#unclear.add(table)
  }

  #tablesOf(statements: readonly SentStatement[]): TableSchema[] {
    const names = findTables(statements.map(({ sql }) => sql))
    return names.flatMap((name) => this.#tables.get(name) ?? [])
  }

  /** Adds the rows that a new row may reference: those whose keys are among the parameters. */
  async #readReferenced(insert: SentStatement): Promise<void> {
    const values = texts(insert.parameters).map((text) => [text])
    for (const { foreignKeys } of this.#tablesOf([insert]))
      for (const { table, references } of foreignKeys) {
        const target = this.#tables.get(plainName(table))
        if (target !== undefined && references.length === 1)
          await this.#addByColumns(target, references, values)
      }
  }

  /**
   * Sends a statement again, and adds the rows whose primary key its result contains. Where it does not, or where the key may be that
   * of another table, the parameters may be keys too.
   */
  async #readStatement(statement: SentStatement): Promise<void> {
    const { sql, parameters } = statement
    const tables = this.#tablesOf([statement])
    if (tables.length === 0) return
    const rows = await this.#query(withoutLock(sql), parameters)
    if (rows?.length === 0) return
    this.#mayNeedRows(tables)
    if (rows === undefined) return
    for (const table of tables) {
      const keys = rows.map((row) => readKey(table, row)).filter((key) => key !== undefined)
      const isCertain = tables.length === 1 && keys.length > 0
      const single = table.primaryKey.length === 1 && !isCertain
      const candidates = single ? texts(parameters).map((text) => [text]) : []
      await this.#addByColumns(table, table.primaryKey, [...keys, ...candidates])
    }
  }

  /** Adds the rows whose columns have one of these combinations of texts. */
  async #addByColumns(
    table: TableSchema,
    columns: readonly string[],
    values: readonly (readonly string[])[],
  ): Promise<void> {
    if (values.length === 0 || columns.length === 0) return
    const compared = columns.map((name) => `${quoteName(name)}::text`).join(', ')
    const lists = columns.map((_name, at) => `$${at + 1}::text[]`).join(', ')
    const parameters = columns.map((_name, at) => values.map((one) => one[at]))
    const condition = `where (${compared}) in (select * from unnest(${lists}))`
    await this.#add(table, condition, parameters, maxRowsOfTable + 1)
  }

  async #add(
    table: TableSchema,
    condition: string,
    parameters: readonly unknown[],
    limit: number,
  ): Promise<void> {
    const names = table.columns.filter(isWritable).map(({ name }) => quoteName(name))
    const list = names.map((name) => `${name}::text as ${name}`).join(', ')
    const order = table.primaryKey.map(quoteName).join(', ') || '1'
    const sql = `select ${list} from ${quoteTableName(table.name)} ${condition} order by ${order} limit ${limit}`
    const found = this.#found.get(table) ?? new Map<string, TextRow>()
    const rows = (await this.#query(sql, parameters)) ?? []
    for (const row of rows as readonly TextRow[]) {
      const key = JSON.stringify(readKey(table, row) ?? row)
      if (found.size < maxRowsOfTable || found.has(key)) found.set(key, row)
      else this.#cut.add(`rows of ${table.name} after the first ${maxRowsOfTable}`)
    }
    if (found.size > 0) this.#found.set(table, found)
  }

  /** Adds the rows that others reference, and those that these reference. */
  async #addReferenced(key: ForeignKey, rows: readonly TextRow[]): Promise<void> {
    const target = this.#tables.get(plainName(key.table))
    if (target === undefined) return
    const isFound = new Set(
      [...(this.#found.get(target)?.values() ?? [])].map((row) =>
        JSON.stringify(key.references.map((name) => row[name])),
      ),
    )
    const values = rows
      .map((row) => key.columns.map((name) => row[name] ?? undefined))
      .filter((value): value is string[] => !value.includes(undefined))
      .filter((value) => !isFound.has(JSON.stringify(value)))
    if (values.length === 0) return
    const before = new Set(this.#found.get(target)?.keys())
    await this.#addByColumns(target, key.references, values)
    const added = [...(this.#found.get(target) ?? [])]
      .filter(([id]) => !before.has(id))
      .map(([, row]) => row)
    if (added.length === 0) return
    for (const next of target.foreignKeys) await this.#addReferenced(next, added)
  }

  /**
   * Clears the references to rows that are not found, such as those of Fw's tables: a test could not insert them. Leaves out the
   * rows whose reference may not be NULL. Returns true if it has left out rows, which others may reference.
   */
  #clearReferences(): boolean {
    let isChanged = false
    for (const [table, rows] of this.#found)
      for (const key of table.foreignKeys) {
        const isFound = this.#foundBy(key)
        const cleared = table.columns.filter(
          ({ name, isNullable }) => isNullable && key.columns.includes(name),
        )
        for (const [id, row] of rows) {
          const value = key.columns.map((name) => row[name])
          if (value.includes(null) || isFound(value)) continue
          if (cleared.length === 0) {
            rows.delete(id)
            isChanged = true
            this.#cut.add(`rows of ${table.name} that reference ${key.table}`)
          } else rows.set(id, { ...row, ...this.#clear(table, cleared) })
        }
      }
    return isChanged
  }

  #clear(table: TableSchema, columns: readonly ColumnSchema[]): TextRow {
    for (const { name } of columns) this.#cut.add(`column ${table.name}.${name}`)
    return Object.fromEntries(columns.map(({ name }) => [name, null]))
  }

  /** Returns a function that tells whether the row with these values of a foreign key is found. */
  #foundBy({ table, references }: ForeignKey): (value: readonly unknown[]) => boolean {
    const target = this.#tables.get(plainName(table))
    // The values of generated columns are not read.
    const isKnown = (name: string) =>
      target!.columns.some((column) => column.name === name && isWritable(column))
    if (target !== undefined && !references.every(isKnown)) return () => true
    const rows = target === undefined ? [] : (this.#found.get(target)?.values() ?? [])
    const values = new Set([...rows].map((row) => JSON.stringify(references.map((n) => row[n]))))
    return (value) => values.has(JSON.stringify(value))
  }

  /** Runs a query in a savepoint; returns undefined if it fails. */
  async #query(
    sql: string,
    parameters: readonly unknown[],
  ): Promise<Record<string, unknown>[] | undefined> {
    try {
      const { rows } = await this.#database.transaction(() =>
        this.#database.query({ sql, parameters }),
      )
      return rows
    } catch {
      return undefined
    }
  }

  /** Returns the found rows: tables after those that they reference. */
  rows(omitted: string[]): readonly TableRows[] {
    const sorted: TableSchema[] = []
    const visit = (table: TableSchema, path: readonly TableSchema[]): void => {
      if (path.includes(table) || sorted.includes(table)) return
      for (const { table: name } of table.foreignKeys) {
        const target = this.#tables.get(plainName(name))
        if (target !== undefined) visit(target, [...path, table])
      }
      sorted.push(table)
    }
    for (const table of this.#found.keys()) visit(table, [])
    omitted.push(...this.#cut)
    const find = (name: string) => this.#tables.get(plainName(name))
    const secrets = new SecretValues([...this.#tables.values()], find)
    return sorted.flatMap((table) => {
      const rows = [...(this.#found.get(table)?.values() ?? [])]
      if (rows.length === 0) return []
      return { table: table.name, rows: rows.map((row) => toCells(table, row, secrets, omitted)) }
    })
  }
}

const plainName = (name: string): string => name.replaceAll('"', '')

/** Returns the texts of the primary key; undefined if the row does not contain it. */
function readKey({ primaryKey }: TableSchema, row: Readonly<Record<string, unknown>>) {
  const values = primaryKey.map((name) => row[name] ?? row[toCamelCase(name)])
  const isComplete = values.length > 0 && values.every((value) => value != null)
  return isComplete ? values.map(String) : undefined
}

/** Returns the texts of scalar values, also of those in lists. */
const texts = (values: readonly unknown[]): readonly string[] =>
  values
    .flat()
    .filter((value) => ['string', 'number', 'bigint'].includes(typeof value))
    .map(String)

/** Matches a table name in SQL, after FROM, JOIN, INTO or UPDATE. */
const tableName =
  /\b(?:from|join|into|update)\s+(?:only\s+)?("?[a-z_][\w$]*"?(?:\."?[a-z_][\w$]*"?)?)/gi

/** Returns the names of the application's tables in statements, without quotes. */
export function findTables(statements: readonly string[]): string[] {
  const tables = statements.flatMap((sql) =>
    [...sql.matchAll(tableName)].map(([, table]) => plainName(table!)),
  )
  return [...new Set(tables)].filter(isApplications).sort()
}

/** Whether a table, whose name has no quotes, is one of the application: not of Fw or PostgreSQL, in any schema. */
const isApplications = (table: string): boolean =>
  !/^(?:.*\.)?(?:fw_|servlet_sessions|pg_)/.test(table)
