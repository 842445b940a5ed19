create table attachments (
  id uuid primary key default gen_random_uuid(),
  name varchar(255) not null,
  content_type varchar(255) not null,
  bytes bytea not null,
  created_at timestamptz not null default now()
);

-- Deletes the attachment that a row had: a trigger passes the name of the column.
create function delete_attachment() returns trigger language plpgsql as $$
declare
  before uuid := to_jsonb(old) ->> tg_argv[0];
begin
  if tg_op = 'DELETE' or before::text is distinct from to_jsonb(new) ->> tg_argv[0] then
    delete from attachments where id = before;
  end if;
  return null;
end $$;

-- down
drop function delete_attachment;
drop table attachments;
