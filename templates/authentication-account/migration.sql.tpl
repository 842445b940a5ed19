create table {{table}} (
  id bigint generated always as identity primary key,
  email varchar(254) not null unique,
  password_hash varchar(255),
  {{linkColumn}}
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- down
drop table {{table}};
