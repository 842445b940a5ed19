/** What the tests write for a time is in a folder of the run's own, and goes with it, however its processes end. */
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Shared memory, where there is enough: a copy of an embedded database takes a tenth of the time. */
const sharedMemory = '/dev/shm'
const bytesNeeded = 4 * 2 ** 30

export function setup(): () => void {
  const folder = mkdtempSync(join(hasRoom(sharedMemory) ? sharedMemory : tmpdir(), 'fw-tests-'))
  // A PostgreSQL server of a test's own runs as another user.
  chmodSync(folder, 0o711)
  process.env['TMPDIR'] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}

function hasRoom(place: string): boolean {
  try {
    accessSync(place, constants.W_OK | constants.X_OK)
    const { bavail, bsize } = statfsSync(place)
    return bavail * bsize > bytesNeeded && process.availableMemory() > 2 * bytesNeeded
  } catch {
    return false
  }
}
