/**
 * Tests that no reference to a request remains after its response. Minor collections then free it, so a server under
 * load needs no major ones.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyDatabaseOn, hasTestServer } from '../../src/runtime/db/test-server.fixture.ts'

const program = join(import.meta.dirname, 'old-space.fixture.ts')
const flags = ['--conditions=fwjs-source', '--expose-gc', '--max-semi-space-size=16']
// The heap is large enough that only minor collections run.
const heap = '--initial-old-space-size=512'

const database = (await hasTestServer()) ? await emptyDatabaseOn('memory') : undefined
let growth: Readonly<Record<string, number>>

beforeAll(async () => {
  const args = [...flags, heap, program, ...(database === undefined ? [] : [database.url])]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  // On a busy machine, log lines about slow statements precede the result.
  growth = JSON.parse(stdout.trim().split('\n').at(-1)!) as Record<string, number>
})
afterAll(() => database?.drop())

test('the measurement detects a request that stays in memory', () => {
  expect(growth['leak']).toBeGreaterThan(1000)
})

const onServer = database === undefined ? [] : ['row', 'write', 'waiting read']

test.each(['hello', 'session', 'invalid form', 'json body', 'stream', ...onServer])(
  'after a request for %s almost nothing remains in memory',
  (page) => {
    // A Map or Set of what comes and goes with requests keeps 400 bytes for each.
    expect(growth[page]).toBeLessThan(page === 'stream' ? 1000 : 400)
  },
)
