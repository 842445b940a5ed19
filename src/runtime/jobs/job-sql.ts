/** The tables of jobs, as a migration, and the statements that enqueue, claim and end jobs. */

/** The statements of the migration, in order. */
export const jobMigration: { readonly up: readonly string[]; readonly down: readonly string[] } = {
  up: [
    `CREATE TABLE fw_jobs (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name varchar(128) NOT NULL,
  queue varchar(64) NOT NULL,
  priority smallint NOT NULL,
  arguments jsonb NOT NULL,
  unique_key varchar(255),
  created_at timestamptz NOT NULL,
  run_at timestamptz NOT NULL,
  attempt integer NOT NULL DEFAULT 0,
  worker varchar(64),
  started_at timestamptz,
  repeat_at timestamptz,
  steps jsonb NOT NULL DEFAULT '{}',
  request_id varchar(255),
  traceparent varchar(64),
  error text,
  dead_at timestamptz
)`,
    `CREATE UNIQUE INDEX fw_jobs_unique_key_idx ON fw_jobs (name, unique_key)
  WHERE unique_key IS NOT NULL AND dead_at IS NULL`,
    `CREATE INDEX fw_jobs_due_idx ON fw_jobs (queue, priority DESC, run_at) WHERE dead_at IS NULL`,
    `CREATE INDEX fw_jobs_dead_at_idx ON fw_jobs (dead_at) WHERE dead_at IS NOT NULL`,
    `CREATE TABLE fw_job_schedules (
  name varchar(128) NOT NULL,
  cron varchar(255) NOT NULL,
  time_zone varchar(64) NOT NULL,
  next_at timestamptz NOT NULL,
  PRIMARY KEY (name, cron, time_zone)
)`,
  ],
  down: ['DROP TABLE fw_job_schedules', 'DROP TABLE fw_jobs'],
}

/** Returns the text of a file in `db/migration`: the tables, a line `-- down`, and the statements that drop them. */
export const jobMigrationText = (): string =>
  `${jobMigration.up.join(';\n\n')};\n\n-- down\n${jobMigration.down.join(';\n')};\n`

/** The channel of notifications about new jobs. */
export const jobChannelName = 'fw_jobs'

/** Notifies at the commit. PostgreSQL merges the notifications of a transaction, because their payloads are equal. */
const notify = `pg_notify('${jobChannelName}', '')`

/*
 * All times are those of the database, so that the clocks of nodes need not agree. Unlike `now()`, `statement_timestamp()`
 * advances inside a transaction. Of a waiting job, `run_at` is the time from which it may run. Of a running job, it is the end
 * of its lease, which its process extends: the jobs of a process that was killed become due again. `repeat_at` is the time from
 * which a running job runs once more, because it was enqueued again.
 */

const now = 'statement_timestamp()'
const millis = (parameter: string): string =>
  `make_interval(secs => ${parameter}::double precision / 1000)`

/**
 * Adds jobs: $1 name, $2 queue, $3 priority, $4 a JSON list of their `id`, `arguments` and `key`, $5 time or null, $6 delay in
 * milliseconds, $7 request id, $8 traceparent, $9 whether workers are notified at the commit. A waiting job with the same key keeps its
 * id and gets the new arguments; a running one also runs again, from its new time on. Whether workers are notified
 * is a parameter, so that requests with the same work send the same text.
 */
const enqueue = `
INSERT INTO fw_jobs (id, name, queue, priority, arguments, unique_key, created_at, run_at, request_id, traceparent)
SELECT given.id, $1, $2, $3::smallint, given.arguments, given.key, ${now},
  coalesce($5::timestamptz, ${now} + ${millis('$6')}), $7, $8
FROM jsonb_to_recordset($4::jsonb) AS given (id uuid, arguments jsonb, key text)
ON CONFLICT (name, unique_key) WHERE unique_key IS NOT NULL AND dead_at IS NULL DO UPDATE SET
  arguments = excluded.arguments,
  repeat_at = CASE WHEN fw_jobs.worker IS NULL THEN fw_jobs.repeat_at ELSE least(fw_jobs.repeat_at, excluded.run_at) END,
  run_at = CASE WHEN fw_jobs.worker IS NULL THEN least(fw_jobs.run_at, excluded.run_at) ELSE fw_jobs.run_at END,
  steps = CASE WHEN fw_jobs.arguments = excluded.arguments THEN fw_jobs.steps ELSE '{}' END
RETURNING id::text, CASE WHEN $9::boolean THEN ${notify} END`

/**
 * Claims due jobs: $1 queues and $2 their free places, $3 the places of other queues, $4 the only queues or null, $5 names,
 * $6 worker, $7 milliseconds of the lease, $8 milliseconds after now that count as due. Finds the pairs of queue and priority
 * one by one in the index, so that neither a backlog nor delayed jobs are read. The rows of `levels` are in that order. A join
 * with `chosen` in place of the array would read the whole table, because PostgreSQL overestimates the number of its rows.
 */
