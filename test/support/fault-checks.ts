/** The checks at the end of each fault: the application works as before, and keeps nothing of the failed requests. */
import { existsSync, readdirSync } from 'node:fs'
import { expect } from 'vitest'
import type { Database } from '../../src/runtime/db.ts'

export interface FaultTarget {
  /** The status of a page that has nothing to do with the fault. */
  readonly page: () => Promise<number>
  /** The process of the application; default: this process. */
  readonly pid?: number
  readonly database?: Database
  /** The folder for temporary files of uploads. */
  readonly uploads: string
}

const eventually = <T>(read: () => T) =>
  // oxlint-disable-next-line vitest/require-awaited-expect-poll -- the caller awaits it
  expect.poll(read, { interval: 5, timeout: 15_000 })

const countDescriptors = (pid: number): number => {
  const folder = `/proc/${pid}/fd`
  return existsSync(folder) ? readdirSync(folder).length : 0
}

const listFiles = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => entry.name)
    : []

/** Reserves all connections once, so that no later request opens one. */
async function fillPool({ pool }: Database): Promise<void> {
  const all = await Promise.all(Array.from({ length: pool.size }, () => pool.reserve()))
  for (const connection of all) pool.release(connection)
}

/** Call this before the fault. The result checks: process alive, page, pool idle, no temporary file, descriptors as before. */
export async function prepareChecks(target: FaultTarget): Promise<() => Promise<void>> {
  const { page, pid = process.pid, database, uploads } = target
  await page()
  if (database !== undefined) await fillPool(database)
  const before = countDescriptors(pid)
  return async () => {
    expect(process.kill(pid, 0)).toBe(true)
    await eventually(page).toBe(200)
    if (database !== undefined)
      await eventually(() => database.state).toMatchObject({ reserved: 0, waiting: 0 })
    await eventually(() => listFiles(uploads)).toEqual([])
    await eventually(() => countDescriptors(pid)).toBeLessThanOrEqual(before)
  }
}
