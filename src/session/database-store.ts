/** Sessions in the database: shared by all nodes, kept over restarts. */
import { FwError } from '../base.ts'
import { lifetime, touchSeconds } from './lifetime.ts'
import type { SessionLifetime } from './lifetime.ts'
import { hashSessionId, isSessionId, newSessionId } from './session-id.ts'
import { sessionSql } from './session-sql.ts'
import type { SessionChanges, SessionStore, StoredSession } from './store.ts'

/** One statement with `$1` parameters; the same name always means the same text. */
export interface SqlStatement {
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly name: string
}

/**
 * Runs statements, in the request's own transaction where there is one, as the `Database` of the db room does.
 * bytea is read as `Uint8Array`.
 */
export interface SqlExecutor {
  query<Row>(statement: SqlStatement): Promise<{ readonly rows: readonly Row[] }>
}

interface KeyRow {
  readonly key: number | string | bigint
}
/** A record without attributes is one row with neither name nor value. */
interface AttributeRow extends KeyRow {
  readonly name?: string | null
  readonly value?: Uint8Array | null
  readonly touch_due: boolean
}

type StatementName = keyof typeof sessionSql

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The maker of `SessionStore` on the tables of `sessionMigration`. @spec Session store records */
export class DatabaseStore implements SessionStore {
  readonly transactional = true
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
    const missing = await this.#run<{ name: string }>('missingTables', [])
    if (missing.length === 0) return
    const names = missing.map((row) => row.name).join(', ')
    throw new FwError(
      'session.tables-missing',
      `Session tables are missing: ${names}. Write the session migration into db/migration and apply it:\n` +
        `  ./fw g migration create_fw_sessions "$(node -p "require('fwjs/session').sessionMigrationText()")"\n` +
        '  ./fw db:migrate',
    )
  }

  async read(id: string): Promise<StoredSession | undefined> {
    if (!isSessionId(id)) return undefined
    const { idleSeconds, absoluteSeconds } = this.#lifetime
    const params = [hashSessionId(id), idleSeconds, absoluteSeconds, touchSeconds]
    const rows = await this.#run<AttributeRow>('read', params)
    const first = rows[0]
    if (first === undefined) return undefined
    const attributes = new Map<string, string>()
    for (const { name, value } of rows) if (name && value) attributes.set(name, textOf(value))
    return { id, key: Number(first.key), attributes, touchDue: first.touch_due }
  }

  async create(changes: SessionChanges): Promise<StoredSession> {
    const id = newSessionId()
    const { names, texts, attributes } = split(changes)
    const { idleSeconds, absoluteSeconds } = this.#lifetime
    const params = [
      hashSessionId(id),
      names,
      texts,
      changes.owner ?? null,
      idleSeconds,
      absoluteSeconds,
    ]
    const [row] = await this.#run<KeyRow>('create', params)
    return { id, key: Number(row?.key), attributes, touchDue: false }
  }

  async save(session: StoredSession, changes: SessionChanges): Promise<string | undefined> {
    const { names, texts, removed } = split(changes)
    const { owner } = changes
    const onlySets = names.length > 0 && removed.length === 0 && owner === undefined
    if (onlySets && !session.touchDue && (await this.#replaces(session, names, texts)))
      return session.id
    const rows =
      onlySets && !session.touchDue
        ? await this.#run('set', [session.key, names, texts])
        : await this.#saveAll(session, [names, texts, removed, owner ?? null])
    return rows.length === 0 ? undefined : session.id
  }

  /** Whether it was one attribute that the record had when it was read, and has still. */
  async #replaces(
    { key, attributes }: StoredSession,
    names: readonly string[],
    texts: readonly string[],
  ): Promise<boolean> {
    const [name] = names
    if (names.length > 1 || name === undefined || !attributes.has(name)) return false
    return (await this.#run('replace', [key, name, texts[0]])).length > 0
  }

  #saveAll(session: StoredSession, written: readonly unknown[]): Promise<readonly KeyRow[]> {
    const { idleSeconds, absoluteSeconds } = this.#lifetime
    return session.touchDue
      ? this.#run('saveAndTouch', [session.key, ...written, idleSeconds, absoluteSeconds])
      : this.#run('save', [session.key, ...written])
  }

  async renew(session: StoredSession): Promise<StoredSession | undefined> {
    const id = newSessionId()
    const params = [hashSessionId(session.id), hashSessionId(id), session.key]
    const rows = await this.#run('renew', params)
    return rows.length === 0 ? undefined : { ...session, id }
  }

  async destroy(session: StoredSession): Promise<void> {
    await this.#run('destroy', [session.key])
  }

  async destroyAllOf(owner: string, except?: StoredSession): Promise<number> {
    return (await this.#run('destroyAllOf', [owner, except?.key ?? null])).length
  }

  async sweep(limit: number): Promise<number> {
    return (await this.#run('sweep', [limit])).length
  }

  async #run<Row>(
    statement: StatementName,
    parameters: readonly unknown[],
  ): Promise<readonly Row[]> {
    const sql = sessionSql[statement]
    const name = `fw-session-${statement}`
    return (await this.#database.query<Row>({ sql, parameters, name })).rows
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