const claim = `
WITH RECURSIVE levels AS (
  (SELECT queue, priority FROM fw_jobs WHERE dead_at IS NULL ORDER BY queue, priority DESC LIMIT 1)
  UNION ALL
  SELECT next.queue, next.priority FROM levels CROSS JOIN LATERAL (
    (SELECT j.queue, j.priority FROM fw_jobs j
      WHERE j.dead_at IS NULL AND j.queue = levels.queue AND j.priority < levels.priority
      ORDER BY j.queue, j.priority DESC LIMIT 1)
    UNION ALL
    (SELECT j.queue, j.priority FROM fw_jobs j
      WHERE j.dead_at IS NULL AND j.queue > levels.queue ORDER BY j.queue, j.priority DESC LIMIT 1)
    LIMIT 1
  ) AS next
), queues AS (
  SELECT found.queue, coalesce(given.free, $3) AS free
  FROM (SELECT DISTINCT queue FROM levels) AS found
  LEFT JOIN unnest($1::text[], $2::integer[]) AS given (queue, free) ON given.queue = found.queue
  WHERE $4::text[] IS NULL OR found.queue = ANY($4::text[])
), chosen AS (
  SELECT due.id FROM queues CROSS JOIN LATERAL (
    SELECT one.id FROM levels CROSS JOIN LATERAL (
      SELECT j.id FROM fw_jobs j
      WHERE j.dead_at IS NULL AND j.queue = levels.queue AND j.priority = levels.priority
        AND j.run_at <= ${now} + ${millis('$8')} AND j.name = ANY($5::text[])
      ORDER BY j.run_at LIMIT queues.free FOR UPDATE SKIP LOCKED
    ) AS one
    WHERE levels.queue = queues.queue LIMIT queues.free
  ) AS due
)
UPDATE fw_jobs SET
  attempt = fw_jobs.attempt + 1, worker = $6, started_at = ${now}, run_at = ${now} + ${millis('$7')},
  steps = CASE WHEN repeat_at IS NULL THEN steps ELSE '{}' END, repeat_at = CASE WHEN repeat_at > ${now} THEN repeat_at END
WHERE id = ANY(ARRAY(SELECT id FROM chosen))
RETURNING id::text, name, queue, priority, arguments::text, attempt, steps::text, request_id, traceparent`

/**
 * Extends the leases of the jobs $1 of the worker $2 by $3 milliseconds. Returns the ids that the worker still has. Skips locked
 * rows, because another transaction may have locked a job for long; `claim` skips them too.
 */
const extend = `
WITH extended AS (
  UPDATE fw_jobs SET run_at = ${now} + ${millis('$3')} WHERE id IN (
    SELECT id FROM fw_jobs WHERE id = ANY($1::uuid[]) AND worker = $2 FOR NO KEY UPDATE SKIP LOCKED
  )
)
SELECT id::text FROM fw_jobs WHERE id = ANY($1::uuid[]) AND worker = $2`

/** Selects a job that this attempt still has: $1 id, $2 worker, $3 attempt. */
const own = 'id = $1 AND worker = $2 AND attempt = $3'

/** Removes a job that is done, unless it must run again. */
const complete = `DELETE FROM fw_jobs WHERE ${own} AND repeat_at IS NULL`

/** Lets a job run again that was enqueued while it ran, and notifies workers if it is due. */
const repeat = `
UPDATE fw_jobs SET worker = NULL, started_at = NULL, run_at = repeat_at, repeat_at = NULL, attempt = 0, steps = '{}', error = NULL
WHERE ${own} AND repeat_at IS NOT NULL
RETURNING CASE WHEN run_at <= ${now} THEN ${notify} END`

/** Saves the result of a step: $4 name, $5 JSON. */
const saveStep = `
UPDATE fw_jobs SET steps = steps || jsonb_build_object($4::text, $5::jsonb) WHERE ${own}`

/**
 * Ends a failed attempt: $4 error, $5 milliseconds until the next one, $6 whether there is none. A job that was enqueued
 * again while it ran starts from its first attempt, at its new time.
 */
const fail = `
UPDATE fw_jobs SET worker = NULL, started_at = NULL, error = $4, run_at = coalesce(repeat_at, ${now} + ${millis('$5')}),
  dead_at = CASE WHEN $6 AND repeat_at IS NULL THEN ${now} END,
  attempt = CASE WHEN repeat_at IS NULL THEN attempt ELSE 0 END,
  steps = CASE WHEN repeat_at IS NULL THEN steps ELSE '{}' END, repeat_at = NULL
WHERE ${own}
RETURNING dead_at IS NOT NULL AS "isDead"`

/** Gives a job back that the stop of its process has ended. The attempt does not count. */
const giveBack = `
UPDATE fw_jobs SET worker = NULL, started_at = NULL, run_at = ${now}, attempt = attempt - 1 WHERE ${own}
RETURNING ${notify}`

