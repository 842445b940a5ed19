/** A model: the finders of a table, and its writes, which accept only permitted values. */
import type { Kysely } from 'kysely'
import { FwError, HttpError } from '../base.ts'
import type { Statement, StatementResult } from '../db.ts'
import type { ParamValueOf, PermittedValues } from '../params.ts'
import type { Columns, NewRow, NumberFields, RowOfColumns, SomeFields } from './column.ts'
import { findRowsBySql, kyselyOf, type TablesOfModels } from './kysely-tables.ts'
import type { IdOf } from './model-description.ts'
import type { ModelHooks } from './model-options.ts'
import type { ModelQuery, Relations } from './model-query.ts'
import * as sql from './model-sql.ts'
import { ReadOnlyModel } from './read-only-model.ts'
import { findRefusals } from './refusals.ts'
import type { FieldRefusal, ResourceModel } from './resource-model.ts'
import { type PreparedSql, runnerOf, type StatementRunner } from './statement-runner.ts'
import type { Attributes } from './table.ts'
import { insertUnlessThere, type UniqueKey, type UpsertOptions, upsertRow } from './upsert.ts'

/** The maximum number of parameters in one statement; PostgreSQL accepts at most 65,535. */
const maxParameters = 60_000

type AnyRow = Record<string, unknown>

/** Returns true if writes of a model call hooks. */
export let hasHooks: (model: object) => boolean
type Row<C extends Columns> = RowOfColumns<C>

/** A model with finders and writes, created by `model`. Rows are plain objects; every query joins the current transaction. */
export class FwModel<
  T extends string,
  C extends Columns,
  K extends string = string,
  H extends string = string,
