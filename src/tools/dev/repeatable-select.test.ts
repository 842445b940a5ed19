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
  "select 'pg_advisory_lock(1)' as text from events",
  'select id -- pg_advisory_lock(1)\nfrom events',
  'select pg_advisory_lock from events',
  'select lower(name), pg_size_pretty(1) from events',
  'with all_ as (select * from events) select * from all_',
])('%s is sent again', (sql) => {
  expect(isRepeatable(sent(sql))).toBe(true)
  expect(isRepeatable({ ...sent(sql), failure: 'a reason' })).toBe(false)
})
