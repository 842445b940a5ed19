CREATE TABLE fw_jobs (
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
);

CREATE UNIQUE INDEX fw_jobs_unique_key_idx ON fw_jobs (name, unique_key)
  WHERE unique_key IS NOT NULL AND dead_at IS NULL;

CREATE INDEX fw_jobs_due_idx ON fw_jobs (queue, priority DESC, run_at) WHERE dead_at IS NULL;

CREATE INDEX fw_jobs_dead_at_idx ON fw_jobs (dead_at) WHERE dead_at IS NOT NULL;

CREATE TABLE fw_job_schedules (
  name varchar(128) NOT NULL,
  cron varchar(255) NOT NULL,
  time_zone varchar(64) NOT NULL,
  next_at timestamptz NOT NULL,
  PRIMARY KEY (name, cron, time_zone)
);

-- down
DROP TABLE fw_job_schedules;
DROP TABLE fw_jobs;
