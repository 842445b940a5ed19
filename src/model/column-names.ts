/** Kysely's query with fields in camel case to one with columns in snake case; what it selects keeps its alias. */
import {
  type ColumnNode,
  type KyselyPlugin,
  OperationNodeTransformer,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
} from 'kysely'
import type { Table } from './table.ts'

class ColumnTransformer extends OperationNodeTransformer {
  readonly #table: Table

  constructor(table: Table) {
    super()
    this.#table = table
  }

  protected override transformColumn(node: ColumnNode): ColumnNode {
    const { column } = node
    return { ...node, column: { ...column, name: this.#table.columnName(column.name) } }
  }
}

/** Field names of the table stand for its columns wherever a column may stand. */
export function columnNames(table: Table): KyselyPlugin {
  const transformer = new ColumnTransformer(table)
  return {
    transformQuery: ({ node }: PluginTransformQueryArgs) => transformer.transformNode(node),
    transformResult: async ({ result }: PluginTransformResultArgs) => result,
  }
}
