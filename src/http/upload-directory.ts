/** Where uploads lie while their request runs: a private folder of this process, with names nobody can guess. */
import { randomBytes } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { mkdtemp, open, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const prefix = 'fwjs-uploads-'

/** Made when the first large upload comes; only this user can read it (0700). */
export class UploadDirectory {
  readonly #root: string
  #path: Promise<string> | undefined

  /** `root` must exist; by default the system's folder for temporary files. */
  constructor(root: string = tmpdir()) {
    this.#root = root
  }

  /** A new file (0600) that did not exist before. */
  async create(): Promise<{ path: string; handle: FileHandle }> {
    this.#path ??= mkdtemp(join(this.#root, `${prefix}${process.pid}-`))
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
    const own = this.#path === undefined ? undefined : await this.#path
    for (const name of await readdir(this.#root)) {
      const path = join(this.#root, name)
      if (!name.startsWith(prefix) || path === own || isRunning(name)) continue
      await rm(path, { recursive: true, force: true })
    }
  }

  /** Removes the folder with everything in it. To be called at the end. */
  async close(): Promise<void> {
    const path = this.#path
    this.#path = undefined
    if (path !== undefined) await rm(await path, { recursive: true, force: true })
  }
}

function isRunning(name: string): boolean {
  const pid = Number.parseInt(name.slice(prefix.length), 10)
  // In a container every process may be number 1: a folder of our number that is not ours is left over.
  if (!(pid > 0) || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
