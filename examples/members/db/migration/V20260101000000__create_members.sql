create table members (
  id bigserial primary key,
  name varchar(512) not null,
  birthday date not null,
  country_id bigint,
  created_at timestamptz not null default now()
);

-- down
drop table members;
