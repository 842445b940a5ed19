/** Checks after each fault that the application works as before, and that nothing remains of the failed requests. */
import { existsSync, readdirSync } from 'node:fs'
import { expect } from 'vitest'
import type { Database } from '../../src/runtime/db.ts'

export interface FaultTarget {
  /** Requests a page that the fault does not concern, and resolves to its status. */
  readonly page: () => Promise<number>
  /** The id of the application's process; default: this process. */
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

/**
 * Opens all connections of the pool, so that no later request opens one. The check would count a new one as a
 * descriptor that was left open.
 */
async function fillPool({ pool }: Database): Promise<void> {
  const all = await Promise.all(Array.from({ length: pool.size }, () => pool.reserve()))
  for (const connection of all) pool.release(connection)
}

/**
 * Call this before the fault, and the returned function after it. That function checks that the process runs, the page
 * is served and the pool is idle. It also checks that no temporary file and no descriptor is left.
 */
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
