/** The entity tag of a file follows its content alone, and is computed once for each version. */
import { renameSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../../../test/support/serve.ts'
import { bodyEntityTag } from './preconditions.ts'
import { fileTag } from './file-tag.ts'

const time = new Date('2026-01-02T03:04:05Z')
const read = async (path: string) => fileTag(path, await stat(path))

/** The tags of files that changed in the last seconds are not remembered: moves the clock instead of waiting. */
function passSeconds(seconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 })
}

beforeEach(() => {
  onTestFinished(() => void vi.useRealTimers())
})

test('two files of equal size and time have different tags, equal files the same', async () => {
  const folder = temporaryFolder({ a: 'one', b: 'two', c: 'one' })
  const [a, b, c] = await Promise.all(
    ['a', 'b', 'c'].map((name) => {
      utimesSync(join(folder, name), time, time)
      return read(join(folder, name))
    }),
  )
  expect(a).toBe(bodyEntityTag('one'))
  expect(a).not.toBe(b)
  expect(c).toBe(a)
})

test.each([
  ['replaced', 0],
  ['replaced', 10],
  ['rewritten', 0],
  ['rewritten', 10],
])('a file that is %s within its size and time after %s s has a new tag', async (how, seconds) => {
  const folder = temporaryFolder({ a: 'one', b: 'two' })
  const path = join(folder, 'a')
  utimesSync(path, time, time)
  if (seconds > 0) passSeconds(seconds)
  expect(await read(path)).toBe(bodyEntityTag('one'))
  if (how === 'replaced') renameSync(join(folder, 'b'), path)
  else writeFileSync(path, 'two')
  utimesSync(path, time, time)
  expect(await read(path)).toBe(bodyEntityTag('two'))
})

test('concurrent and later requests share one hash', async () => {
  const path = join(temporaryFolder({ a: 'one' }), 'a')
  passSeconds(10)
  const stats = await stat(path)
  const first = fileTag(path, stats)
  expect(fileTag(path, stats)).toBe(first)
  const tag = await first
  expect(fileTag(path, stats)).toBe(tag)
})

test('a large file gets its tag after its first responses, which do not wait', async () => {
  const path = join(temporaryFolder({ large: '' }), 'large')
  truncateSync(path, 17 * 1024 * 1024)
  expect(await read(path)).toBeUndefined()
  passSeconds(10)
  expect(await read(path)).toBeUndefined()
  await vi.waitUntil(async () => (await read(path)) !== undefined)
  expect(await read(path)).toBe(bodyEntityTag(Buffer.alloc(17 * 1024 * 1024)))
})

test('a file that cannot be read rejects, and is tried again', async () => {
  const path = join(temporaryFolder({ a: 'one' }), 'a')
  passSeconds(10)
  const stats = await stat(path)
  renameSync(path, `${path}2`)
  await expect(fileTag(path, stats)).rejects.toThrow('ENOENT')
  renameSync(`${path}2`, path)
  passSeconds(10)
  expect(await read(path)).toBe(bodyEntityTag('one'))
})
