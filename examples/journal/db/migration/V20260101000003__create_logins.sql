create table logins (
  id bigint generated always as identity primary key,
  user_id bigint not null references users (id) on delete cascade,
  user_agent varchar(512) not null,
  remember_hash varchar(64),
  previous_hash varchar(64),
  rotated_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index on logins (user_id);

-- down
drop table logins;
