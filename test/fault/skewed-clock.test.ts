/** Sessions of a node whose clock is a day off: they live and end by the database's clock. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase, type Database } from '../../src/db.ts'
import { sessionMigration } from '../../src/session.ts'

const server = process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/test'
const faketime = libraryPath()
const admin = await openDatabase({
  kind: 'postgres',
  url: server,
  acquireTimeout: 1000,
  poolSize: 1,
})
const reachable = await admin.ping().then(
  () => true,
  () => false,
)
const missing = faketime === undefined ? ' (left out: libfaketime is not installed)' : ''

function libraryPath(): string | undefined {
  if (process.platform !== 'linux') return undefined
  return readdirSync('/usr/lib')
    .map((folder) => join('/usr/lib', folder, 'faketime/libfaketime.so.1'))
    .find((file) => existsSync(file))
}

/** What `skewed-node.ts` found, with its clock moved. */
function nodeAt(offset: string, url: string): unknown {
  const file = join(import.meta.dirname, 'skewed-node.ts')
  const { stdout, stderr } = spawnSync(process.execPath, ['--conditions=fwjs-source', file, url], {
    encoding: 'utf8',
    timeout: 30_000,
    env: {
      ...process.env,
      LD_PRELOAD: faketime,
      FAKETIME: offset,
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

describe.skipIf(!reachable || faketime === undefined)(
  `a node's clock is a day off${missing}`,
  () => {
    const name = `session_skew_${process.pid}`
    const url = new URL(server)
    url.pathname = `/${name}`
    let database: Database

    beforeAll(async () => {
      await admin.query({ sql: `create database ${name}`, parameters: [] })
      database = await openDatabase({ kind: 'postgres', url: url.href, poolSize: 1 })
      for (const sql of sessionMigration.up) await database.query({ sql, parameters: [] })
    }, 60_000)
    afterAll(async () => {
      await database.close()
      await admin.query({ sql: `drop database ${name} with (force)`, parameters: [] })
      await admin.close()
    })

    test.each([
      ['-1d', -1],
      ['+1d', 1],
    ])(
      'by %s',
      (offset, days) => {
        const found = nodeAt(offset, url.href) as { readonly now: number }
        expect(Math.round((found.now - Date.now()) / 86_400_000)).toBe(days)
        expect(found).toMatchObject({
          fresh: { count: 1 },
          touchDue: false,
          prolonged: true,
          swept: 0,
          afterIdle: false,
          afterAbsolute: false,
          savedLate: false,
        })
      },
      60_000,
    )
  },
)
