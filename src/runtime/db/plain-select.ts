/** Recognises Kysely queries that only read. */
import type { OperationNode, RawNode, RootOperationNode, SelectQueryNode } from 'kysely'

/** The kinds of Kysely nodes that do not write, lock or call a function. Every other kind counts as a write. */
const plainKinds: ReadonlySet<string> = new Set([
  'AliasNode',
  'AndNode',
  'BinaryOperationNode',
  'CaseNode',
  'ColumnNode',
  'CommonTableExpressionNameNode',
  'CommonTableExpressionNode',
  'FromNode',
  'GroupByItemNode',
  'GroupByNode',
  'HavingNode',
  'IdentifierNode',
  'JoinNode',
  'LimitNode',
  'OffsetNode',
  'OnNode',
  'OperatorNode',
  'OrderByItemNode',
  'OrderByNode',
  'OrNode',
  'ParensNode',
  'PrimitiveValueListNode',
  'ReferenceNode',
  'SchemableIdentifierNode',
  'SelectAllNode',
  'SelectionNode',
  'SelectQueryNode',
  'SetOperationNode',
  'TableNode',
  'TupleNode',
  'UnaryOperationNode',
  'ValueListNode',
  'ValueNode',
  'WhenNode',
  'WhereNode',
  'WithNode',
])

/** True for a SELECT without writes, locks, raw SQL and function calls. */
export function isPlainSelect(query: RootOperationNode): boolean {
  return query.kind === 'SelectQueryNode' && isPlain(query)
}

/** Like `isPlainSelect`, but ignores the last selected expression of the query. */
export function isPlainSelectBeforeLast(query: RootOperationNode): boolean {
  if (query.kind !== 'SelectQueryNode') return false
  return isPlain({ ...query, selections: query.selections?.slice(0, -1) } as SelectQueryNode)
}

function isPlain(node: OperationNode): boolean {
  if (!plainKinds.has(node.kind)) return isDirection(node) || isDistinct(node)
  if (node.kind === 'ValueNode' || node.kind === 'PrimitiveValueListNode') return true
  return Object.values(node).every(isPlainPart)
}

function isPlainPart(part: unknown): boolean {
  if (Array.isArray(part)) return part.every(isPlainPart)
  return typeof part !== 'object' || part === null || isPlain(part as OperationNode)
}

/** Whether the node is a sort direction, which Kysely represents as raw SQL. */
function isDirection(node: OperationNode): boolean {
  if (node.kind !== 'RawNode') return false
  const { sqlFragments, parameters } = node as RawNode
  return parameters.length === 0 && (sqlFragments[0] === 'asc' || sqlFragments[0] === 'desc')
}

const isDistinct = (node: OperationNode): boolean =>
  node.kind === 'SelectModifierNode' && 'modifier' in node && node.modifier === 'Distinct'
