/** Writes single records: inserts, updates by id and deletes, with the hooks of the model. */
import { FwError, HttpError } from '../base.ts'
import { collectAttributes, type Attributes } from './attributes.ts'
import type { Columns } from './column.ts'
import { saveWithHooks, type ModelHooks } from './hooks.ts'
import * as sql from './model-sql.ts'
import type { StatementRunner } from './statement-runner.ts'
import { insertUnlessThere, upsertRow } from './upsert.ts'

type AnyRow = Record<string, unknown>
type Keyed = { readonly by: string | readonly string[]; readonly update?: readonly string[] }

/** The maximum number of parameters in one statement; PostgreSQL accepts at most 65,535. */
const maxParameters = 60_000

export class RecordWriter {
  readonly #runner: StatementRunner
  readonly #hooks: ModelHooks<Columns> | undefined

  constructor(runner: StatementRunner, hooks: ModelHooks<Columns> | undefined) {
    this.#runner = runner
    this.#hooks = hooks
  }

  /** Inserts a row and returns its primary key. */
  async insertAndReturnId(permitted: unknown): Promise<unknown> {
    const { table } = this.#runner
    if (this.#hooks !== undefined) return (await this.insert(permitted))[table.primaryKey]
    const { fields, values, shape } = collectAttributes(table, permitted)
    const key = `insert${shape}`
    const cache = this.#runner.sql
    const statement = cache.get(key) ?? cache.add(key, sql.insertSql(table, fields))
    return (await this.#runner.run<{ id: unknown }>(statement, values)).rows[0]?.id
  }

  /** Inserts a row and returns it. */
  async insert(permitted: unknown): Promise<AnyRow> {
    const rows = await this.#save([permitted], true, ([attributes]) => this.#insertOne(attributes!))
    return rows[0]!
  }

  /** Inserts all rows or none, with as few statements as the parameter limit allows. */
  async insertAll(permitted: readonly unknown[]): Promise<AnyRow[]> {
    if (permitted.length === 0) return []
    return this.#save(permitted, true, (attributes) => this.#insertMany(attributes))
  }

  async upsert(permitted: unknown, options: Keyed): Promise<AnyRow> {
    const write = ([attributes]: readonly Attributes[]) =>
      upsertRow(this.#runner, attributes!, options)
    return (await this.#save([permitted], true, write))[0]!
  }

  async insertUnlessThere(permitted: unknown, options: Keyed) {
    let isNew = true
    const write = async ([attributes]: readonly Attributes[]) => {
      const result = await insertUnlessThere(this.#runner, attributes!, options)
      isNew = result.isNew
      return [result.row]
    }
    const rows = await this.#save([permitted], true, write)
    return { row: rows[0]!, isNew }
  }

  /** Updates a row and returns the number of changed rows, 0 or 1. @throws HttpError 409 `model.row-changed` */
  async update(id: unknown, permitted: unknown): Promise<number> {
    const runner = this.#runner
    if (this.#hooks === undefined) {
      const { statement, parameters, isLocked } = this.#updateOf(
        id,
        collectAttributes(runner.table, permitted),
        false,
      )
      const { count } = await runner.run(statement, parameters)
      if (count === 0 && isLocked) await this.#checkAbsent(id)
      return count
    }
    const rows = await this.#save([permitted], false, async ([attributes]) => {
      const { statement, parameters, isLocked } = this.#updateOf(id, attributes!, true)
      const found = await runner.find(statement, parameters, false)
      if (found.length === 0 && isLocked) await this.#checkAbsent(id)
      return found
    })
    return rows.length
  }

  async delete(id: unknown): Promise<number> {
    const { sql: cache, table } = this.#runner
    const statement = cache.get('delete') ?? cache.add('delete', sql.deleteSql(table))
    return (await this.#runner.run(statement, [id])).count
  }

  /** Adds to a number field and returns the new value; `undefined` if no row has this id. */
  async increment(id: unknown, name: string, by: unknown): Promise<unknown> {
    const { sql: cache, table } = this.#runner
    const field = table.fieldOf(name)
    const shape = `increment ${field}`
    const statement = cache.get(shape) ?? cache.add(shape, sql.incrementSql(table, field))
    const { rows } = await this.#runner.run<{ value: unknown }>(statement, [id, by])
    return rows[0] === undefined ? undefined : table.fromDriver(field, rows[0].value)
  }

  /** Sets `updatedAt`. @throws FwError `model.definition-invalid` */
  async touch(id: unknown): Promise<number> {
    const { sql: cache, table } = this.#runner
    if (!table.has('updatedAt'))
      throw new FwError(
        'model.definition-invalid',
        `The model of '${table.name}' declares no 'updatedAt', which touch sets.`,
      )
    const statement = cache.get('touch') ?? cache.add('touch', sql.touchSql(table))
    return (await this.#runner.run(statement, [id])).count
  }

  #save(
    permitted: readonly unknown[],
    isNew: boolean,
    write: (attributes: readonly Attributes[]) => Promise<AnyRow[]>,
  ): Promise<AnyRow[]> {
    const [runner, hooks] = [this.#runner, this.#hooks]
    if (hooks !== undefined) return saveWithHooks({ runner, hooks, permitted, isNew, write })
    return write(permitted.map((values) => collectAttributes(runner.table, values)))
  }

  #insertOne({ fields, values, shape }: Attributes): Promise<AnyRow[]> {
    const { sql: cache, table } = this.#runner
    const key = `insert row${shape}`
    const statement = cache.get(key) ?? cache.add(key, sql.insertRowSql(table, fields))
    return this.#runner.find(statement, values, false)
  }

  #insertMany(attributes: readonly Attributes[]): Promise<AnyRow[]> {
    const { table } = this.#runner
    const fields = [...new Set(attributes.flatMap((row) => row.fields))]
    const size = Math.max(1, Math.floor(maxParameters / Math.max(1, fields.length)))
    const insert = (rows: readonly Attributes[]) => {
      const text = sql.insertRowsSql(
        table,
        fields,
        rows.map((row) => row.fields),
      )
      const values = rows.flatMap((row) => row.values)
      return this.#runner.find({ sql: text, name: undefined }, values, false)
    }
    if (attributes.length <= size) return insert(attributes)
    return this.#runner.inTransaction(async () => {
      const rows: AnyRow[] = []
      for (let at = 0; at < attributes.length; at += size)
        for (const row of await insert(attributes.slice(at, at + size))) rows.push(row)
      return rows
    })
  }

