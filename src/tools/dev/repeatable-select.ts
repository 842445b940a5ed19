/** Tells which statements of a failed request can be sent again. */
import { sqlTokens, type SentStatement } from '../../runtime/db.ts'

/**
 * Functions known to have effects that remain after a rollback, or that wait. A read-only transaction refuses others, such as
 * `nextval`.
 */
const lasting = new RegExp(
  `^(?:${[
    'pg_(?:try_)?advisory_',
    'pg_(?:cancel|terminate)_backend$',
    'pg_(?:backup|copy|create|drop|file|logical|log|reload|replication|rotate|switch|sync|wal_replay)_',
    'pg_(?:start|stop)_backup$',
    'pg_promote$',
    // `pg_stat_get_…_reset_time` reads a time.
    String.raw`pg_stat_(?!get_)\w*reset`,
    'pg_sleep',
    'lo_',
    'dblink',
    'https?(?:_|$)',
  ].join('|')})`,
)

/** Whether a statement can be sent again: a SELECT that has not failed and calls no function known to have lasting effects. */
export const isRepeatable = ({ sql, failure }: SentStatement): boolean =>
  failure === undefined && /^\s*(?:select|with)\b/i.test(sql) && !callsLasting(sql)

function callsLasting(sql: string): boolean {
  let name = ''
  for (const { kind, start, end } of sqlTokens(sql)) {
    if (kind === 'comment') continue
    if (kind === '(' && lasting.test(name)) return true
    const isQuoted = kind === 'quoted' && sql[start] === '"'
    if (isQuoted) name = sql.slice(start + 1, end - 1)
    else name = kind === 'word' ? sql.slice(start, end).toLowerCase() : ''
  }
  return false
}

/** Returns a SELECT without its lock, which a read-only transaction refuses. */
export const withoutLock = (sql: string): string =>
  sql.replace(/\bfor\s+(?:no\s+key\s+update|update|key\s+share|share)\b[^)]*$/i, '')
