/** `PolicyCheck`: warns if row-level security has no effect, because then every visitor would see the rows of all tenants. */
import { outsideRequests } from '../base.ts'
import type { TransactionHost } from './transaction-options.ts'
import type { LocalSettings } from './local-settings.ts'

/** Selects the tables with row-level security, and whether PostgreSQL applies it to the role of the statement. */
const policySql = `select c.oid::regclass::text as name, row_security_active(c.oid) as active, current_user::text as role
  from pg_class c where c.relrowsecurity and c.relkind in ('r', 'p') order by 1`

interface PolicyRow {
  readonly name: string
  readonly active: boolean
  readonly role: string
}

const maxNames = 10

/** The milliseconds until a failed check is repeated: each check is one more statement. */
const pause = 60_000

/** Checks the database at its first statement with local settings, in the background; after a failure, once a minute. */
export class PolicyCheck {
  readonly #database: Pick<TransactionHost, 'pool' | 'logger'>
  /** The time from which a check may begin, from `performance.now()`. */
  #nextAt = 0

  constructor(database: Pick<TransactionHost, 'pool' | 'logger'>) {
    this.#database = database
  }

  /** Checks that policies restrict statements with these settings. */
  begin(localSettings: LocalSettings): void {
    if (localSettings.sql === '' || performance.now() < this.#nextAt) return
    this.#nextAt = Infinity
    void outsideRequests(() => this.#check(localSettings))
  }

  async #check(localSettings: LocalSettings): Promise<void> {
    const { pool, logger } = this.#database
    const statement = { sql: policySql, parameters: [], isRead: true, localSettings }
    try {
      const { rows } = await pool.query<PolicyRow>(statement)
      const unrestricted = rows.filter(({ active }) => !active)
      if (rows.length === 0)
        logger.warn({}, 'no table has row-level security: local settings restrict no rows')
      else if (unrestricted.length > 0)
        logger.warn(
          { role: rows[0]!.role, tables: unrestricted.slice(0, maxNames).map(({ name }) => name) },
          'row-level security does not restrict this role: connect as another role than a superuser or the owner of the tables, ' +
            "or set 'role', or force row level security",
        )
    } catch {
      // For example, the database is overloaded, or the role does not exist. A later statement checks again.
      this.#nextAt = performance.now() + pause
    }
  }
}
