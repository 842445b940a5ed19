/** Global setup of the tests: puts the temporary files of a test run into one folder, and deletes it after the run. */
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * The folder of shared memory, which is used if it is large enough. Copying an embedded database takes a tenth of the
 * time there.
 */
const sharedMemory = '/dev/shm'
const bytesNeeded = 4 * 2 ** 30

export function setup(): () => void {
  const folder = mkdtempSync(join(hasSpace(sharedMemory) ? sharedMemory : tmpdir(), 'fw-tests-'))
  // The PostgreSQL server that a test starts runs as another user, who must be able to enter the folder.
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