>
  extends ReadOnlyModel<T, C, K, H>
  implements ResourceModel<Row<C>, IdOf<C, K>, H>
{
  declare readonly where: ModelQuery<T, C>['where']
  declare query: () => ModelQuery<T, C>
  declare include: <R extends Relations<T>>(relations: R) => ModelQuery<T, C, R>
  readonly #runner: StatementRunner
  readonly #hooks: ModelHooks<Columns> | undefined

  static {
    hasHooks = (model) => #hooks in model && model.#hooks !== undefined
  }

  constructor(runner: StatementRunner, hooks?: ModelHooks<Columns>) {
    super(runner)
    this.#runner = runner
    this.#hooks = hooks
  }

  /**
   * Returns Kysely with the tables of these models: `import * as models from './models.ts'`, then `FwModel.kysely(models)`. The
   * fields are its columns; NULL is `null`. Exports of the module that are not models are ignored.
   */
  static kysely<M extends object>(models: M, database = 'default'): Kysely<TablesOfModels<M>> {
    const known = Object.values(models).flatMap((model: unknown) =>
      model instanceof ReadOnlyModel ? [kyselyRunner(model)] : [],
    )
    return kyselyOf<TablesOfModels<M>>(known, database)
  }

  /**
   * Runs an SQL statement and converts its rows to the types of `columns`: `FwModel.findBySql({ total: ParamType.Long }, { sql,
   * parameters })`.
   * @throws FwError `model.query-invalid` for an absent column, and for NULL in a type that is not optional
   */
  static findBySql<const S extends Columns>(
    columns: S,
    statement: Statement,
    database = 'default',
  ): Promise<RowOfColumns<S>[]> {
    return findRowsBySql(columns, statement, database)
  }

  /** Returns the row with this id and locks it until the current transaction ends. */
  async findByIdForUpdate(id: IdOf<C, K>): Promise<Row<C> | undefined> {
    const statement = this.#runner.prepare('lock', sql.lockByIdSql)
    const parameters = [id, ...this.#runner.owner]
    return (await this.#runner.find(statement, parameters, false))[0] as Row<C> | undefined
  }

  /**
   * Inserts a row and returns its primary key, if the table has one.
   * @throws FwError `model.not-permitted` for values that are not from `permit`; QueryError
   * @spec Validation DSL › createWithPermittedAttributes
   */
  async createWithPermittedAttributes(
    attributes: PermittedValues & NewRow<C>,
  ): Promise<IdOf<C, K>> {
    if (this.#hooks !== undefined) return this.idOf(await this.create(attributes))
    const runner = this.#runner
    const own = runner.attributesOfNew(runner.table.permittedAttributes(attributes))
    const { fields, values, shape } = own
    const statement = runner.prepare(`insert${shape}`, sql.insertSql, fields)
    const { rows } = await runner.run<{ readonly id: IdOf<C, K> }>(statement, values)
    return rows[0]?.id as IdOf<C, K>
  }

  /**
   * Inserts a row and returns it, with the values that the database filled in.
   * @throws FwError `model.not-permitted` for values that are not from `permit`; QueryError
   */
  create(attributes: PermittedValues & NewRow<C>): Promise<Row<C>> {
    const runner = this.#runner
    return this.#saveNew(attributes, ({ fields, values, shape }) =>
      runner.find(runner.prepare(`create${shape}`, sql.insertRowsSql, fields), values, false),
    )
  }

  /** Inserts all rows or none, and returns the new rows in the same order. */
  async createAll(rows: readonly (PermittedValues & NewRow<C>)[]): Promise<Row<C>[]> {
    if (rows.length === 0) return []
    const insert = (attributes: readonly Attributes[]) => this.#insertMany(attributes)
    return (await this.#save(rows, true, insert)) as Row<C>[]
  }

  /**
   * Inserts a row, or updates the existing row with the same unique key: `upsert(values, { by: 'email' })`. Returns the row.
   * @throws QueryError if no unique constraint has the fields of `by`
   */
  upsert(attributes: PermittedValues & NewRow<C>, options: UpsertOptions<C>): Promise<Row<C>> {
    return this.#saveNew(attributes, (own) => upsertRow(this.#runner, own, options))
  }

  /** Inserts a row, unless a row with the same unique key exists; returns the new or the existing row. */
  async createUnlessThere(
    attributes: PermittedValues & NewRow<C>,
    key: UniqueKey<C>,
  ): Promise<{ readonly row: Row<C>; readonly isNew: boolean }> {
    let isNew = true
    const row = await this.#saveNew(attributes, async (own) => {
      const result = await insertUnlessThere(this.#runner, own, key)
      isNew = result.isNew
      return [result.row]
    })
    return { row, isNew }
  }

  /**
   * Updates a row: `Member.updateById(id).withPermittedAttributes(permitted)`. Returns 1, or 0 if no row has this id. Without values,
   * writes nothing, not even `updatedAt`, and calls no hooks.
   */
  updateById(id: IdOf<C, K>): {
    withPermittedAttributes(attributes: PermittedValues & SomeFields<C>): Promise<number>
  } {
    return { withPermittedAttributes: (attributes) => this.#update(id, attributes) }
  }

  /**
   * Adds `by` to a number field and returns the new value, or `undefined` if no row has this id. Concurrent increments are not
   * lost. Changes neither `updatedAt` nor the lock version.
   */
  async increment<const F extends NumberFields<C>>(
    id: IdOf<C, K>,
    field: F,
    by: ParamValueOf<C[F]> | 1 = 1,
  ): Promise<ParamValueOf<C[F]> | undefined> {
    const runner = this.#runner
    const { table } = runner
    const name = table.fieldOf(field)
    const statement = runner.prepare(`increment ${name}`, sql.incrementSql, name)
    const parameters = [id, by, ...runner.owner]
    const { rows } = await runner.run<{ readonly value: unknown }>(statement, parameters)
    return rows[0] && (table.fromDriver(name, rows[0].value) as ParamValueOf<C[F]>)
  }

  /**
   * Sets `updatedAt` to the database's current time. Returns the number of changed rows, 0 or 1.
   * @throws FwError `model.definition-invalid` for a model without `updatedAt`
   */
  async touch(id: IdOf<C, K>): Promise<number> {
    if (!this.#runner.table.has('updatedAt'))
      throw new FwError(
        'model.definition-invalid',
        `The model of '${this.table}' declares no 'updatedAt', which touch sets.`,
      )
    return this.#change(this.#runner.prepare('touch', sql.touchSql), id)
  }

  /** Deletes a row, or marks it as deleted if the model has `softDelete`. Returns the number of deleted rows, 0 or 1. */
  deleteById(id: IdOf<C, K>): Promise<number> {
    return this.#change(this.#runner.prepare('delete', sql.deleteSql), id)
  }

  async #change(statement: PreparedSql, id: unknown): Promise<number> {
    return (await this.#runner.run(statement, [id, ...this.#runner.owner])).count
  }

  refusals(error: unknown, values: PermittedValues): Promise<readonly FieldRefusal[] | undefined> {
    return findRefusals(this.#runner, error, values)
  }

  /** Checks the permitted values, then calls `write` and the hooks. */
  #save(
    permitted: readonly unknown[],
    isNew: boolean,
    write: (attributes: readonly Attributes[]) => Promise<AnyRow[]>,
  ): Promise<AnyRow[]> {
    const runner = this.#runner
    const hooks = this.#hooks
    const { table } = runner
    const { scope } = runner
    const owned = (attributes: Attributes): Attributes =>
      isNew ? runner.attributesOfNew(attributes) : runner.attributesOfChange(attributes)
    if (hooks === undefined)
      return write(permitted.map((values) => owned(table.permittedAttributes(values))))
    return runner.inTransaction(async () => {
      const attributes: Attributes[] = []
      for (const values of permitted) {
        const named = table.nameFields(table.checkPermitted(values))
        if (scope !== undefined && isNew) named[scope.field] = scope.value
        const more = await hooks.beforeSave?.(named, { isNew })
        attributes.push(owned(table.attributesOf({ ...named, ...more })))
      }
      const rows = await write(attributes)
      for (const row of rows) {
        await hooks.afterSave?.(row, { isNew })
        if (hooks.afterCommit !== undefined)
          runner.database
            .currentTransaction()
            ?.afterCommit(() => hooks.afterCommit?.(row, { isNew }))
      }
      return rows
    })
  }

  async #saveNew(
    permitted: PermittedValues,
    write: (attributes: Attributes) => Promise<AnyRow[]>,
  ): Promise<Row<C>> {
    const [row] = await this.#save([permitted], true, ([attributes]) => write(attributes!))
    return row as Row<C>
  }

  /** Inserts rows with as few statements as the parameter limit allows. */
  #insertMany(attributes: readonly Attributes[]): Promise<AnyRow[]> {
    const runner = this.#runner
    const fields = [...new Set(attributes.flatMap((row) => row.fields))]
    const size = Math.max(1, Math.floor(maxParameters / Math.max(1, fields.length)))
    const insert = (rows: readonly Attributes[]) => {
      const own = rows.map((row) => row.fields)
      const values = rows.flatMap((row) => row.values)
      return runner.find({ sql: sql.insertRowsSql(runner.table, fields, own) }, values, false)
    }
    if (attributes.length <= size) return insert(attributes)
    return runner.inTransaction(async () => {
      const rows: AnyRow[] = []
      for (let at = 0; at < attributes.length; at += size)
        for (const row of await insert(attributes.slice(at, at + size))) rows.push(row)
      return rows
    })
  }

  async #update(id: unknown, permitted: unknown): Promise<number> {
    const { table } = this.#runner
    const keys = Object.keys(table.checkPermitted(permitted))
    const kept = [table.lockVersion, table.scope]
    const isUnchanged = keys.every((key) => kept.includes(table.fieldOf(key)))
    if (this.#hooks === undefined || isUnchanged) {
      const attributes = this.#runner.attributesOfChange(table.permittedAttributes(permitted))
      return (await this.#updateRow(id, attributes, false)).count
    }
    const rows = await this.#save([permitted], false, async ([attributes]) => {
      const { rows: results } = await this.#updateRow(id, attributes!, true)
      return table.foundRows(results).rows
    })
    return rows.length
  }

  /** @throws HttpError 409 `model.row-changed` if the row has another lock version */
  async #updateRow(
    id: unknown,
    { fields, values, shape }: Attributes,
    returnsRow: boolean,
  ): Promise<StatementResult<unknown[]>> {
    const runner = this.#runner
    const { lockVersion } = runner.table
    const lockAt = lockVersion === undefined ? -1 : fields.indexOf(lockVersion)
    const isLocked = lockAt >= 0
    const version = isLocked ? values.splice(lockAt, 1) : []
    if (isLocked) fields.splice(lockAt, 1)
    const key = `update${returnsRow ? ' row' : ''}${shape}`
    const statement = runner.prepare(key, sql.updateSql, { fields, isLocked, returnsRow })
    // Without RETURNING there are no rows, which need not be arrays then.
    const result = await runner.run<unknown[]>(
      statement,
      [id, ...values, ...version, ...runner.owner],
      false,
      returnsRow,
    )
    if (result.count > 0 || !isLocked) return result
    // If the row exists, only its lock version can have prevented the update.
    const found = [id, ...runner.owner]
    const { rows } = await runner.run(runner.prepare('id', sql.byIdSql), found, true)
    if (rows.length === 0) return result
    throw new HttpError(
      409,
      'model.row-changed',
      'Someone else has changed this meanwhile. Load it again, then repeat the change.',
    )
  }
}

/** @throws FwError `model.definition-invalid` for a model with a scope, because Kysely reaches all rows of its table */
function kyselyRunner(model: ReadOnlyModel<string, Columns>): StatementRunner {
  const runner = runnerOf(model)
  if (runner.scope === undefined) return runner
  throw new FwError(
    'model.definition-invalid',
    `Kysely reaches the rows of all owners of '${model.table}': pass the model's unscoped, and add the condition yourself.`,
  )
}
