/** The description of a model: its table, its fields and its output, without finders. */
import { FwError } from '../base.ts'
import type { ParamType, ParamValueOf } from '../params.ts'
import type { Columns, RowOfColumns } from './column.ts'
import type { ModelQuery, Scope } from './model-query.ts'
import { setRunner, type StatementRunner } from './statement-runner.ts'
import type { Table } from './table.ts'
import { ModelView, type PartsOf, type ViewOf, type ViewOptions } from './view.ts'

/** The type of a model's primary key; `never` for a model without one. */
export type IdOf<C extends Columns, K extends string = 'id'> = K extends keyof C
  ? ParamValueOf<C[K]>
  : never

type Row<C extends Columns> = RowOfColumns<C>

/** The members that all models have, independent of the type of their primary key. */
export interface Described<T extends string, C extends Columns> {
  readonly table: T
  readonly columns: C
  readonly primaryKey: string
}

/** The row type of a model. */
export type RowOf<M> = M extends Described<string, infer C> ? RowOfColumns<C> : never

/** The members of all models that read no rows. */
export class ModelDescription<
  T extends string,
  C extends Columns,
  K extends string = string,
  H extends string = string,
> {
  readonly table: T
  readonly primaryKey: string
  readonly #table: Table

  constructor(runner: StatementRunner) {
    this.#table = runner.table
    this.table = runner.table.name as T
    this.primaryKey = runner.table.primaryKey
    setRunner(this, runner)
  }

  /** The declared fields and their types. */
  get columns(): C {
    return this.#table.columns as C
  }

  /** The field of the option `lockVersion`. */
  get lockVersion(): string | undefined {
    return this.#table.lockVersion
  }

  /** The fields that the option `hidden` names. */
  get hiddenFields(): ReadonlySet<H> {
    return this.#table.hidden as ReadonlySet<H>
  }

  /**
   * Defines the output of rows: fields, computed members with their types, and relations with the views of their rows. Listing
   * a hidden field includes it in the output.
   */
  view<const F extends keyof C & keyof Row<C> & string, X = object, const V = object>(
    options: ViewOptions<T, C, F, X, V>,
  ): ModelView<Row<C>, ViewOf<Row<C>, F, X, V>, PartsOf<Row<C>, F, X, V>> {
    return new ModelView(this.#table, options as never)
  }

  /** Returns some fields with their types, for `permit` and forms: `params.permit(Member.pick('name', 'birthday'))`. */
  pick<const F extends keyof C & string>(...fields: readonly F[]): Pick<C, F> {
    const { columns } = this
    const entries = fields.map((field) => [field, columns[this.fieldOf(field) as F]] as const)
    return Object.fromEntries(entries) as unknown as Pick<C, F>
  }

  /** Returns the field with this name or with this column name. @throws FwError `model.column-unknown` */
  fieldOf(name: string): string {
    return this.#table.fieldOf(name)
  }

  /**
   * The type of the primary key.
   * @throws FwError `model.definition-invalid` for a model without a primary key
   */
  get idType(): ParamType<IdOf<C, K>> {
    const type = this.#table.columns[this.primaryKey]
    if (type) return type as ParamType<IdOf<C, K>>
    throw new FwError(
      'model.definition-invalid',
      `The model of '${this.table}' declares no '${this.primaryKey}': name its primaryKey.`,
    )
  }

  idOf(row: Row<C>): IdOf<C, K> {
    return (row as Record<string, unknown>)[this.primaryKey] as IdOf<C, K>
  }

  /**
   * Defines reusable query steps for `ModelQuery.apply`: `Member.scope((members) => members.where({ isActive: true }))`.
   * Applying a scope does not change the query's type.
   */
  scope<R, Row>(steps: (query: ModelQuery<T, C>) => ModelQuery<T, C, R, Row>): Scope<T> {
    return { owner: this.table, steps: (query) => steps(query as never) as never }
  }
}