  #updateOf(id: unknown, { fields, values, shape }: Attributes, returnsRow: boolean) {
    const { sql: cache, table } = this.#runner
    const { lockVersion } = table
    const lockAt = lockVersion === undefined ? -1 : fields.indexOf(lockVersion)
    const isLocked = lockAt >= 0
    const version = isLocked ? values.splice(lockAt, 1) : []
    if (isLocked) fields.splice(lockAt, 1)
    const returning = returnsRow ? ` returning ${table.selection}` : ''
    const key = `update${returnsRow ? ' row' : ''}${shape}`
    const statement =
      cache.get(key) ?? cache.add(key, sql.updateSql(table, fields, { isLocked, returning }))
    return { statement, parameters: [id, ...values, ...version], isLocked }
  }

  /** Throws `model.row-changed` if a row with this id exists: its lock version then prevented the update. */
  async #checkAbsent(id: unknown): Promise<void> {
    const { sql: cache, table } = this.#runner
    const statement = cache.get('id') ?? cache.add('id', sql.byIdSql(table))
    const { rows } = await this.#runner.run(statement, [id], true)
    if (rows.length > 0) throw rowChangedError()
  }
}

const rowChangedError = (): HttpError =>
  new HttpError(
    409,
    'model.row-changed',
    'Someone else has changed this meanwhile. Load it again, then repeat the change.',
  )
