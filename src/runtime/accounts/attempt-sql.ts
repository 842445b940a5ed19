/** The table of attempts, as a migration, and the statements that count and forget them. */

const up = `CREATE TABLE fw_attempts (
  name varchar(64) NOT NULL,
  key varchar(64) NOT NULL,
  is_allowed boolean NOT NULL,
  forgotten_at timestamptz NOT NULL,
  retry_at timestamptz,
  PRIMARY KEY (name, key)
)`

/** Returns the text of a file in `db/migration`: the table, a line `-- down`, and the statement that drops it. */
export const attemptMigrationText = (): string => `${up};\n\n-- down\nDROP TABLE fw_attempts;\n`

/*
 * All times are those of the database, so that the clocks of nodes need not agree. `forgotten_at` is the time at which the last
 * attempt is forgotten: divided by the time that each takes, the rest until then is the number of remembered attempts.
 */

const now = 'statement_timestamp()'
const seconds = (code: string): string => `make_interval(secs => (${code})::double precision)`

/** The seconds to wait after an attempt, by its number. The exponent is limited, because PostgreSQL refuses powers that are too large. */
const delay =
  'least($5::double precision, $4::double precision * 2 ^ least(number - $3::integer, 40))'

/**
 * Counts an attempt unless the key must wait: $1 name, $2 key, $3 attempts without a delay, $4 the first delay, $5 the longest,
 * $6 the time in which one attempt is forgotten, all in seconds. Attempts at the same time wait for each other's row, so that
 * each sees the count of the one before.
 */
const count = `
INSERT INTO fw_attempts AS a (name, key, is_allowed, forgotten_at, retry_at)
VALUES ($1, $2, true, ${now} + ${seconds('$6')}, CASE WHEN $3::integer <= 1 THEN ${now} + ${seconds('$4')} END)
ON CONFLICT (name, key) DO UPDATE SET (is_allowed, forgotten_at, retry_at) = (
  SELECT allowed, CASE WHEN allowed THEN forgotten ELSE a.forgotten_at END,
    CASE WHEN NOT allowed THEN a.retry_at
      WHEN number >= $3 THEN ${now} + ${seconds(delay)} END
  FROM (
    SELECT forgotten, a.retry_at IS NULL OR a.retry_at <= ${now} AS allowed,
      ceil(extract(epoch FROM forgotten - ${now}) / $6::double precision) AS number
    FROM (SELECT greatest(a.forgotten_at, ${now}) + ${seconds('$6')} AS forgotten) AS counted
  ) AS numbered
)
RETURNING is_allowed AS "isAllowed",
  coalesce(extract(epoch FROM retry_at - ${now}) * 1000, 0)::double precision AS "millisToWait"`

/** Forgets the attempts of a key: $1 name, $2 key. */
const reset = 'DELETE FROM fw_attempts WHERE name = $1 AND key = $2'

/** Removes the keys whose attempts are all forgotten. */
const sweep = `
DELETE FROM fw_attempts WHERE forgotten_at <= ${now} AND (retry_at IS NULL OR retry_at <= ${now})`

/** The SQL of each statement, by its name. */
export const attemptSql = { count, reset, sweep } as const
