/** Builds the conditions of `where`: comparisons of fields, and conditions on related rows. */
import { referenceOf, type LooseBuilder, type QueryState } from './compile-query.ts'
import type { relatedCondition } from './include.ts'

/** A relation that returns a condition on the rows of its owner. */
interface Conditional {
  condition(refine: (state: QueryState) => QueryState): ReturnType<typeof relatedCondition>
}

/** Whether the value is a relation. Returns false for `where` values that contain a field named `condition`. */
export const isConditional = (value: unknown): value is Conditional =>
  typeof value === 'object' &&
  value !== null &&
  'condition' in value &&
  typeof value.condition === 'function'

/** A condition of `where` with a field, an operator and a value. */
interface Comparison {
  readonly name: string
  readonly operator: unknown
  readonly value: unknown
}

export function compare(
  builder: LooseBuilder,
  { runner: { table } }: QueryState,
  { name, operator, value }: Comparison,
): LooseBuilder {
  const field = referenceOf(table, name)
  table.checkCondition(name, value)
  if (value === null && operator === '=') return builder.where(field, 'is', null)
  if (value === null && operator === '!=') return builder.where(field, 'is not', null)
  return builder.where(field, operator as '=', value)
}

/** Adds the conditions that fields, and fields of included relations, equal the values. */
export function equal(state: QueryState, values: object): LooseBuilder {
  const { table } = state.runner
  let { builder } = state
  for (const [name, value] of Object.entries(values)) {
    const relation = table.knows(name) ? undefined : state.relations[name]
    builder = isConditional(relation)
      ? related(builder, state, relation, value)
      : compare(builder, state, { name, operator: '=', value })
  }
  return builder
}

export function related(
  builder: LooseBuilder,
  { runner }: QueryState,
  relation: Conditional,
  values: unknown = {},
): LooseBuilder {
  const { field, among } = relation.condition((state) => ({
    ...state,
    builder: equal(state, values as object),
  }))
  return builder.where(referenceOf(runner.table, field), 'in', among as never)
}
