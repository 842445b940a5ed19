
-- With Citus, all rows of {{ownerWords}} are on one node, and the tables that they reference are on each node. Without it, this does nothing.
do $$ begin
  if exists (select from pg_extension where extname = 'citus') then
    perform create_reference_table(shared::regclass) from unnest(array[{{shared}}]) as shared
      where not exists (select from pg_dist_partition where logicalrelid = shared::regclass and repmodel = 't');
    perform create_distributed_table('{{table}}', '{{column}}');
  end if;
end $$;
