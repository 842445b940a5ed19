create table {{table}} (
  id bigserial{{key}},
  {{columns}}
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
{{indexes}}

-- down
drop table {{table}};
