/** Kysely's query with fields in camel case to one with columns in snake case; what it selects keeps its alias. */
import {
  type ColumnNode,
  type KyselyPlugin,
  OperationNodeTransformer,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
} from 'kysely'
import { toSnakeCase } from '../params.ts'

class ColumnTransformer extends OperationNodeTransformer {
  protected override transformColumn(node: ColumnNode): ColumnNode {
    const { column } = node
    return { ...node, column: { ...column, name: toSnakeCase(column.name) } }
  }
}

const transformer = new ColumnTransformer()

/** Field names stand for columns wherever a column may stand. */
export const columnNames: KyselyPlugin = {
  transformQuery: ({ node }: PluginTransformQueryArgs) => transformer.transformNode(node),
  transformResult: async ({ result }: PluginTransformResultArgs) => result,
}
