/** The settings of a session. For a server, they are sent in the startup message, or behind a pooler with each transaction. */
import type { Connection, EngineName } from './connection.ts'

/** The settings that make the text form of values independent of the server's configuration. */
const valueSettings: Readonly<Record<string, string>> = {
  timezone: 'UTC',
  datestyle: 'ISO',
  intervalstyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
}

/** The value of the startup parameter `options`, which poolers refuse. */
export const startupOptions = Object.entries(valueSettings)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ')

/** The SQL that makes the text form of dates independent of the machine of an embedded database. */
export const embeddedSettings =
  "set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres'"

/**
 * Undoes the settings of a script, its temporary tables and its advisory locks before its transaction ends: after `set search_path` Fw
 * would not find its own table, and behind a pooler the settings would remain on a connection of the server. Embedded, `default` does
 * not restore the user.
 */
export function resetSettings(engine: EngineName): string {
  const [user, settings] =
    engine === 'pglite' ? ['postgres', `; ${embeddedSettings}`] : ['default', '']
  return `set session authorization ${user}; reset all${settings}; discard temp; select pg_advisory_unlock_all()`
}

const isolation = 'default_transaction_isolation'

/** Returns the server's isolation level, and the SQL that sets differing settings in a transaction, if there are any. */
export async function readServerSettings(connection: Connection, statementTimeout: number) {
  const wanted = { statement_timeout: String(statementTimeout), ...valueSettings }
  const { rows } = await connection.query<{ name: string; setting: string }>({
    sql: 'select lower(name) as name, setting from pg_settings where lower(name) = any($1::text[])',
    parameters: [[...Object.keys(wanted), isolation]],
  })
  const found = new Map(rows.map(({ name, setting }) => [name, setting]))
  const differing = Object.entries(wanted).filter(
    ([name, value]) => !isEqual(name, found.get(name), value),
  )
  const statements = differing.map(([name, value]) => `set local ${name} = '${value}'`)
  return {
    defaultIsolation: found.get(isolation),
    serverSettings: statements.length === 0 ? undefined : statements.join('; '),
  }
}

function isEqual(name: string, found: string | undefined, wanted: string): boolean {
  if (name === 'datestyle') return found?.startsWith('ISO') === true
  if (name === 'timezone') return found === 'UTC' || found === 'Etc/UTC'
  if (name === 'extra_float_digits') return Number(found) >= 1
  return found === wanted
}
