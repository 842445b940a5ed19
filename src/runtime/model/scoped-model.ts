/** A model whose rows have owners. Finders and writes are members of the model of one owner's rows. */
import type { ParamValueOf, PermittedValues } from '../params.ts'
import type { Columns, DefaultedType } from './column.ts'
import { FwModel } from './fw-model.ts'
import { ModelDescription } from './model-description.ts'
import type { ModelHooks } from './model-options.ts'
import { findRefusals } from './refusals.ts'
import type { FieldRefusal } from './resource-model.ts'
import type { StatementRunner } from './statement-runner.ts'

/** The type of the field that contains the owner. */
type OwnerOf<C extends Columns, S extends keyof C> = Exclude<ParamValueOf<C[S]>, undefined | null>

/** The columns of an owner's rows. Writes need no owner, because the scope sets it. */
type ScopedColumns<C extends Columns, S extends keyof C> = {
  readonly [F in keyof C]: F extends S ? DefaultedType<OwnerOf<C, S>> : C[F]
}

/**
 * A model with the option `scopedBy`, created by `model`. It has no finders and no writes of its own: `Note.scoped(user.id)` has
 * those of the owner's rows, and `Note.unscoped` those of all rows.
 */
export class ScopedModel<
  T extends string,
  C extends Columns,
  S extends keyof C & string,
  K extends string = string,
  H extends string = string,
> extends ModelDescription<T, C, K, H> {
  /** The field that contains the owner of a row. */
  readonly scopedBy: S
  /** The model of all rows, independent of their owners: for administration, jobs, seeds and tests. */
  readonly unscoped: FwModel<T, C, K, H>
  readonly #runner: StatementRunner
  readonly #hooks: ModelHooks<Columns> | undefined

  constructor(runner: StatementRunner, unscoped: FwModel<T, C, K, H>, hooks?: ModelHooks<Columns>) {
    super(runner)
    this.scopedBy = runner.table.scopedBy as S
    this.unscoped = unscoped
    this.#runner = runner
    this.#hooks = hooks
  }

  /**
   * Returns the model of the rows that belong to `owner`. Every finder, count, aggregate, update and deletion has the condition,
   * also queries with `modify`, locks, streams and statements over many rows. New rows get the owner, whatever the values contain,
   * and no write moves a row to another owner. Relations to models with the same `scopedBy` have only the owner's rows.
   * @throws FwError `model.condition-undefined` without an owner
   */
  scoped(owner: OwnerOf<C, S>): FwModel<T, ScopedColumns<C, S>, K, H> {
    return new FwModel(this.#runner.scopedTo(owner), this.#hooks)
  }

  /** Returns the fields whose values the database rejected in a write that failed with `error`. */
  refusals(error: unknown, values: PermittedValues): Promise<readonly FieldRefusal[] | undefined> {
    return findRefusals(this.#runner, error, values)
  }
}
