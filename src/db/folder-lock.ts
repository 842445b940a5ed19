/** One process per folder of an embedded database: two would lose data without a word. */
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
  /** What tells this process from a later one of the same pid; absent where the system does not say. */
  readonly started: string
  readonly host: string
}

const unknown = '-'

const held = new Set<string>()

/**
 * Takes the folder for this process: gives the function that frees it. The lock stands beside the folder, as `<folder>.lock`.
 * @throws FwError `db.folder-locked` naming the holder's pid
 */
export function lockFolder(folder: string): () => void {
  const path = `${resolve(folder)}.lock`
  mkdirSync(dirname(path), { recursive: true })
  if (held.has(path)) throw folderInUse(folder)
  for (let attempt = 0; attempt < 10; attempt++) {
    if (create(path)) {
      held.add(path)
      return () => unlock(path)
    }
    const holder = read(path)
    if (holder && isAlive(holder)) throw locked(folder, holder)
    setAside(path, holder)
  }
  throw locked(folder, read(path))
}

/** Who has the folder of an embedded database. */
export interface FolderHolder {
  readonly pid: number
  readonly host: string
  /** False for a lock that its process left behind: whoever comes next takes it over. */
  readonly isAlive: boolean
}

/** Absent when nobody has it. */
export function folderHolder(folder: string): FolderHolder | undefined {
  const holder = read(`${resolve(folder)}.lock`)
  return holder && { pid: holder.pid, host: holder.host, isAlive: isAlive(holder) }
}

function unlock(path: string): void {
  if (held.delete(path)) rmSync(path, { force: true })
}

/** The error for a folder that this process has opened already. */
export const folderInUse = (folder: string): FwError => locked(folder, self())

function locked(folder: string, holder: Holder | undefined): FwError {
  const elsewhere = holder && holder.host !== hostname()
  const who = holder
    ? `the process ${holder.pid}${elsewhere ? ` on ${holder.host}` : ''}`
    : 'another process'
  const mend = elsewhere
    ? `If it is gone, delete ${resolve(folder)}.lock.`
    : 'Stop it first, or use another folder or a DATABASE_URL.'
  return new FwError(
    'db.folder-locked',
    `The database folder ${folder} is in use by ${who}. ${mend}`,
  )
}

function self(): Holder {
  return { pid: process.pid, started: startOf(process.pid), host: hostname() }
}

/** A link appears whole or not at all: no other process ever reads a lock half written. */
function create(path: string): boolean {
  const draft = `${path}.${process.pid}`
  const { pid, started, host } = self()
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

/** Of a process on another machine or in another container nothing can be known: it counts as alive. */
function isAlive({ pid, started, host }: Holder): boolean {
  if (host !== hostname()) return true
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const now = startOf(pid)
  return started === unknown || now === unknown || now === started
}

/** The start time of a process in clock ticks since boot, where /proc tells it. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? unknown
  } catch {
    return unknown
  }
}

/** Renaming is atomic: of two that find the same dead lock, one moves it; a live lock moved by mistake is put back. */
function setAside(path: string, dead: Holder | undefined): void {
  const aside = `${path}.${process.pid}.dead`
  try {
    renameSync(path, aside)
  } catch {
    return
  }
  const moved = read(aside)
  if (moved && moved.pid !== dead?.pid && isAlive(moved)) linkSync(aside, path)
  rmSync(aside, { force: true })
}

/**
 * An interrupted first start leaves a folder that the engine would neither open nor mend.
 * @throws FwError `db.folder-incomplete`
 */
export function checkFolder(folder: string): void {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return
  const missing = ['PG_VERSION', 'global/pg_control', 'base', 'pg_wal'].filter(
    (part) => !existsSync(`${folder}/${part}`),
  )
  if (missing.length === 0) return
  throw new FwError(
    'db.folder-incomplete',
    `The folder ${folder} is no complete database (missing: ${missing.join(', ')}): its first start was interrupted, or it is ` +
      'something else. Move it away and start again.',
  )
}
