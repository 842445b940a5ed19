create table second_factors (
  user_id bigint primary key references users (id) on delete cascade,
  sealed_secret varchar(512) not null,
  last_step bigint not null,
  created_at timestamptz not null
);

create table recovery_codes (
  id bigint generated always as identity primary key,
  user_id bigint not null references users (id) on delete cascade,
  code_hash varchar(64) not null,
  unique (user_id, code_hash)
);

-- down
drop table recovery_codes;
drop table second_factors;
