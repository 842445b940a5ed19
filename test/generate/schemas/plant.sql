-- Schemas, partitions, inheritance, exclusion, views, types that are no ParamType, operators, rules, policies.
create schema stock;
create schema "odd schema";
create table stock.items (sku text primary key check (sku ~ '^[A-Z]{3}-[0-9]{4}$'), title varchar(80) not null, tags text[] not null default '{}', extra jsonb);
create table stock.bins (id smallint primary key, row int not null, col int not null, unique (row, col));
create table stock.holdings (
  bin_id smallint not null references stock.bins (id) on delete cascade,
  sku text not null references stock.items (sku) on update cascade,
  quantity int not null check (quantity > 0 and quantity < 10000),
  counted tstzrange,
  primary key (bin_id, sku)
);
create table "odd schema"."odd table" (id bigserial primary key, item text references stock.items (sku), "a b" int, "a-b" int, "1st" int, unique nulls not distinct (item, "a b"));
create table events (id bigint generated always as identity, at date not null, kind text not null, primary key (id, at)) partition by range (at);
create table events_2025 partition of events for values from ('2025-01-01') to ('2026-01-01');
create table events_rest partition of events default;
create index events_kind on events (kind);
create index events_2025_kind on events_2025 (upper(kind));
create table assets (id bigint generated always as identity primary key, name text not null unique);
create table machines (power int not null default 5) inherits (assets);
create table rooms (id int primary key, name text not null);
create table bookings (
  id bigint generated always as identity primary key,
  room_id int not null references rooms (id),
  during tsrange not null,
  exclude using gist (during with &&)
);
create view open_bookings with (security_barrier) as select b.id, r.name, lower(b.during) as start from bookings b join rooms r on r.id = b.room_id;
create materialized view counts as select kind, count(*) as n from events group by kind;
create unique index counts_kind on counts (kind);
create function add_one(i int) returns int language sql immutable begin atomic select i + 1; end;
create table measured (id int primary key, v int not null, w int generated always as (v + 1) stored, check (add_one(v) > 1));
create operator === (leftarg = int, rightarg = int, function = int4eq);
create aggregate my_sum (int) (sfunc = int4pl, stype = int, initcond = '0');
create type pair as (a int, b text);
create table pairs (id int primary key, p pair, ps pair[], i interval, n inet, b bit(3), vb bit varying, x xml, pt point, ts tsvector);
create rule log_insert as on insert to rooms do also update measured set v = 1 where id = new.id;
create statistics events_stats on kind, at from events;
alter table rooms enable row level security;
create policy everybody on rooms using (true);
