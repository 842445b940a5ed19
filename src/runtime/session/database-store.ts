/** A session store in the database. All nodes share its sessions, which survive restarts. */
import { FwError } from '../base.ts'
import { noLocalSettings, outsideReadOnly, type Statement } from '../db.ts'
import { sessionSql, unownedSql, type SessionStatement } from './session-sql.ts'
import { splitChanges, type SessionChanges } from './session-changes.ts'
import {
  hashSessionId,
  isSessionId,
  newSessionId,
  resolveLifetime,
  touchSeconds,
  type SessionLifetime,
  type SessionStore,
  type StoredSession,
} from './session-store.ts'

/** Runs SQL statements, inside the transaction of the request if it has one. `Database` implements this interface. */
export interface SqlExecutor {
  query<Row>(statement: Statement): Promise<{ readonly rows: readonly Row[] }>
}

interface KeyRow {
  readonly key: number | string | bigint
}
/** One attribute of a record. A record without attributes is read as one row without name and value. */
interface AttributeRow extends KeyRow {
  readonly name?: string | null
  readonly value?: Uint8Array | null
  readonly touch_due: boolean
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The session store that uses the tables of `sessionMigration`. @spec Session store records */
export class DatabaseStore implements SessionStore {
  readonly transactional = true
  readonly #database: SqlExecutor
  readonly #lifetime: SessionLifetime
  /** True if the table of owners exists; undefined before `check`. */
  #hasOwners: boolean | undefined

  /** @throws FwError `session.lifetime-invalid` */
  constructor(database: SqlExecutor, options: Partial<SessionLifetime> = {}) {
    this.#database = database
    this.#lifetime = resolveLifetime(options)
  }

  /**
   * Checks that the tables exist. The three tables of the specification are sufficient; only `endSessionsOf` needs the
   * table of owners.
   * @throws FwError `session.tables-missing`
   */
  async check(): Promise<void> {
    const rows = await this.#run<{ name: string }>('missingTables', [])
    const missing = rows.map(({ name }) => name)
    this.#hasOwners = !missing.includes(ownersTable)
    if (missing.some((name) => name !== ownersTable)) throw tablesMissing(missing)
  }

  async #requireOwners(): Promise<void> {
    if (this.#hasOwners === undefined) await this.check()
    if (this.#hasOwners === false) throw tablesMissing([ownersTable])
  }

  async read(id: string): Promise<StoredSession | undefined> {
    if (!isSessionId(id)) return undefined
    const { idleSeconds, absoluteSeconds } = this.#lifetime
    const parameters = [hashSessionId(id), idleSeconds, absoluteSeconds, touchSeconds]
    const rows = await this.#run<AttributeRow>('read', parameters)
    const first = rows[0]
    if (first === undefined) return undefined
    const attributes = new Map<string, string>()
    for (const { name, value } of rows) if (name && value) attributes.set(name, decodeText(value))
    return { id, key: Number(first.key), attributes, touchDue: first.touch_due }
  }

  async create(changes: SessionChanges): Promise<StoredSession> {
    if (changes.owner !== undefined) await this.#requireOwners()
    const id = newSessionId()
    const { written } = splitChanges(changes)
    const { idleSeconds, absoluteSeconds } = this.#lifetime
    const [row] = await this.#run<KeyRow>('create', [
      hashSessionId(id),
      [...written.keys()],
      [...written.values()],
      changes.owner ?? null,
      idleSeconds,
      absoluteSeconds,
    ])
    return { id, key: Number(row?.key), attributes: written, touchDue: false }
  }

  async save(session: StoredSession, changes: SessionChanges): Promise<string | undefined> {
    if (changes.owner !== undefined) await this.#requireOwners()
    const { written, removed } = splitChanges(changes)
    const { key, touchDue } = session
    const names = [...written.keys()]
    const texts = [...written.values()]
    const parameters = [key, names, texts, removed, changes.owner ?? null]
    if (touchDue) {
      const { idleSeconds, absoluteSeconds } = this.#lifetime
      const rows = await this.#run('saveAndTouch', [...parameters, idleSeconds, absoluteSeconds])
      return rows.length === 0 ? undefined : session.id
    }
    const isReplacement =
      names.length === 1 &&
      removed.length === 0 &&
      changes.owner === undefined &&
      session.attributes.has(names[0]!)
    if (isReplacement && (await this.#run('replace', [key, names[0], texts[0]])).length > 0)
      return session.id
    // Run `save` also after `replace` has changed no row, because another request may have removed the attribute
    // meanwhile.
    return (await this.#run('save', parameters)).length === 0 ? undefined : session.id
  }

  async renewSession(session: StoredSession, keepAge: boolean): Promise<StoredSession | undefined> {
    const id = newSessionId()
    const parameters = [hashSessionId(session.id), hashSessionId(id), session.key]
    const { idleSeconds, absoluteSeconds } = this.#lifetime
    const rows = keepAge
      ? await this.#run('renewId', parameters)
      : await this.#run('renewSession', [...parameters, idleSeconds, absoluteSeconds])
    if (rows.length === 0) return undefined
    return { ...session, id, touchDue: keepAge && session.touchDue }
  }

  async endSession(session: StoredSession): Promise<void> {
    await this.#run('endSession', [session.key])
  }

  async endSessionsOf(owner: string, except?: StoredSession): Promise<number> {
    await this.#requireOwners()
    return (await this.#run('endSessionsOf', [owner, except?.key ?? null])).length
  }

  async sweep(limit: number): Promise<number> {
    return (await this.#run('sweep', [limit])).length
  }

  async #run<Row>(
    statement: SessionStatement,
    parameters: readonly unknown[],
  ): Promise<readonly Row[]> {
    if (this.#hasOwners === undefined && sessionSql[statement] !== unownedSql[statement])
      await this.check()
    const isOwned = this.#hasOwners !== false
    const sql = (isOwned ? sessionSql : unownedSql)[statement]
    const name = `fw-session-${statement}${isOwned ? '' : '-unowned'}`
    const isRead = statement === 'read'
    const isLastWrite = lastWrites.has(statement)
    // `save` may follow `replace`.
    const isFinal = isLastWrite && statement !== 'replace'
    // The session may contain the values of the settings, which are unknown before it is read.
    const localSettings = isRead ? noLocalSettings : undefined
    const parts = { sql, parameters, name, isRead, isLastWrite, isFinal, localSettings }
    // Run the query outside a read-only transaction. A replica cannot write sessions, and may lag behind an earlier
    // write.
    const query = () => this.#database.query<Row>(parts)
    return (await outsideReadOnly(query)).rows
  }
}

const ownersTable = 'fw_session_owners'

/** The statements that save a session, after all others of a request. Often they are its only writes. */
const lastWrites = new Set<SessionStatement>(['create', 'replace', 'save', 'saveAndTouch'])

function tablesMissing(names: readonly string[]): FwError {
  const chosen = names.length === 4 ? '' : JSON.stringify(names).replaceAll('"', "'")
  return new FwError(
    'session.tables-missing',
    `Session tables are missing: ${names.join(', ')}. Write the session migration into db/migration and apply it:\n` +
      `  ./fw g migration create_fw_sessions "$(node -p "require('fwjs/session').sessionMigrationText(${chosen})")"\n` +
      '  ./fw db:migrate',
  )
}

/** Decodes UTF-8. Returns '' for invalid bytes, so that `decodeValue` rejects the attribute. */
function decodeText(value: Uint8Array): string {
  try {
    return utf8.decode(value)
  } catch {
    return ''
  }
}
