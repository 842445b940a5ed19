/** Sessions in the database: shared by all nodes, kept over restarts. */
import { FwError } from '../base.ts'
import * as sql from './database-sql.ts'
import { lifetime, touchSeconds } from './lifetime.ts'
import type { SessionLifetime } from './lifetime.ts'
import { hashSessionId, isSessionId, newSessionId } from './session-id.ts'
import type { SessionChanges, SessionStore, StoredSession } from './store.ts'

/**
 * Runs one statement with `$1` parameters, on the request's own connection and in its transaction where there is one.
 * bytea is read as `Uint8Array`.
 */
export interface SqlExecutor {
  query<Row>(sql: string, params: readonly unknown[]): Promise<readonly Row[]>
}

interface KeyRow {
  readonly key: number | string | bigint
}
interface AttributeRow extends KeyRow {
  readonly name: string | null
  readonly value: Uint8Array | null
  readonly touch_due: boolean
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The maker of `SessionStore` on the tables of `sessionMigration`. @spec Session store records */
export class DatabaseStore implements SessionStore {
  readonly #database: SqlExecutor
  readonly #lifetime: SessionLifetime

  /** @throws FwError `session.lifetime-invalid` */
  constructor(database: SqlExecutor, options: Partial<SessionLifetime> = {}) {
    this.#database = database
    this.#lifetime = lifetime(options)
  }

  /**
   * For the start of an application.
   * @throws FwError `session.tables-missing`
   */
  async check(): Promise<void> {
    const missing = await this.#database.query<{ name: string }>(sql.missingTablesSql, [])
    if (missing.length === 0) return
    const names = missing.map((row) => row.name).join(', ')
    throw new FwError('session.tables-missing', `Session tables are missing: ${names}. Run the session migration (fw db:migrate).`)
  }

  async read(id: string): Promise<StoredSession | undefined> {
    if (!isSessionId(id)) return undefined
    const { idleSeconds, absoluteSeconds } = this.#lifetime
    const params = [hashSessionId(id), idleSeconds, absoluteSeconds, touchSeconds]
    const rows = await this.#database.query<AttributeRow>(sql.readSql, params)
    const first = rows[0]
    if (first === undefined) return undefined
    const attributes = new Map<string, string>()
    for (const { name, value } of rows) if (name !== null && value !== null) attributes.set(name, textOf(value))
    return { id, key: Number(first.key), attributes, touchDue: first.touch_due }
  }

  async create(changes: SessionChanges): Promise<StoredSession> {
    const id = newSessionId()
    const { names, texts, attributes } = split(changes)
    const { idleSeconds, absoluteSeconds } = this.#lifetime
    const params = [hashSessionId(id), names, texts, changes.owner ?? null, idleSeconds, absoluteSeconds]
    const [row] = await this.#database.query<KeyRow>(sql.createSql, params)
    return { id, key: Number(row?.key), attributes, touchDue: false }
  }

  async save(session: StoredSession, changes: SessionChanges): Promise<string | undefined> {
    const { names, texts, removed } = split(changes)
    const params = [session.key, names, texts, removed, changes.owner ?? null]
    const { idleSeconds, absoluteSeconds } = this.#lifetime
    const rows = session.touchDue
      ? await this.#database.query(sql.saveAndTouchSql, [...params, idleSeconds, absoluteSeconds])
      : await this.#database.query(sql.saveSql, params)
    return rows.length === 0 ? undefined : session.id
  }

  async renew(session: StoredSession): Promise<StoredSession | undefined> {
    const id = newSessionId()
    const params = [hashSessionId(session.id), hashSessionId(id), session.key]
    const rows = await this.#database.query(sql.renewSql, params)
    return rows.length === 0 ? undefined : { ...session, id }
  }

  async destroy(session: StoredSession): Promise<void> {
    await this.#database.query(sql.destroySql, [session.key])
  }

  async destroyAllOf(owner: string, except?: StoredSession): Promise<number> {
    return (await this.#database.query(sql.destroyAllOfSql, [owner, except?.key ?? null])).length
  }

  async sweep(limit: number): Promise<number> {
    return (await this.#database.query(sql.sweepSql, [limit])).length
  }
}

interface SplitChanges {
  readonly names: string[]
  readonly texts: string[]
  readonly removed: string[]
  readonly attributes: ReadonlyMap<string, string>
}

function split(changes: SessionChanges): SplitChanges {
  const attributes = new Map<string, string>()
  const removed: string[] = []
  for (const [name, text] of changes.attributes) {
    if (text === undefined) removed.push(name)
    else attributes.set(name, text)
  }
  return { names: [...attributes.keys()], texts: [...attributes.values()], removed, attributes }
}

/** Bytes that are no UTF-8 become a text that no value has, so they are found unreadable when asked for. */
function textOf(value: Uint8Array): string {
  try {
    return utf8.decode(value)
  } catch {
    return ''
  }
}
