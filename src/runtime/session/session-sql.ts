/** The tables of sessions in the database, as a migration, and the statements of `DatabaseStore`. */

/**
 * The statements of the migration, in order. The first three tables are defined by the specification. `endSessionsOf`
 * uses the table of owners; `endSessionsOf` and the sweep use the indexes.
 * @spec Session store records
 */
export const sessionMigration: {
  readonly up: readonly string[]
  readonly down: readonly string[]
} = {
  up: [
    `CREATE TABLE fw_sessions (
  id bigserial NOT NULL PRIMARY KEY,
  created_at timestamp NOT NULL,
  expire_at timestamp NOT NULL
)`,
    `CREATE TABLE servlet_sessions (
  jsession_id varchar(32) NOT NULL PRIMARY KEY,
  fw_session_id bigint NOT NULL REFERENCES fw_sessions (id),
  created_at timestamp NOT NULL
)`,
    `CREATE TABLE fw_session_attributes (
  fw_session_id bigint NOT NULL REFERENCES fw_sessions (id),
  attribute_name varchar(128) NOT NULL,
  attribute_value bytea,
  CONSTRAINT fw_session_attributes_unique_idx UNIQUE (fw_session_id, attribute_name)
)`,
    `CREATE TABLE fw_session_owners (
  fw_session_id bigint NOT NULL PRIMARY KEY REFERENCES fw_sessions (id),
  owner varchar(255) NOT NULL
)`,
    'CREATE INDEX fw_sessions_expire_at_idx ON fw_sessions (expire_at)',
    'CREATE INDEX servlet_sessions_fw_session_id_idx ON servlet_sessions (fw_session_id)',
    'CREATE INDEX fw_session_owners_owner_idx ON fw_session_owners (owner)',
  ],
  down: [
    'DROP TABLE fw_session_owners',
    'DROP TABLE fw_session_attributes',
    'DROP TABLE servlet_sessions',
    'DROP TABLE fw_sessions',
  ],
}

/**
 * Returns the text of a file in `db/migration`: the statements of the migration, a line `-- down`, and the statements
 * that revert it. With `tables`, returns only the statements for these tables.
 */
export function sessionMigrationText(tables?: readonly string[]): string {
  const isChosen = (statement: string): boolean =>
    tables?.some((name) => new RegExp(`\\b(?:TABLE|ON) ${name}\\b`).test(statement)) ?? true
  const up = sessionMigration.up.filter(isChosen)
  const down = sessionMigration.down.filter(isChosen)
  return `${up.join(';\n\n')};\n\n-- down\n${down.join(';\n')};\n`
}

/*
 * Each statement is atomic. It locks the row of `fw_sessions` first, or only one row, so that concurrent requests never
 * deadlock. Ending a record sets its expiry to 1970. A save that waited for the lock thus finds an expired record.
 */

/** The database's clock in UTC, independent of the connection's time zone. Unlike `now()`, it advances inside a transaction. */
const now = `(statement_timestamp() AT TIME ZONE 'UTC')`

/** Returns the SQL for the expiry of a record that is used now. `idle` and `absolute` are lifetimes in seconds. */
const expiry = (idle: string, absolute: string, createdAt: string): string =>
  `least(${now} + make_interval(secs => ${idle}), ${createdAt} + make_interval(secs => ${absolute}))`

/**
 * Reads a record: $1 hash of the id, $2 idle and $3 absolute lifetime, $4 seconds between extensions of the idle time.
 * Returns one row per attribute, and one row for a record without attributes.
 */
const read = `
SELECT s.id AS key, a.attribute_name AS name, a.attribute_value AS value,
  s.expire_at < ${expiry('$2', '$3', 's.created_at')} - make_interval(secs => $4) AS touch_due
FROM servlet_sessions j
JOIN fw_sessions s ON s.id = j.fw_session_id
LEFT JOIN fw_session_attributes a ON a.fw_session_id = s.id AND a.attribute_value IS NOT NULL
WHERE j.jsession_id = $1 AND s.expire_at > ${now}`