/** Lets a dead job run again: $1 id. Does nothing if an equal job exists. */
const retry = `
UPDATE fw_jobs SET dead_at = NULL, attempt = 0, run_at = ${now} WHERE id = $1 AND dead_at IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM fw_jobs other
  WHERE other.name = fw_jobs.name AND other.unique_key = fw_jobs.unique_key AND other.dead_at IS NULL
) RETURNING ${notify}`

/** Removes a job that does not run: $1 id. */
const discard = `DELETE FROM fw_jobs WHERE id = $1 AND worker IS NULL`

/** Removes jobs that have been dead for $1 milliseconds. */
const sweep = `DELETE FROM fw_jobs WHERE dead_at < ${now} - ${millis('$1')}`

/** Counts the jobs of each queue. `age` is the number of seconds that the oldest due job waits. */
const count = `
SELECT queue,
  count(*) FILTER (WHERE dead_at IS NULL AND worker IS NULL AND run_at <= ${now})::integer AS waiting,
  count(*) FILTER (WHERE dead_at IS NULL AND worker IS NULL AND run_at > ${now})::integer AS delayed,
  count(*) FILTER (WHERE dead_at IS NULL AND worker IS NOT NULL)::integer AS running,
  count(*) FILTER (WHERE dead_at IS NOT NULL)::integer AS dead,
  coalesce(extract(epoch FROM ${now} - min(run_at) FILTER (WHERE dead_at IS NULL AND worker IS NULL AND run_at <= ${now})), 0)::double precision AS age
FROM fw_jobs GROUP BY queue ORDER BY queue`

/** Lists the first $1 jobs of each state, of the dead ones the newest. Dead and running jobs have the time since when, others the time from which they run. */
const list = `
SELECT * FROM (
  SELECT id::text, name, queue, attempt, arguments::text, worker, error, state,
    to_char(coalesce(dead_at, started_at, run_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') AS time,
    row_number() OVER (PARTITION BY state ORDER BY dead_at DESC, coalesce(started_at, run_at), id) AS number
  FROM (
    SELECT *, CASE WHEN dead_at IS NOT NULL THEN 'dead' WHEN worker IS NOT NULL THEN 'running'
      WHEN run_at <= ${now} THEN 'waiting' ELSE 'delayed' END AS state
    FROM fw_jobs
  ) AS all_jobs
) AS numbered
WHERE number <= $1 ORDER BY state, number`

/** The names of waiting jobs that no code defines: $1 the defined names. */
const unknownNames = `
SELECT DISTINCT name FROM fw_jobs WHERE dead_at IS NULL AND NOT name = ANY($1::text[]) ORDER BY name LIMIT 20`

/** Adds a schedule: $1 name, $2 cron, $3 time zone, $4 milliseconds until its first time. */
const addSchedule = `
INSERT INTO fw_job_schedules (name, cron, time_zone, next_at) VALUES ($1, $2, $3, ${now} + ${millis('$4')})
ON CONFLICT DO NOTHING`

/** Returns the schedules with these names, and the database's clock. */
const schedules = `
SELECT name, cron, time_zone AS "timeZone", extract(epoch FROM next_at)::double precision * 1000 AS "nextAt",
  extract(epoch FROM ${now})::double precision * 1000 AS now
FROM fw_job_schedules WHERE name = ANY($1::text[])`

/**
 * Moves a schedule from $4 to $5 (milliseconds since 1970), and enqueues its job unless $6 is null: $6 queue, $7 priority.
 * Only one of several nodes finds the schedule at $4. A job of an earlier
 * time that still waits runs now, even after a failed attempt; one that runs does so once more.
 */
const advanceSchedule = `
WITH moved AS (
  UPDATE fw_job_schedules SET next_at = to_timestamp($5::double precision / 1000)
  WHERE name = $1 AND cron = $2 AND time_zone = $3
    AND abs(extract(epoch FROM next_at) * 1000 - $4::double precision) < 1
  RETURNING name
)
INSERT INTO fw_jobs (name, queue, priority, arguments, unique_key, created_at, run_at)
SELECT name, $6::text, $7::smallint, '{}', 'schedule ' || $2::text || ' ' || $3::text, ${now}, ${now} FROM moved
WHERE $6::text IS NOT NULL
ON CONFLICT (name, unique_key) WHERE unique_key IS NOT NULL AND dead_at IS NULL
  DO UPDATE SET
    repeat_at = CASE WHEN fw_jobs.worker IS NULL THEN fw_jobs.repeat_at ELSE least(fw_jobs.repeat_at, excluded.run_at) END,
    run_at = CASE WHEN fw_jobs.worker IS NULL THEN least(fw_jobs.run_at, excluded.run_at) ELSE fw_jobs.run_at END
RETURNING ${notify}`

/** The SQL of each statement, by its name. */
export const jobSql = {
  enqueue,
  claim,
  extend,
  complete,
  repeat,
  saveStep,
  fail,
  giveBack,
  retry,
  discard,
  sweep,
  count,
  list,
  unknownNames,
  addSchedule,
  schedules,
  advanceSchedule,
} as const

/** The name of a statement. */
export type JobStatement = keyof typeof jobSql
