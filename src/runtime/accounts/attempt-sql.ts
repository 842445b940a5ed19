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

/**
 * Counts an attempt unless the key must wait. The parameters begin after `$first`: name, key, attempts without a delay, the first
 * delay, the longest, the time in which one attempt is forgotten, all in seconds. Attempts at the same time wait for each other's
 * row, so that each sees the count of the one before. `from` selects one row, or none to count nothing.
 */
function countSql(first = 0, from = ''): string {
  const [name, key, attempts, delay, longest, forget] = [1, 2, 3, 4, 5, 6].map(
    (at) => `$${first + at}`,
  ) as [string, string, string, string, string, string]
  // The exponent is limited, because PostgreSQL refuses powers that are too large.
  const wait = `least(${longest}::double precision, ${delay}::double precision * 2 ^ least(number - ${attempts}::integer, 40))`
  return `
INSERT INTO fw_attempts AS a (name, key, is_allowed, forgotten_at, retry_at)
SELECT ${name}::varchar, ${key}::varchar, true, ${now} + ${seconds(forget)}, CASE WHEN ${attempts}::integer <= 1 THEN ${now} + ${seconds(delay)} END ${from}
ON CONFLICT (name, key) DO UPDATE SET (is_allowed, forgotten_at, retry_at) = (
  SELECT allowed, CASE WHEN allowed THEN forgotten ELSE a.forgotten_at END,
    CASE WHEN NOT allowed THEN a.retry_at
      WHEN number >= ${attempts} THEN ${now} + ${seconds(wait)} END
  FROM (
    SELECT forgotten, a.retry_at IS NULL OR a.retry_at <= ${now} AS allowed,
      ceil(extract(epoch FROM forgotten - ${now}) / ${forget}::double precision) AS number
    FROM (SELECT greatest(a.forgotten_at, ${now}) + ${seconds(forget)} AS forgotten) AS counted
  ) AS numbered
)
RETURNING is_allowed AS "isAllowed",
  coalesce(extract(epoch FROM retry_at - ${now}) * 1000, 0)::double precision AS "millisToWait"`
}

const count = countSql()

/** Counts an attempt under two keys, under the second one only if the first need not wait. Returns the row that refuses, else any. */
const countBoth = `
WITH one AS (${count}), two AS (${countSql(6, 'FROM one WHERE one."isAllowed"')})
SELECT * FROM one UNION ALL SELECT * FROM two ORDER BY 1 LIMIT 1`

/** Forgets the attempts of a key: $1 name, $2 key. */
const reset = 'DELETE FROM fw_attempts WHERE name = $1 AND key = $2'

/** Removes the keys whose attempts are all forgotten. Skips locked rows, because a statement that counts locks two. */
const sweep = `
DELETE FROM fw_attempts WHERE (name, key) IN (
  SELECT name, key FROM fw_attempts
  WHERE forgotten_at <= ${now} AND (retry_at IS NULL OR retry_at <= ${now}) FOR UPDATE SKIP LOCKED
)`

/** The SQL of each statement, by its name. */
export const attemptSql = { count, countBoth, reset, sweep } as const
