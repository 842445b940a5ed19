/** Where uploads lie while their request runs: a private folder of this process, with names nobody can guess. */
import { createHash, randomBytes } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { mkdir, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'

const prefix = 'fwjs-uploads-'
const name = /^fwjs-uploads-([0-9a-f]{8})-(\d{1,10})-/
const strangersLife = 24 * 60 * 60 * 1000

/** Made when the first large upload comes; only this user can read it (0700). */
export class UploadDirectory {
  readonly #root: string
  #path: Promise<string> | undefined

  /** `root` is the system's folder for temporary files unless given; `sweep` makes one that is not there. */
  constructor(root: string = tmpdir()) {
    this.#root = root
  }

  /** A new file (0600) that did not exist before. */
  async create(): Promise<{ path: string; handle: FileHandle }> {
    this.#path ??= mkdtemp(join(this.#root, `${prefix}${hostMark()}-${process.pid}-`))
    // A folder that could not be made is tried again by the next upload.
    const directory = await this.#path.catch((error: unknown) => {
      this.#path = undefined
      throw error
    })
    const path = join(directory, randomBytes(16).toString('hex'))
    return { path, handle: await open(path, 'wx', 0o600) }
  }

  /** Removes what processes that ended hard have left. To be called at the start. */
  async sweep(): Promise<void> {
    await mkdir(this.#root, { recursive: true })
    for (const entry of await readdir(this.#root)) {
      const path = join(this.#root, entry)
      if (await isLeftOver(entry, path)) await rm(path, { recursive: true, force: true })
    }
  }

  /** Removes the folder with everything in it. To be called at the end. */
  async close(): Promise<void> {
    const path = this.#path
    this.#path = undefined
    if (path !== undefined) await rm(await path, { recursive: true, force: true })
  }
}

// Containers may share a folder and yet each have its own processes.
function hostMark(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 8)
}

async function isLeftOver(entry: string, path: string): Promise<boolean> {
  const [, host, pid] = name.exec(entry) ?? []
  if (host === undefined) return false
  if (host !== hostMark()) return (await changed(path)) < Date.now() - strangersLife
  // A process of our number that began before us has ended; one that began with us has several applications.
  if (Number(pid) === process.pid)
    return (await changed(path)) < Date.now() - process.uptime() * 1000
  return !isRunning(Number(pid))
}

// What is gone by now needs no removing.
async function changed(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs
  } catch {
    return Infinity
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
