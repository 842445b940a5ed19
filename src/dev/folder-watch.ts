/** Watches a folder with everything below it, whatever way its files are saved. */
import { lstatSync, readdirSync, watch, type FSWatcher, type WatchEventType } from 'node:fs'
import { basename, join, sep } from 'node:path'

/** The system itself sees what is below a folder. */
const isRecursive = process.platform === 'darwin' || process.platform === 'win32'
/** Never watched: it is large, and not the application's own code. */
const passedOver = new Set(['node_modules', '.git'])

type Seen = (path: string, event: WatchEventType) => void

/**
 * On Linux each folder is watched for itself. Node's own recursive watching there loses a file that another takes the place
 * of, which is how many editors save.
 */
export class FolderWatch {
  readonly #watchers = new Map<string, FSWatcher>()
  readonly #changed: (path: string) => void
  readonly #persistent: boolean
  readonly #first: string

  /** A folder that does not exist is not watched. */
  constructor(
    folder: string,
    changed: (path: string) => void,
    { persistent, recursive }: { readonly persistent: boolean; readonly recursive: boolean },
  ) {
    this.#changed = changed
    this.#persistent = persistent
    this.#first = folder
    if (recursive && !isRecursive) this.#watchBelow(folder, false)
    else this.#watch(folder, recursive, () => {})
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close()
  }

  /** @param tell whether the files that are there already count as changes: they came with a new folder */
  #watchBelow(folder: string, tell: boolean): void {
    if (this.#watchers.has(folder)) return
    this.#watch(folder, false, (path, event) => {
      // It came, went, or another has its name: what was watched there is watched no more.
      if (event === 'rename' && path !== folder) this.#forget(path)
      if (!passedOver.has(basename(path)) && isFolder(path)) this.#watchBelow(path, true)
    })
    for (const { name, isFolder: deeper } of entriesOf(folder)) {
      const path = join(folder, name)
      if (deeper) this.#watchBelow(path, tell)
      else if (tell) this.#changed(path)
    }
  }

  /** The folder and all below it. */
  #forget(path: string): void {
    for (const [folder, watcher] of this.#watchers) {
      if (folder !== path && !folder.startsWith(path + sep)) continue
      this.#watchers.delete(folder)
      watcher.close()
    }
  }

  #watch(folder: string, recursive: boolean, seen: Seen): void {
    let watcher: FSWatcher
    try {
      watcher = watch(folder, { recursive, persistent: this.#persistent }, (event, name) => {
        const path = name === null ? folder : join(folder, name)
        seen(path, event)
        this.#changed(path)
      })
    } catch (error) {
      // Below the first one, a folder that cannot be watched, or is gone again, is no reason to stop the server.
      const isFirst = this.#first === folder
      if (!isFirst || (error as NodeJS.ErrnoException).code === 'ENOENT') return
      throw error
    }
    this.#watchers.set(folder, watcher)
    // A folder that is removed meanwhile is no reason to stop the server; made again, it is watched anew.
    const forget = (): void => {
      watcher.close()
      // Another may have taken its place already.
      if (this.#watchers.get(folder) === watcher) this.#watchers.delete(folder)
    }
    watcher.on('error', forget)
  }
}

/** A link is none: it may lead out of the application, or into itself. */
function isFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory()
  } catch {
    // It is gone already, or nobody may look at it.
    return false
  }
}

function entriesOf(folder: string): { readonly name: string; readonly isFolder: boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => !passedOver.has(name))
      .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
  } catch {
    return []
  }
}
