create table api_tokens (
  id bigint generated always as identity primary key,
  user_id bigint not null references users (id) on delete cascade,
  name varchar(80) not null,
  prefix varchar(12) not null,
  token_hash varchar(64) not null unique,
  scopes text[] not null,
  last_used_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null
);
create index on api_tokens (user_id);

-- down
drop table api_tokens;
