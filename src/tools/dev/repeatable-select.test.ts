/** Which statements of a failed request are sent again. The test sends none. */
import { expect, test } from 'vitest'
import { isRepeatable } from './repeatable-select.ts'

const sent = (sql: string) => ({ sql, parameters: [] })

test.each([
  'select pg_advisory_lock($1)',
  'select PG_TRY_ADVISORY_LOCK_SHARED (7), id from events',
  'select id from events where pg_catalog."pg_advisory_lock"/* of it */(id) is null',
  'with one as (select pg_advisory_xact_lock(1)) select * from one',
  'select pg_terminate_backend(pid) from pg_stat_activity',
  "select * from dblink('select 1') as one (id int)",
  'select pg_sleep(1)',
  'update events set name = $1',
])('%s is not sent again', (sql) => {
  expect(isRepeatable(sent(sql))).toBe(false)
})

test.each([
  'dblink_exec',
  'http',
  'http_post',
  'https_get',
  'lo_export',
  'pg_advisory_xact_lock_shared',
  'pg_backup_start',
  'pg_cancel_backend',
  'pg_copy_logical_replication_slot',
  'pg_create_physical_replication_slot',
  'pg_create_restore_point',
  'pg_drop_replication_slot',
  'pg_log_standby_snapshot',
  'pg_logical_emit_message',
  'pg_file_write',
  'pg_promote',
  'pg_reload_conf',
  'pg_replication_origin_advance',
  'pg_replication_slot_advance',
  'pg_rotate_logfile',
  'pg_sleep_for',
  'pg_start_backup',
  'pg_stat_reset_shared',
  'pg_stat_statements_reset',
  'pg_stop_backup',
  'pg_switch_wal',
  'pg_sync_replication_slots',
  'pg_wal_replay_pause',
])('a call of %s is not sent again', (name) => {
  expect(isRepeatable(sent(`select ${name}(id) from events`))).toBe(false)
})

test.each([
  'coalesce',
  'copy_name',
  'count',
  'format',
  'log',
  'localtime',
  'lower',
  'pg_backend_pid',
  'pg_blocking_pids',
  'pg_column_size',
  'pg_current_wal_lsn',
  'pg_get_serial_sequence',
  'pg_is_in_recovery',
  'pg_is_wal_replay_paused',
  'pg_last_wal_replay_lsn',
  'pg_postmaster_start_time',
  'pg_size_pretty',
  'pg_stat_file',
  'pg_stat_get_activity',
  'pg_stat_get_db_stat_reset_time',
  'pg_total_relation_size',
  'pg_typeof',
  'pg_wal_lsn_diff',
  'replace',
  'row_number',
  'to_char',
])('a call of %s is sent again', (name) => {
  expect(isRepeatable(sent(`select ${name}(id) from events`))).toBe(true)
})

test.each([
  "select 'pg_advisory_lock(1)' as text from events",
  'select id -- pg_advisory_lock(1)\nfrom events',
  'select pg_advisory_lock from events',
  'select lower(name), pg_size_pretty(1) from events',
  'with all_ as (select * from events) select * from all_',
])('%s is sent again', (sql) => {
  expect(isRepeatable(sent(sql))).toBe(true)
  expect(isRepeatable({ ...sent(sql), failure: 'a reason' })).toBe(false)
})
