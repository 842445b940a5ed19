create table users (
  id bigserial primary key,
  name varchar(80) not null,
  email varchar(254) not null unique,
  password_hash text not null,
  role varchar(6) not null default 'author' check (role in ('author', 'editor')),
  bio varchar(500),
  link_used_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- down
drop table users;
