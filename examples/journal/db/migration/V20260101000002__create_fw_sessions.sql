CREATE TABLE fw_sessions (
  id bigserial NOT NULL PRIMARY KEY,
  created_at timestamp NOT NULL,
  expire_at timestamp NOT NULL
);

CREATE TABLE servlet_sessions (
  jsession_id varchar(32) NOT NULL PRIMARY KEY,
  fw_session_id bigint NOT NULL REFERENCES fw_sessions (id),
  created_at timestamp NOT NULL
);

CREATE TABLE fw_session_attributes (
  fw_session_id bigint NOT NULL REFERENCES fw_sessions (id),
  attribute_name varchar(128) NOT NULL,
  attribute_value bytea,
  CONSTRAINT fw_session_attributes_unique_idx UNIQUE (fw_session_id, attribute_name)
);

CREATE TABLE fw_session_owners (
  fw_session_id bigint NOT NULL PRIMARY KEY REFERENCES fw_sessions (id),
  owner varchar(255) NOT NULL
);

CREATE INDEX fw_sessions_expire_at_idx ON fw_sessions (expire_at);

CREATE INDEX servlet_sessions_fw_session_id_idx ON servlet_sessions (fw_session_id);

CREATE INDEX fw_session_owners_owner_idx ON fw_session_owners (owner);

-- down
DROP TABLE fw_session_owners;
DROP TABLE fw_session_attributes;
DROP TABLE servlet_sessions;
DROP TABLE fw_sessions;

