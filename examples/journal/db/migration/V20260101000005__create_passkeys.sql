create table passkeys (
  id varchar(1400) primary key,
  user_id bigint not null references users (id) on delete cascade,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name varchar(80) not null,
  created_at timestamptz not null
);
create index on passkeys (user_id);

-- down
drop table passkeys;
