/**
 * Local settings: settings of PostgreSQL such as `app.tenant`, which the policies of row-level security read. Each statement has
 * those of its async context. Around a statement outside a transaction, the connection sends BEGIN, `set local` and COMMIT, so
 * that no other caller of the connection has them.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { FwError } from '../base.ts'

/** The value of a local setting; undefined is an empty text. */
export type LocalSettingValue = string | number | bigint | boolean | undefined

/** The values of local settings by name, such as `app.tenant`, or `role`. */
export type LocalSettingValues = Readonly<Record<string, LocalSettingValue>>

/** The names of an application's own settings, which contain a dot, and `role`. */
const namePattern = /^(?:role|[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)+)$/

/** @throws FwError `db.parameter-invalid` */
export function checkSettingNames(names: readonly string[]): void {
  const invalid = names.find((name) => !namePattern.test(name))
  if (invalid === undefined) return
  throw new FwError(
    'db.parameter-invalid',
    `'${invalid}' is not the name of a local setting: use 'role', or lower-case letters with a dot, such as 'app.tenant'.`,
  )
}

function toText(name: string, value: unknown): string {
  const isText = ['string', 'number', 'bigint', 'boolean', 'undefined'].includes(typeof value)
  const text = value === undefined ? '' : String(value)
  if (isText && !text.includes('\0') && (name !== 'role' || text !== '')) return text
  const problem = isText
    ? name === 'role'
      ? 'names no role'
      : 'contains the character U+0000'
    : `is a value of the type ${typeof value}: return a text or a number; look up what you need in a filter before`
  throw new FwError('db.parameter-invalid', `The local setting '${name}' ${problem}.`)
}

/** An escape string means the same whether `standard_conforming_strings` is on or off. */
const quote = (text: string): string => `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`

const assign = (name: string, text: string): string =>
  `set local "${name.replaceAll('.', '"."')}" = ${quote(text)}`

/** The local settings of a statement. */
export class LocalSettings {
  readonly names: readonly string[]
  /** The SQL that sets them in a transaction; empty if there are none. */
  readonly sql: string

  /** @throws FwError `db.parameter-invalid` */
  constructor(values: LocalSettingValues) {
    this.names = Object.keys(values)
    this.sql = this.names.map((name) => assign(name, toText(name, values[name]))).join('; ')
  }
}

/** The settings of a statement that must have none, although its async context has some. */
export const noLocalSettings: LocalSettings = new LocalSettings({})

/** The settings of a statement that leaves those of its transaction as they are. */
const keptSettings: LocalSettings = new LocalSettings({})

/**
 * Creates a statement of Fw itself, such as SAVEPOINT. It is also sent after a failure, so that it must not change the settings:
 * that would fail too.
 */
export const controlStatement = (sql: string) => ({
  sql,
  parameters: [],
  localSettings: keptSettings,
})

/** Returns the current values; undefined if none are known yet. */
type ReadValues = () => LocalSettingValues | undefined

/** The local settings of an async context. */
class Scope {
  readonly outer: Scope | undefined
  readonly #read: ReadValues
  #isReading = false
  #last: LocalSettings = noLocalSettings

  constructor(outer: Scope | undefined, read: ReadValues) {
    this.outer = outer
    this.#read = read
  }

  /** Returns the same object as before if no value has changed. @throws FwError `db.parameter-invalid` */
  get current(): LocalSettings {
    const settings = new LocalSettings(this.values)
    if (settings.sql !== this.#last.sql) this.#last = settings
    return this.#last
  }

  get values(): LocalSettingValues {
    // A statement that `read` sends has no settings of this scope: they would never end.
    const own = this.#isReading ? undefined : this.#readOnce()
    return { ...this.outer?.values, ...own }
  }

  #readOnce(): LocalSettingValues | undefined {
    this.#isReading = true
    try {
      return this.#read()
    } finally {
      this.#isReading = false
    }
  }
}

const scopes = new AsyncLocalStorage<Scope | undefined>()
/** True after the first use of local settings: other applications skip the lookup of the scope for each statement. */
let areUsed = false

