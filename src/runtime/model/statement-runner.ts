/** Runs the statements of a model with prepared SQL, and converts rows to the types of the fields. */
import { FwError } from '../base.ts'
import { addCallSite, currentDatabase, type Database, type StatementResult } from '../db.ts'
import type { FoundRows } from './found-rows.ts'
import type { Attributes, Table } from './table.ts'

type AnyRow = Record<string, unknown>

/** An SQL text, and the name of its prepared statement; without a name, the statement is not prepared. */
export interface PreparedSql {
  readonly sql: string
  readonly name?: string | undefined
}

/** The maximum number of prepared shapes. Permit lists limit the fields of a write, but a PATCH may send any subset of a list. */
const maxShapes = 200

let models = 0

/** The prepared statements of a table, which its runners share. */
class PreparedStatements {
  readonly table: Table
  readonly #prepared = new Map<string, PreparedSql>()
  readonly #prefix: string
  #scoped: PreparedStatements | undefined

  constructor(table: Table) {
    this.table = table
    this.#prefix = `fw_${++models}_${table.name.slice(0, 30)}`
  }

  /** The statements that reach only the rows of one owner. */
  get scoped(): PreparedStatements {
    return (this.#scoped ??= new PreparedStatements(this.table.scoped()))
  }

  prepare<A>(shape: string, compose: (table: Table, parts: A) => string, parts: A): PreparedSql {
    const known = this.#prepared.get(shape)
    if (known !== undefined) return known
    const sql = compose(this.table, parts)
    const { size } = this.#prepared
    if (size >= maxShapes) return { sql }
    const prepared = { sql, name: `${this.#prefix}_${size}` }
    this.#prepared.set(shape, prepared)
    return prepared
  }
}

const runners = new WeakMap<object, StatementRunner>()
/** Returns the runner of a model's statements; `undefined` for other objects. */
export const findRunner = (model: object): StatementRunner | undefined => runners.get(model)
export const runnerOf = (model: object): StatementRunner => findRunner(model)!
export const setRunner = (model: object, runner: StatementRunner): unknown =>
  runners.set(model, runner)

export const createRunner = (table: Table, databaseName = 'default'): StatementRunner =>
  new StatementRunner(databaseName, new PreparedStatements(table))

/** The field and the value that all rows of a scope have in common. */
interface RowScope {
  readonly field: string
  readonly value: unknown
}

export class StatementRunner {
  readonly table: Table
  /** The scope that restricts the statements; `undefined` if they reach all rows. */
  readonly scope: RowScope | undefined
  /** The last parameter of the statements that read or change rows: the value of the scope; empty without a scope. */
  readonly owner: readonly unknown[]
  readonly #databaseName: string
  readonly #statements: PreparedStatements

  constructor(databaseName: string, statements: PreparedStatements, scope?: RowScope) {
    this.table = statements.table
    this.scope = scope
    this.owner = scope === undefined ? [] : [this.table.toParameter(scope.field, scope.value)]
    this.#databaseName = databaseName
    this.#statements = statements
  }

  get database(): Database {
    return currentDatabase(this.#databaseName)
  }

  /**
   * Returns a runner that reaches only the rows of an owner.
   * @throws FwError `model.condition-undefined` without an owner
   */
  scopedTo(owner: unknown): StatementRunner {
    const { name, scopedBy: field = '' } = this.table
    if (owner === undefined || owner === null)
      throw new FwError(
        'model.condition-undefined',
        `The scope of the model of '${name}' needs a value for '${field}', but got ${owner}. Nobody may be logged in.`,
      )
    const scope = { field, value: owner }
    return new StatementRunner(this.#databaseName, this.#statements.scoped, scope)
  }

  /** Returns the SQL of a shape, which is a kind of statement with its fields. Composes it on the first call. */
  prepare(shape: string, compose: (table: Table) => string): PreparedSql
  prepare<A>(shape: string, compose: (table: Table, parts: A) => string, parts: A): PreparedSql
  prepare<A>(shape: string, compose: (table: Table, parts: A) => string, parts?: A): PreparedSql {
    return this.#statements.prepare(shape, compose, parts as A)
  }

  /** Returns the attributes of a new row, which belongs to the owner. */
  attributesOfNew(attributes: Attributes): Attributes {
    const { scope, owner } = this
    if (scope === undefined) return attributes
    const { fields, values, shape } = this.attributesOfChange(attributes)
    return {
      fields: [...fields, scope.field],
      values: [...values, ...owner],
      shape: `${shape} ${scope.field}`,
    }
  }

  /** Returns the attributes of a change without the owner, because a change keeps the row in its scope. */
  attributesOfChange(attributes: Attributes): Attributes {
    const owner = this.scope?.field
    // The values may contain the field twice: by its name and by that of its column.
    if (owner === undefined || !attributes.fields.includes(owner)) return attributes
    const isKept = (_value: unknown, at: number): boolean => attributes.fields[at] !== owner
    const fields = attributes.fields.filter(isKept)
    const shape = fields.map((field) => ` ${field}`).join('')
    return { fields, values: attributes.values.filter(isKept), shape }
  }

  /** Runs a statement that selects all fields of the model, and returns its rows. */
  async find(
    statement: PreparedSql,
    parameters: readonly unknown[],
    isRead: boolean,
  ): Promise<AnyRow[]> {
    return (await this.findUnread(statement, parameters, isRead)).rows
  }

  /** Runs a statement that selects all fields of the model, and returns its rows, which are not created yet. */
  async findUnread(
    statement: PreparedSql,
    parameters: readonly unknown[],
    isRead: boolean,
  ): Promise<FoundRows> {
    const { rows } = await this.run<unknown[]>(statement, parameters, isRead, true)
    return this.table.foundRows(rows)
  }

  async run<R = AnyRow>(
    { sql, name }: PreparedSql,
    parameters: readonly unknown[],
    isRead = false,
    asArrays = false,
  ): Promise<StatementResult<R>> {
    const { database } = this
    try {
      return await database.query<R>({ sql, name, parameters, isRead, asArrays })
    } catch (error) {
      throw addCallSite(error)
    }
  }

  /** Runs `work` in the current transaction, or else in a new one. */
  inTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
    const { database } = this
    return database.currentTransaction() === undefined ? database.transaction(work) : work()
  }
}
