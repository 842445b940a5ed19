/** Locks the folder of an embedded database for one process, because two processes would corrupt the database. */
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { dirname, resolve } from 'node:path'
import { FwError } from '../base.ts'

interface Holder {
  readonly pid: number
  /** The process's start time, which distinguishes it from a later process with the same pid; `-` without /proc. */
  readonly started: string
  readonly host: string
}

const unknown = '-'

const heldByThisProcess = new Set<string>()

const lockPath = (folder: string): string => `${resolve(folder)}.lock`

/** Creates the lock file `<folder>.lock`, and returns a function that removes it. @throws FwError `db.folder-locked` */
export function lockFolder(folder: string): () => void {
  const path = lockPath(folder)
  createParent(folder, dirname(path))
  if (heldByThisProcess.has(path)) throw folderInUseError(folder)
  for (let attempt = 0; attempt < 10; attempt++) {
    if (create(path)) {
      heldByThisProcess.add(path)
      return () => {
        if (heldByThisProcess.delete(path)) rmSync(path, { force: true })
      }
    }
    const holder = read(path)
    if (holder && isAlive(holder)) throw lockedError(folder, holder)
    removeStale(path, holder)
  }
  throw lockedError(folder, read(path))
}

/** Creates the parent folder. Fails if a file has that path, if permissions are missing, or if the disk is full. */
function createParent(folder: string, parent: string): void {
  try {
    mkdirSync(parent, { recursive: true })
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const isFile = code === 'EEXIST' || code === 'ENOTDIR'
    const reason = isFile ? `${findFile(parent)} is a file` : message
    const remedy = isFile
      ? 'Move it away, or correct db.default.folder.'
      : code === 'ENOSPC'
        ? 'Make room on the disk.'
        : `Correct db.default.folder, or let this user write to ${dirname(parent)}.`
    throw new FwError(
      'db.setting-invalid',
      `The folder ${folder} of the embedded database cannot be created: ${reason}. ${remedy}`,
      { cause },
    )
  }
}

/** The file in the place of the folder or of one that contains it. */
const findFile = (folder: string): string =>
  existsSync(folder) || dirname(folder) === folder ? folder : findFile(dirname(folder))

/** Reads the lock of a folder, if it has one. If its process is not alive, the next process replaces the lock. */
export function readFolderLock(folder: string): (Holder & { isAlive: boolean }) | undefined {
  const holder = read(lockPath(folder))
  return holder && { ...holder, isAlive: isAlive(holder) }
}

/** The error for a folder that this process has already opened. */
export const folderInUseError = (folder: string): FwError => lockedError(folder, ownHolder())

function lockedError(folder: string, holder: Holder | undefined): FwError {
  const isRemote = holder && holder.host !== hostname()
  const name = holder
    ? `the process ${holder.pid}${isRemote ? ` on ${holder.host}` : ''}`
    : 'another process'
  const remedy = isRemote
    ? `If it is gone, delete ${lockPath(folder)}.`
    : 'Stop it first, or set db.default.folder to another folder, or DATABASE_URL to the address of a server.'
  return new FwError(
    'db.folder-locked',
    `The database folder ${folder} is in use by ${name}. ${remedy}`,
  )
}

const ownHolder = (): Holder => ({
  pid: process.pid,
  started: startTime(process.pid),
  host: hostname(),
})

/** Writes a draft and links it to the lock's path, so that no process reads a partial lock file. */
function create(path: string): boolean {
  const draft = `${path}.${process.pid}`
  const { pid, started, host } = ownHolder()
  writeFileSync(draft, `${pid} ${started} ${host}\n`, { mode: 0o600 })
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

function read(path: string): Holder | undefined {
  try {
    const [pid = '', started = unknown, host = ''] = readFileSync(path, 'utf8').trim().split(' ')
    return /^[1-9]\d{0,9}$/.test(pid) ? { pid: Number(pid), started, host } : undefined
  } catch {
    return undefined
  }
}

/** Whether the holder of a lock still runs. A process on another machine or in another container cannot be checked: true. */
function isAlive({ pid, started, host }: Holder): boolean {
  if (host !== hostname()) return true
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const now = startTime(pid)
  return started === unknown || now === unknown || now === started
}

/** The start time of a process in clock ticks since boot, from /proc. */
function startTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? unknown
  } catch {
    return unknown
  }
}

/** Removes a stale lock file. Renaming is atomic: one process moves the file, and restores it if it is a new lock. */
function removeStale(path: string, stale: Holder | undefined): void {
  const aside = `${path}.${process.pid}.dead`
  try {
    renameSync(path, aside)
  } catch {
    return
  }
  const moved = read(aside)
  if (moved && moved.pid !== stale?.pid && isAlive(moved)) linkSync(aside, path)
  rmSync(aside, { force: true })
}

/** Throws `db.folder-incomplete` if an interrupted first start has left a folder that the engine cannot repair. */
export function checkFolder(folder: string): void {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return
  const parts = ['PG_VERSION', 'global/pg_control', 'base', 'pg_wal']
  const missing = parts.filter((part) => !existsSync(`${folder}/${part}`))
  if (missing.length === 0) return
  throw new FwError(
    'db.folder-incomplete',
    `The folder ${folder} does not contain a complete database: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing. ` +
      'Its creation was interrupted, or it contains other files. Move it away and start again; Fw then creates a new database. Or correct db.default.folder.',
  )
}
