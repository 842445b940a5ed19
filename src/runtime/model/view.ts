/** The output of a model's rows: selected fields, computed members, and related rows with views of their own. */
import type { ParamType, ParamTypes, ParamValueOf } from '../params.ts'
import type { Columns, RowOfColumns } from './column.ts'
import type { Attachable } from './compile-query.ts'
import { findRunner } from './statement-runner.ts'
import type { Table } from './table.ts'

type AnyRow = Record<string, unknown>

/** A computed member: its type, for the OpenAPI schema, and the function that computes it from the row. */
type Computed<Row, Type> = readonly [
  type: Type,
  compute: (row: Row) => ParamValueOf<Type> | undefined,
]

/** A relation and the view of its rows. */
type ViewedRelation<T extends string> = readonly [
  relation: Attachable & { readonly owner: T; readonly value: unknown },
  view: ModelView<never, unknown>,
]

/** The options of a view, which define its members. */
export interface ViewOptions<T extends string, C extends Columns, F, X, V> {
  readonly fields: readonly F[]
  readonly computed?: { readonly [K in keyof X]: Computed<RowOfColumns<C>, X[K]> }
  readonly relations?: V & Readonly<Record<string, ViewedRelation<T>>>
}

type OptionalKeys<Row> = { [K in keyof Row]: undefined extends Row[K] ? K : never }[keyof Row]
type Flat<T> = { [K in keyof T]: T[K] } & {}

/** The type of a relation in the output: a list of views, one view, or `null`. */
type ViewedValue<E> = E extends readonly [
  { readonly value: infer Value },
  ModelView<never, infer Out>,
]
  ? Value extends readonly unknown[]
    ? readonly Out[]
    : undefined extends Value
      ? Out | null
      : Out
  : never

/** The type of a view's output. NULL is `null`, and no member is missing. */
export type ViewOf<Row, F extends keyof Row, X, V> = Flat<
  {
    readonly [K in F]-?: K extends OptionalKeys<Row> ? Exclude<Row[K], undefined> | null : Row[K]
  } & { readonly [K in keyof X]: ParamValueOf<X[K]> | null } & {
    readonly [K in keyof V]: ViewedValue<V[K]>
  }
>

/** The type of a view's own members, and for each relation the types of its value and of the parts of its view. */
export interface ViewParts<Own = unknown, Related = unknown> {
  readonly own: Own
  readonly related: Related
}

/** The type of the parts of a view with these options. */
export type PartsOf<Row, F extends keyof Row, X, V> = ViewParts<
  ViewOf<Row, F, X, object>,
  {
    readonly [K in keyof V]: V[K] extends readonly [unknown, ModelView<never, unknown, infer P>]
      ? readonly [value: ViewedValue<V[K]>, parts: P]
      : never
  }
>

interface AnyOptions {
  readonly fields: readonly string[]
  readonly computed?: Readonly<Record<string, Computed<never, ParamType<unknown>>>>
  readonly relations?: Readonly<Record<string, ViewedRelation<string>>>
}

/** A view of a model's rows, created by `FwModel.view`. As the body of a described response, it is the schema of one row. */
export class ModelView<Row, Out, Parts = unknown> {
  /** Exists only for TypeScript; has no value at run time. */
  declare readonly output: Out
  /** Exists only for TypeScript; has no value at run time. */
  declare readonly parts: Parts
  /** The types of fields and computed members. */
  readonly columns: ParamTypes
  /** The views of relations by name. */
  readonly related: Readonly<
    Record<string, { readonly view: ModelView<never, unknown>; readonly isList: boolean }>
  >
  readonly #options: AnyOptions

  constructor(table: Table, options: AnyOptions) {
    this.#options = options
    const fields = options.fields.map((name) => {
      const field = table.fieldOf(name)
      return [field, table.columns[field]!] as const
    })
    const computed = Object.entries(options.computed ?? {}).map(
      ([name, [type]]) => [name, type] as const,
    )
    this.columns = Object.fromEntries([...fields, ...computed])
    this.related = Object.fromEntries(
      Object.entries(options.relations ?? {}).map(([name, [relation, view]]) => [
        name,
        { view, isList: relation.isList === true },
      ]),
    )
  }

  /**
   * Returns the output of rows. Loads relations with one statement per relation and level, for all rows together. `model` is the
   * model that found the rows: with `Note.scoped(user.id)`, related rows of the same scope alone are loaded.
   */
  async load(rows: readonly Row[], model?: object): Promise<Out[]> {
    const { fields, computed = {}, relations = {} } = this.#options
    const outputs = (rows as readonly AnyRow[]).map((row) => {
      const output: AnyRow = {}
      for (const field of fields) output[field] = row[field] ?? null
      for (const [name, [, compute]] of Object.entries(computed))
        output[name] = compute(row as never) ?? null
      return output
    })
    for (const related of Object.entries(relations))
      await loadRelation({ rows: rows as readonly AnyRow[], outputs, model }, related)
    return outputs as Out[]
  }

  /** Returns the output of one row. See `load` for `model`. */
  async loadOne(row: Row, model?: object): Promise<Out> {
    return (await this.load([row], model))[0]!
  }
}

/** The rows of a view, their outputs, and the model that found them. */
interface Loading {
  readonly rows: readonly AnyRow[]
  readonly outputs: readonly AnyRow[]
  readonly model: object | undefined
}

async function loadRelation(
  { rows, outputs, model }: Loading,
  [name, [relation, view]]: readonly [string, ViewedRelation<string>],
): Promise<void> {
  const key = relation.ownerField
  const owners: AnyRow[] = rows.map((row) => ({ [key]: row[key] }))
  await relation.attach(owners, name, model && findRunner(model))
  // Compute the output of each related row once, because it may belong to several rows.
  const found = [...new Set(owners.flatMap((owner) => (owner[name] ?? []) as AnyRow | AnyRow[]))]
  const views = await view.load(found as never[], model)
  const outputOf = new Map<unknown, unknown>(found.map((row, at) => [row, views[at]]))
  for (const [at, owner] of owners.entries()) {
    const value = owner[name] as AnyRow | AnyRow[] | undefined
    const output = Array.isArray(value)
      ? value.map((row) => outputOf.get(row))
      : outputOf.get(value)
    outputs[at]![name] = value === undefined ? null : output
  }
}
