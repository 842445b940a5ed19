/** Global setup: all temporary files of a test run are in one folder, which is deleted after the run. */
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** In shared memory, if large enough, copying an embedded database takes a tenth of the time. */
const sharedMemory = '/dev/shm'
const bytesNeeded = 4 * 2 ** 30

export function setup(): () => void {
  const folder = mkdtempSync(join(hasSpace(sharedMemory) ? sharedMemory : tmpdir(), 'fw-tests-'))
  // The PostgreSQL server of a test runs as another user.
  chmodSync(folder, 0o711)
  process.env['TMPDIR'] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}

function hasSpace(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize > bytesNeeded && process.availableMemory() > 2 * bytesNeeded
  } catch {
    return false
  }
}
