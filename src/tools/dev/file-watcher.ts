/** Reports changes of files in folders, on every platform and for every way in which editors save files. */
import { lstatSync, readdirSync, watch, type FSWatcher, type WatchEventType } from 'node:fs'
import { basename, join, sep } from 'node:path'
import { performance } from 'node:perf_hooks'

/**
 * The milliseconds without a change after which a burst of changes ends; editors write a file in several steps. A later step
 * begins another burst: the application restarts twice, and the first start may fail.
 */
const quietMillis = 20
/** The milliseconds after which a burst is reported even if further changes follow. */
const maxBurstMillis = 1_000

/** The options of a `FileWatcher`. */
export interface WatchOptions {
  /** Whether the watcher keeps the process alive; default false. */
  readonly persistent?: boolean
  /** Whether subfolders are watched too; default true. */
  readonly recursive?: boolean
  /** Returns false for an absolute path whose changes are ignored. */
  readonly filter?: (path: string) => boolean
  /** The callback for the first change of a burst. */
  readonly onFirstChange?: () => void
}

/** Whether the operating system can watch a folder with all its subfolders through one native watcher. */
const watchesTrees = process.platform === 'darwin' || process.platform === 'win32'
const ignoredFolders = new Set(['node_modules', '.git'])

/**
 * Watches folders until it is closed. Ignores folders that do not exist. On Linux each subfolder gets a separate watcher, because
 * Node's recursive watching misses files that are replaced by a rename on Linux, and many editors save in this way.
 */
export class FileWatcher {
  readonly #folders: readonly string[]
  readonly #watchers = new Map<string, FSWatcher>()
  readonly #onChange: (paths: readonly string[]) => void
  readonly #options: WatchOptions
  readonly #paths = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  /** The time at which the current burst of changes began. */
  #began = 0

  /** @param onChange called once for each burst of changes, with the paths of the changed files */
  constructor(
    folders: readonly string[],
    onChange: (paths: readonly string[]) => void,
    options: WatchOptions = {},
  ) {
    this.#folders = folders
    this.#onChange = onChange
    this.#options = options
    const { recursive = true } = options
    for (const folder of folders)
      if (recursive && !watchesTrees) this.#watchTree(folder, false)
      else this.#watch(folder, recursive)
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const watcher of this.#watchers.values()) watcher.close()
  }

  #add(path: string): void {
    const { filter, onFirstChange } = this.#options
    if (filter?.(path) === false) return
    const now = performance.now()
    if (this.#paths.size === 0) {
      this.#began = now
      onFirstChange?.()
    }
    this.#paths.add(path)
    clearTimeout(this.#timer)
    if (now - this.#began >= maxBurstMillis) return this.#report()
    this.#timer = setTimeout(() => this.#report(), quietMillis).unref()
  }

  #report(): void {
    const paths = [...this.#paths]
    this.#paths.clear()
    this.#onChange(paths)
  }

  /** @param isNew whether the folder has just appeared, so that its files are reported as changes */
  #watchTree(folder: string, isNew: boolean): void {
    if (this.#watchers.has(folder)) return
    this.#watch(folder, false, (path, event) => {
      // A rename event means that the path was created, removed or replaced, so an existing watcher is outdated.
      if (event === 'rename' && path !== folder) this.#unwatch(path)
      if (!ignoredFolders.has(basename(path)) && isFolder(path)) this.#watchTree(path, true)
    })
    for (const entry of listEntries(folder)) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) this.#watchTree(path, isNew)
      else if (isNew) this.#add(path)
    }
  }

  /** Stops watching a folder and its subfolders. */
  #unwatch(path: string): void {
    for (const [folder, watcher] of this.#watchers) {
      if (folder !== path && !folder.startsWith(path + sep)) continue
      this.#watchers.delete(folder)
      watcher.close()
    }
  }

  #watch(
    folder: string,
    recursive: boolean,
    onEvent?: (path: string, event: WatchEventType) => void,
  ): void {
    const { persistent = false } = this.#options
    let watcher: FSWatcher
    try {
      watcher = watch(folder, { recursive, persistent }, (event, name) => {
        const path = name === null ? folder : join(folder, name)
        onEvent?.(path, event)
        this.#add(path)
      })
    } catch (error) {
      // Ignore the error: a subfolder may be unreadable or already removed.
      const isRoot = this.#folders.includes(folder)
      if (!isRoot || (error as NodeJS.ErrnoException).code === 'ENOENT') return
      throw error
    }
    this.#watchers.set(folder, watcher)
    // The error means that the folder was removed. A new folder of the same name may already have another watcher.
    watcher.on('error', () => {
      watcher.close()
      if (this.#watchers.get(folder) === watcher) this.#watchers.delete(folder)
    })
  }
}

/** Whether the path is a folder. False for a symbolic link, which may lead outside the application or to a parent folder. */
function isFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory()
  } catch {
    // The path was removed again, or is unreadable.
    return false
  }
}

function listEntries(folder: string) {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.filter(({ name }) => !ignoredFolders.has(name))
  } catch {
    return []
  }
}
