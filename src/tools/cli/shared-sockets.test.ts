/** The primary's copies of its workers' sockets. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sourceFlags, visibleEnvironment } from '../../../test/support/environment.ts'

const fixture = join(import.meta.dirname, 'shared-sockets.fixture.ts')

/** The first line that the worker prints. The primary is killed. */
function run(mode: string): Promise<string> {
  const args = [...sourceFlags, fixture, mode]
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env: visibleEnvironment() }, (_, stdout) =>
      resolve(stdout.split('\n')[0]!),
    )
  })
}

test('released copies refuse connections as soon as the workers have closed theirs', async () => {
  expect(await run('release')).toBe('ECONNREFUSED')
})

test('Node itself keeps them open until the primary has read a message of each worker', async () => {
  expect(await run('keep')).toBe('accepts')
})
