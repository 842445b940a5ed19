/** The entity tags of files: a hash of the content, computed once for each version of a file. */
import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { open } from 'node:fs/promises'

/** The inclusive offsets of the first and last byte to read. */
interface Offsets {
  readonly first: number
  readonly last: number
}

interface KnownFile {
  readonly stats: Stats
  /** Undefined until a large file is hashed. */
  tag: string | Promise<string> | undefined
}

/** The files that were sent last, by path, the least recent first. */
const knownFiles = new Map<string, KnownFile>()
const maxKnownFiles = 4096
/** Responses wait for the hash of a file of at most this many bytes, which takes about 50 ms. */
const maxAwaitedBytes = 16 * 1024 * 1024
const maxWaitingFiles = 32
const chunkBytes = 64 * 1024
/** Milliseconds. Within this time, some file systems give the same times to two changes of a file. */
const timeGranularity = 2000

let waitingFiles = 0
let hashing: Promise<void> = Promise.resolve()

/** Returns true unless the file was changed or replaced. The system sets `ctime` at each change; programs cannot set it. */
export const isSameVersion = (left: Stats, right: Stats): boolean =>
  left.ino === right.ino &&
  left.dev === right.dev &&
  left.size === right.size &&
  left.mtimeMs === right.mtimeMs &&
  left.ctimeMs === right.ctimeMs

/** Returns true if the file was changed so recently that a further change may leave its times equal. */
const isRecent = ({ ctimeMs }: Stats): boolean => Math.abs(Date.now() - ctimeMs) < timeGranularity

/**
 * Returns the strong entity tag of a file. Returns undefined for a large file that is not hashed yet: large files are hashed one
 * after another, so that their first response need not wait. Rejects if the file cannot be read.
 */
export function fileTag(path: string, stats: Stats): string | Promise<string> | undefined {
  const known = knownFiles.get(path)
  if (known !== undefined && isSameVersion(known.stats, stats)) {
    knownFiles.delete(path)
    knownFiles.set(path, known)
    return known.tag
  }
  if (isRecent(stats)) return stats.size > maxAwaitedBytes ? undefined : hashFile(path, stats)
  return rememberTag(path, stats)
}

/** Starts to hash a file, and remembers its tag. Hashes a large file later, unless too many are waiting. */
function rememberTag(path: string, stats: Stats): Promise<string> | undefined {
  const isLarge = stats.size > maxAwaitedBytes
  if (isLarge && waitingFiles >= maxWaitingFiles) return undefined
  const file: KnownFile = { stats, tag: undefined }
  const hash = (): Promise<string> => hashFile(path, stats)
  const hashed = isLarge ? hashing.then(hash) : hash()
  const settled = hashed.then(
    (tag) => void (file.tag = tag),
    () => void (knownFiles.get(path) === file && knownFiles.delete(path)),
  )
  knownFiles.set(path, file)
  if (knownFiles.size > maxKnownFiles) knownFiles.delete(knownFiles.keys().next().value!)
  if (!isLarge) return (file.tag = hashed)
  waitingFiles++
  hashing = settled.then(() => void waitingFiles--)
  return undefined
}

async function hashFile(path: string, stats: Stats): Promise<string> {
  const hash = createHash('sha256')
  const whole = { first: 0, last: stats.size - 1 }
  for await (const chunk of readChunks(path, stats, whole)) hash.update(chunk)
  return `"${hash.digest('base64url').slice(0, 27)}"`
}

/**
 * Reads a range of a file. Opens the file on the first read, so that an unsent body needs no cleanup.
 * @throws Error when the file has changed since `stats` was read
 */
export async function* readChunks(
  path: string,
  stats: Stats,
  { first, last }: Offsets,
): AsyncGenerator<Uint8Array> {
  const handle = await open(path)
  try {
    if (!isSameVersion(await handle.stat(), stats))
      throw new Error(`The file ${path} was changed while it was being sent.`)
    for (let at = first; at <= last;) {
      // Allocate a new buffer for each chunk, because the container may still be sending the previous one.
      const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, last - at + 1))
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, at)
      if (bytesRead === 0) return
      at += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}