/** Creates a record: $1 hash of the id, $2 names, $3 values, $4 owner or null, $5 idle and $6 absolute lifetime. */
const createSql = (hasOwners: boolean): string => `
WITH record AS (
  INSERT INTO fw_sessions (created_at, expire_at)
  VALUES (${now}, ${expiry('$5', '$6', now)}) RETURNING id
), known AS (
  INSERT INTO servlet_sessions (jsession_id, fw_session_id, created_at) SELECT $1, id, ${now} FROM record
), owned AS (
  ${hasOwners ? 'INSERT INTO fw_session_owners (fw_session_id, owner)' : ''} SELECT id, $4::text FROM record WHERE $4::text IS NOT NULL
), kept AS (
  INSERT INTO fw_session_attributes (fw_session_id, attribute_name, attribute_value)
  SELECT record.id, given.name, convert_to(given.value, 'UTF8')
  FROM record, unnest($2::text[], $3::text[]) AS given (name, value)
)
SELECT id AS key FROM record`

/**
 * Replaces the value of one existing attribute, the most frequent change: $1 key, $2 name, $3 value. Returns one row,
 * or none if the record has ended or lacks the attribute. Locks only the row of the attribute, which ending the record
 * deletes.
 */
const replace = `
UPDATE fw_session_attributes a SET attribute_value = convert_to($3, 'UTF8')
FROM fw_sessions s
WHERE s.id = $1 AND s.expire_at > ${now} AND a.fw_session_id = s.id AND a.attribute_name = $2
RETURNING s.id AS key`

/** Saves changes: $1 key, $2 names, $3 values, $4 names to remove, $5 owner or null. `live` locks a live record. */
const writeSql = (hasOwners: boolean, live: string): string => `
WITH live AS (${live}), removed AS (
  DELETE FROM fw_session_attributes a USING live
  WHERE a.fw_session_id = live.id AND a.attribute_name = ANY($4::text[])
), kept AS (
  INSERT INTO fw_session_attributes (fw_session_id, attribute_name, attribute_value)
  SELECT live.id, given.name, convert_to(given.value, 'UTF8')
  FROM live, unnest($2::text[], $3::text[]) AS given (name, value)
  ON CONFLICT (fw_session_id, attribute_name) DO UPDATE SET attribute_value = EXCLUDED.attribute_value
), owned AS (
  ${hasOwners ? 'INSERT INTO fw_session_owners (fw_session_id, owner)' : ''} SELECT id, $5::text FROM live WHERE $5::text IS NOT NULL
  ${hasOwners ? 'ON CONFLICT (fw_session_id) DO UPDATE SET owner = EXCLUDED.owner' : ''}
)
SELECT id AS key FROM live`

/** Selects one row when the record has not expired. */
const liveSql = `SELECT id FROM fw_sessions WHERE id = $1 AND expire_at > ${now} FOR NO KEY UPDATE`

/** Selects one row when the record has not expired, and extends its idle time: $6 idle and $7 absolute lifetime. */
const touchSql = `
  UPDATE fw_sessions SET expire_at = ${expiry('$6', '$7', 'created_at')}
  WHERE id = $1 AND expire_at > ${now} RETURNING id`

/** Replaces an id: $1 hash of the old id, $2 of the new id, $3 key. Returns one row when the old id was valid. */
const renewSql = (live: string): string => `
WITH live AS (${live})
UPDATE servlet_sessions j SET jsession_id = $2, created_at = ${now}
FROM live WHERE j.fw_session_id = live.id AND j.jsession_id = $1
RETURNING j.fw_session_id AS key`

/** Replaces an id of a record, which keeps its age. */
const renewId = renewSql(
  `SELECT id FROM fw_sessions WHERE id = $3 AND expire_at > ${now} FOR NO KEY UPDATE`,
)

