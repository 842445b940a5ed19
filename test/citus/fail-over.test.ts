/**
 * Tests that writes survive the failure of a worker. `FW_CITUS_FAIL_OVER` is a shell command that stops a worker, promotes its standby
 * and calls `citus_update_node` in the database `$1`; without it, only connections to workers break.
 */
import { exec } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase, type Database } from '../../src/runtime/db.ts'
import type { EmptyDatabase } from '../../src/runtime/db/test-server.fixture.ts'
import { eventually } from '../support/data-app.ts'
import { hasCitus, newCitusDatabase, run } from './cluster.ts'

const failOver = process.env['FW_CITUS_FAIL_OVER'] || undefined
if (hasCitus && failOver === undefined)
  console.log('the fail-over of a worker is skipped: set FW_CITUS_FAIL_OVER to a shell command')

const tenants = 16
const codeOf = (error: unknown): string => (error as { code: string }).code

describe.skipIf(!hasCitus)('writes while workers fail', () => {
  let empty: EmptyDatabase
  let database: Database
  beforeAll(async () => {
    empty = await newCitusDatabase('citus_fail_over')
    database = await openDatabase({ kind: 'postgres', url: empty.url, poolSize: 10 })
    await run(database, 'create table writes (tenant_id int, n int, primary key (tenant_id, n))')
    await run(database, `select create_distributed_table('writes', 'tenant_id')`)
  }, 120_000)
  afterAll(async () => {
    await database?.close()
    await empty?.drop()
  })

  let last = 0
  /**
   * Writes until `work` has returned and all tenants have been written again. Checks that each acknowledged row is there, and that no
   * refused one is, unless its outcome is reported as unknown.
   */
  async function writeDuring(work: () => Promise<unknown>) {
    const acknowledged: number[] = []
    const refused: number[] = []
    const errors = new Map<string, number>()
    const end = new AbortController()
    const writer = async () => {
      while (!end.signal.aborted) {
        const n = last++
        const write = () => run(database, 'insert into writes values ($1, $2)', [n % tenants, n])
        await database.transaction(write).then(
          () => acknowledged.push(n),
          (error: unknown) => {
            const code = codeOf(error)
            if (code !== 'db.commit-outcome-unknown') refused.push(n)
            errors.set(code, (errors.get(code) ?? 0) + 1)
          },
        )
      }
    }
    const writers = Array.from({ length: 8 }, writer)
    await eventually(() => acknowledged.length).toBeGreaterThan(100)
    const started = performance.now()
    await work()
    const first = last
    const written = () =>
      new Set(acknowledged.filter((n) => n >= first).map((n) => n % tenants)).size
    await eventually(written).toBe(tenants)
    const millis = Math.round(performance.now() - started)
    end.abort()
    await Promise.all(writers)
    const rows = await run<{ n: number }>(database, 'select n from writes')
    const kept = new Set(rows.map(({ n }) => n))
    expect(acknowledged.filter((n) => !kept.has(n))).toEqual([])
    expect(refused.filter((n) => kept.has(n))).toEqual([])
    console.log({ acknowledged: acknowledged.length, errors: Object.fromEntries(errors), millis })
    return errors
  }

  test('continue after all connections to workers broke, and each acknowledged row is there', async () => {
    const terminate = `select count(pg_terminate_backend(pid)) from pg_stat_activity
      where application_name like 'citus_internal%' and datname = current_database() and pid <> pg_backend_pid()`
    await writeDuring(() => run(database, 'select * from run_command_on_workers($1)', [terminate]))
  })

  test.skipIf(failOver === undefined)(
    'continue after a worker was replaced by its standby, and each acknowledged row is there',
    async () => {
      const errors = await writeDuring(() => promisify(exec)(`set -- ${empty.name}\n${failOver}`))
      expect(errors.size).toBeGreaterThan(0)
    },
  )
})
