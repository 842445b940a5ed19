/** Tests sessions on a node whose clock is wrong by a day. Sessions expire by the clock of the database. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase, type Database } from '../../src/runtime/db.ts'
import {
  emptyDatabaseOn,
  hasTestServer,
  type EmptyDatabase,
} from '../../src/runtime/db/test-server.fixture.ts'
import { sessionMigration } from '../../src/runtime/session.ts'

const hasServer = await hasTestServer()
const faketime = libraryPath()
const missing = faketime === undefined ? ' (left out: libfaketime is not installed)' : ''

function libraryPath(): string | undefined {
  if (process.platform !== 'linux') return undefined
  return readdirSync('/usr/lib')
    .map((folder) => join('/usr/lib', folder, 'faketime/libfaketime.so.1'))
    .find((file) => existsSync(file))
}

/** Runs `skewed-node.ts` with a changed clock and returns its output. */
function nodeAt(offset: string, url: string): unknown {
  const file = join(import.meta.dirname, 'skewed-node.ts')
  const { stdout, stderr } = spawnSync(process.execPath, ['--conditions=fwjs-source', file, url], {
    encoding: 'utf8',
    timeout: 60_000,
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

describe.skipIf(!hasServer || faketime === undefined)(
  `a node's clock is a day off${missing}`,
  () => {
    let own: EmptyDatabase
    let database: Database

    beforeAll(async () => {
      own = await emptyDatabaseOn('skew')
      database = await openDatabase({ kind: 'postgres', url: own.url, poolSize: 1 })
      for (const sql of sessionMigration.up) await database.query({ sql, parameters: [] })
    })
    afterAll(async () => {
      await database.close()
      await own.drop()
    })

    test.each([
      ['-1d', -1],
      ['+1d', 1],
    ])('by %s', (offset, days) => {
      const found = nodeAt(offset, own.url) as { readonly now: number }
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
    })
  },
)