/** Replaces an id, and begins a new age of the record: $4 idle and $5 absolute lifetime. */
const renewSession = renewSql(`
  UPDATE fw_sessions SET created_at = ${now}, expire_at = ${expiry('$4', '$5', now)}
  WHERE id = $3 AND expire_at > ${now}
    AND EXISTS (SELECT 1 FROM servlet_sessions WHERE fw_session_id = $3 AND jsession_id = $1)
  RETURNING id`)

/*
 * Deletes by `= ANY(ARRAY(…))`: a join would let PostgreSQL read whole tables, because it does not know that few records end.
 */
const disownSql = (records: string): string => `, disowned AS (
  DELETE FROM fw_session_owners WHERE fw_session_id = ANY(ARRAY(SELECT id FROM ${records}))
)`

/**
 * Ends the records whose keys `chosen` selects, and returns one row for each. If a concurrent save adds attributes to
 * such a record, the sweep deletes these attributes.
 */
const endSql = (hasOwners: boolean, chosen: string): string => `
WITH ended AS (
  UPDATE fw_sessions SET expire_at = 'epoch' WHERE id IN (${chosen}) RETURNING id
), forgotten AS (
  DELETE FROM servlet_sessions WHERE fw_session_id = ANY(ARRAY(SELECT id FROM ended))
), removed AS (
  DELETE FROM fw_session_attributes WHERE fw_session_id = ANY(ARRAY(SELECT id FROM ended))
)${hasOwners ? disownSql('ended') : ''}
SELECT id AS key FROM ended`

/** Selects the records of an owner: $1 owner, $2 key of a record to keep, or null. */
const sessionsOf = `
  SELECT s.id FROM fw_sessions s JOIN fw_session_owners o ON o.fw_session_id = s.id
  WHERE o.owner = $1 AND s.id IS DISTINCT FROM $2::bigint AND s.expire_at > ${now} ORDER BY s.id FOR NO KEY UPDATE OF s`

/**
 * Removes expired records: $1 maximum number. Waits for a minute after the expiry, so that running saves can finish.
 * Skips locked rows, which a later sweep removes.
 */
const sweepSql = (hasOwners: boolean): string => `
WITH dead AS (
  SELECT id FROM fw_sessions WHERE expire_at < ${now} - interval '1 minute'
  ORDER BY expire_at LIMIT $1 FOR UPDATE SKIP LOCKED
), forgotten AS (
  DELETE FROM servlet_sessions WHERE fw_session_id = ANY(ARRAY(SELECT id FROM dead))
), removed AS (
  DELETE FROM fw_session_attributes WHERE fw_session_id = ANY(ARRAY(SELECT id FROM dead))
)${hasOwners ? disownSql('dead') : ''}, swept AS (
  DELETE FROM fw_sessions WHERE id = ANY(ARRAY(SELECT id FROM dead))
)
SELECT id AS key FROM dead`

/** Selects the names of the missing tables. */
const missingTables = `
SELECT name FROM unnest(ARRAY['fw_sessions', 'servlet_sessions', 'fw_session_attributes', 'fw_session_owners']) AS name
WHERE to_regclass(name) IS NULL`

const createStatements = (hasOwners: boolean) => ({
  read,
  create: createSql(hasOwners),
  replace,
  save: writeSql(hasOwners, liveSql),
  saveAndTouch: writeSql(hasOwners, touchSql),
  renewId,
  renewSession,
  endSession: endSql(hasOwners, '$1::bigint'),
  endSessionsOf: endSql(true, sessionsOf),
  sweep: sweepSql(hasOwners),
  missingTables,
})

/** The name of a statement. */
export type SessionStatement = keyof ReturnType<typeof createStatements>

/** The SQL of each statement, by its name, for a database with the table of owners. */
export const sessionSql: Readonly<Record<SessionStatement, string>> = createStatements(true)

/** The SQL of each statement, by its name, for a database without the table of owners. */
export const unownedSql: Readonly<Record<SessionStatement, string>> = createStatements(false)
