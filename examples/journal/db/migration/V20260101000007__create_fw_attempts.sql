CREATE TABLE fw_attempts (
  name varchar(64) NOT NULL,
  key varchar(64) NOT NULL,
  is_allowed boolean NOT NULL,
  forgotten_at timestamptz NOT NULL,
  retry_at timestamptz,
  PRIMARY KEY (name, key)
);

-- down
DROP TABLE fw_attempts;