/** Whether this process has used local settings: then each statement has the settings of its context, or none. */
export const usesLocalSettings = (): boolean => areUsed

/** Returns the local settings of the async context. @throws what the function that reads them throws */
export const currentLocalSettings = (): LocalSettings =>
  scopes.getStore()?.current ?? noLocalSettings

/** Returns the statement with the local settings of the async context, unless it has its own. */
export const withCurrentSettings = <
  S extends { readonly localSettings?: LocalSettings | undefined },
>(
  statement: S,
): S =>
  areUsed && statement.localSettings === undefined
    ? { ...statement, localSettings: currentLocalSettings() }
    : statement

/** Runs `work`, whose statements have the settings that `read` returns when they are sent. */
export function runWithLocalSettings<T>(read: ReadValues, work: () => T): T {
  areUsed = true
  return scopes.run(new Scope(scopes.getStore(), read), work)
}

/** Calls `work` with these arguments; its statements have no local settings. */
export const withoutLocalSettings = <A extends unknown[], T>(
  work: (...args: A) => T,
  ...args: A
): T => (scopes.getStore() === undefined ? work(...args) : scopes.run(undefined, work, ...args))

/** Returns a function that calls `work` with the local settings of the present async context. */
export function bindLocalSettings<T>(work: () => T): () => T {
  const scope = scopes.getStore()
  return scope === undefined ? work : () => scopes.run(scope, work)
}

/**
 * Runs `work` with settings of PostgreSQL, which the policies of row-level security read. Every statement in it has them, in a
 * transaction or not: `withLocalSettings({ 'app.tenant': 7 }, () => Invoice.findAll())`. For requests, use the trait
 * `rowLevelSecurity`.
 * @throws FwError `db.parameter-invalid`
 */
export function withLocalSettings<T>(values: LocalSettingValues, work: () => T): T {
  checkSettingNames(Object.keys(values))
  return runWithLocalSettings(() => values, work)
}

/** The members of a statement that determine its local settings. */
interface WithSettings {
  readonly sql: string
  readonly localSettings?: LocalSettings | undefined
}

/** The local settings that a connection has in its open transaction. */
export class AppliedSettings {
  /** All names that have been set since BEGIN. A `Set` would keep memory for each `clear` until a major garbage collection. */
  #names: readonly string[] = []
  /** Undefined if unknown: a script, or a rollback to a savepoint, may have undone the last change. */
  #applied: LocalSettings | undefined = noLocalSettings

  /**
   * Returns the SQL that must precede a statement of the transaction; undefined if there is nothing to change. The caller must
   * send it. A statement of Fw itself changes nothing.
   */
  change(statement: WithSettings): string | undefined {
    const { sql, localSettings: wanted } = statement
    if (wanted === undefined || wanted === keptSettings) {
      if (isRollback.test(sql)) this.forget()
      return undefined
    }
    if (this.isApplied(statement)) return undefined
    this.#applied = wanted
    const left = this.#names.filter((name) => !wanted.names.includes(name))
    this.#names = [...wanted.names, ...left]
    const resets = left.map((name) => assign(name, name === 'role' ? 'none' : ''))
    const changes = [wanted.sql, ...resets].filter((one) => one !== '')
    return changes.length === 0 ? undefined : changes.join('; ')
  }

  /** Whether a statement of the transaction, other than a rollback, needs no change before it. */
  isApplied({ localSettings: wanted }: WithSettings): boolean {
    if (wanted === undefined || wanted === keptSettings || wanted === this.#applied) return true
    return wanted.sql === this.#applied?.sql
  }

  /** Call this when a script may have changed settings. */
  forget(): void {
    this.#applied = undefined
  }

  /** Call this when the transaction begins or ends. */
  clear(): void {
    this.#names = []
    this.#applied = noLocalSettings
  }
}

/** Matches a rollback to a savepoint. Only Fw and Kysely send such statements; others are refused. */
const isRollback = /^rollback/i
