create table members (
  id bigserial primary key,
  name varchar(512) not null,
  birthday date not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- connect-pg-simple
create table session (
  sid varchar not null primary key,
  sess json not null,
  expire timestamp(6) not null
);
create index on session (expire);

-- @adonisjs/session
create table sessions (
  id varchar(255) primary key,
  data text not null,
  expires_at timestamptz not null,
  user_id varchar(255)
);
create index on sessions (expires_at);
create index on sessions (user_id);
