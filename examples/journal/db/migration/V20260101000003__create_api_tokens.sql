create table api_tokens (
  id bigserial primary key,
  user_id bigint not null references users (id) on delete cascade,
  name varchar(80) not null,
  token_hash varchar(64) not null unique,
  created_at timestamptz not null default now()
);
create index on api_tokens (user_id, id);

-- down
drop table api_tokens;
