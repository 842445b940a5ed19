/** Kysely with the tables of models: the fields are its columns, and values have the types of the fields. */
import type { ColumnNode, Generated, Kysely, OperationNode, ReferenceNode } from 'kysely'
import { FwError } from '../base.ts'
import { currentDatabase, loadKysely, type Statement } from '../db.ts'
import { isOptionalType, toSnakeCase } from '../params.ts'
import type { Columns, FilledKeys, RowOfColumns } from './column.ts'
import { withName } from './compile-query.ts'
import type { KyselyTables } from './model-query.ts'
import type { Described } from './model-description.ts'
import type { StatementRunner } from './statement-runner.ts'
import { Table } from './table.ts'

/** The columns of a table for Kysely. Inserts may omit the columns that the database fills. */
type WithGenerated<C extends Columns, Row extends { readonly [F in keyof C]: unknown }> = {
  [F in keyof C]: F extends FilledKeys<C> ? Generated<Row[F]> : Row[F]
}

/** Maps table names to columns, for Kysely. */
export type TablesOfModels<M> = {
  [
    K in keyof M as M[K] extends Described<infer T, Columns> & { findAll(): unknown } ? T : never
  ]: M[K] extends Described<infer T, infer C> ? WithGenerated<C, KyselyTables<T, C>[T]> : never
}

/** Renames columns and converts values of several tables. */
class TableNames {
  readonly #tables: readonly Table[]
  /** Maps a column's name to the tables that have such a column. */
  readonly #byColumn = new Map<string, Table[]>()

  constructor(tables: readonly Table[]) {
    this.#tables = tables
    for (const table of tables)
      for (const field of table.fields) {
        const column = table.columnName(field)
        const having = this.#byColumn.get(column)
        if (having === undefined) this.#byColumn.set(column, [table])
        else having.push(table)
      }
  }

  /** Returns the column of a field. Without a table name, the first table with the field applies. */
  columnOf(field: string, tableName: string | undefined): string {
    const named = this.#tables.find(({ path }) => path.at(-1) === tableName)
    const table = named ?? this.#tables.find((each) => each.has(field))
    return table?.columnName(field) ?? toSnakeCase(field)
  }

  /** Renames the columns of a row to fields. Converts a value if all tables with the column have the same type for it. */
  toRow(row: Record<string, unknown>): Record<string, unknown> {
    const renamed: Record<string, unknown> = {}
    for (const [column, value] of Object.entries(row)) {
      const [table, ...others] = this.#byColumn.get(column) ?? []
      const field = table?.fieldOf(column)
      const type = field === undefined ? undefined : table!.columns[field]!.name
      const isAgreed = others.every((other) => other.columns[other.fieldOf(column)]!.name === type)
      const isConverted = field !== undefined && isAgreed && value !== null
      renamed[field ?? column] = isConverted ? table!.fromDriver(field, value) : value
    }
    return renamed
  }
}

/** Returns Kysely whose queries and rows use the names and types of the models' fields. */
/** The columns with their names of the database. A query inside another one is transformed twice, and renamed only once. */
const renamed = new WeakSet<OperationNode>()

export function kyselyOf<Tables>(
  runners: readonly StatementRunner[],
  database: string,
): Kysely<Tables> {
  const names = new TableNames(runners.map(({ table }) => table))
  const { OperationNodeTransformer } = loadKysely()
  const rename = (node: ColumnNode, tableName?: string): ColumnNode => {
    if (renamed.has(node)) return node
    const column = withName(node, names.columnOf(node.column.name, tableName))
    renamed.add(column)
    return column
  }
  class NameTransformer extends OperationNodeTransformer {
    protected override transformReference(node: ReferenceNode): ReferenceNode {
      const { column, table } = node
      if (column.kind !== 'ColumnNode') return super.transformReference(node)
      const own = rename(column, table?.table.identifier.name)
      return super.transformReference({ ...node, column: own })
    }
    protected override transformColumn(node: ColumnNode): ColumnNode {
      return rename(node)
    }
  }
  const transformer = new NameTransformer()
  return currentDatabase(database).kysely.withPlugin({
    transformQuery: ({ node }) => transformer.transformNode(node),
    transformResult: async ({ result }) => ({
      ...result,
      rows: result.rows.map((row) => names.toRow(row)),
    }),
  }) as unknown as Kysely<Tables>
}

/** Runs SQL and returns its rows by field. Throws if a column is missing, or if a field that is not optional is NULL. */
export async function findRowsBySql<C extends Columns>(
  columns: C,
  statement: Statement,
  databaseName: string,
): Promise<RowOfColumns<C>[]> {
  const table = new Table('sql', columns, {})
  const { rows } = await currentDatabase(databaseName).query(statement)
  return rows.map((row) => {
    const result: Record<string, unknown> = {}
    for (const field of table.fields) {
      const column = Object.hasOwn(row, field) ? field : table.columnName(field)
      const value = row[column]
      const isMissing = !Object.hasOwn(row, column)
      if (isMissing || (value === null && !isOptionalType(columns[field]!)))
        throw new FwError(
          'model.query-invalid',
          `The rows of the SQL have ${isMissing ? 'no column' : 'NULL in the column'} '${table.columnName(field)}' for the field '${field}': ${statement.sql}`,
        )
      result[field] = table.fromDriver(field, value)
    }
    return result as RowOfColumns<C>
  })
}
