/** Reports changes of files below folders, on every platform and for every way an editor saves a file. */
import { lstatSync, readdirSync, watch, type FSWatcher, type WatchEventType } from 'node:fs'
import { basename, join, sep } from 'node:path'
import { performance } from 'node:perf_hooks'

/** Milliseconds without a change that end a burst: an editor writes a file in several steps. */
const quietMillis = 30
/** Milliseconds after which an unending burst is reported. */
const maxBurstMillis = 1_000

/** Which changes count, and whether the process stays alive for them; everything has a default. */
export interface WatchOptions {
  /** Keeps the process alive. */
  readonly persistent?: boolean
  /** False watches only the files directly in the folder. */
  readonly recursive?: boolean
  /** False for absolute paths whose changes are ignored. */
  readonly filter?: (path: string) => boolean
  /** Called at the first change of a burst. */
  readonly onFirstChange?: () => void
}

/** Watches folders until it is closed; ignores a folder that does not exist. */
export class FileWatcher {
  readonly #watchers: readonly FolderWatcher[]
  readonly #onChange: (paths: readonly string[]) => void
  readonly #onFirstChange: (() => void) | undefined
  readonly #paths = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  /** The start time of the current burst of changes. */
  #began = 0

  /** @param onChange called once for each burst of changes, with the paths of the files */
  constructor(
    folders: readonly string[],
    onChange: (paths: readonly string[]) => void,
    options: WatchOptions = {},
  ) {
    this.#onChange = onChange
    this.#onFirstChange = options.onFirstChange
    const { persistent = false, recursive = true } = options
    const add = (path: string): void => {
      if (options.filter?.(path) !== false) this.#add(path)
    }
    this.#watchers = folders.map(
      (folder) => new FolderWatcher(folder, add, { persistent, recursive }),
    )
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const watcher of this.#watchers) watcher.close()
  }

  #add(path: string): void {
    const now = performance.now()
    if (this.#paths.size === 0) {
      this.#began = now
      this.#onFirstChange?.()
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
}

/** On these systems one native watcher covers a whole tree. */
const watchesTrees = process.platform === 'darwin' || process.platform === 'win32'
const ignoredFolders = new Set(['node_modules', '.git'])

type OnEvent = (path: string, event: WatchEventType) => void

/**
 * Watches each folder of a tree separately on Linux. There, Node's recursive watching misses files that are replaced by
 * a rename, which is how many editors save.
 */
class FolderWatcher {
  readonly #watchers = new Map<string, FSWatcher>()
  readonly #onChange: (path: string) => void
  readonly #persistent: boolean
  readonly #root: string

  constructor(
    folder: string,
    onChange: (path: string) => void,
    { persistent, recursive }: { readonly persistent: boolean; readonly recursive: boolean },
  ) {
    this.#onChange = onChange
    this.#persistent = persistent
    this.#root = folder
    if (recursive && !watchesTrees) this.#watchTree(folder, false)
    else this.#watch(folder, recursive, () => {})
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close()
  }

  /** @param isNew reports the files of a folder that appeared as changes */
  #watchTree(folder: string, isNew: boolean): void {
    if (this.#watchers.has(folder)) return
    this.#watch(folder, false, (path, event) => {
      // The path was created, removed or replaced, so an existing watcher is outdated.
      if (event === 'rename' && path !== folder) this.#unwatch(path)
      if (!ignoredFolders.has(basename(path)) && isFolder(path)) this.#watchTree(path, true)
    })
    for (const entry of listEntries(folder)) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) this.#watchTree(path, isNew)
      else if (isNew) this.#onChange(path)
    }
  }

  /** Stops watching a folder and everything below it. */
  #unwatch(path: string): void {
    for (const [folder, watcher] of this.#watchers) {
      if (folder !== path && !folder.startsWith(path + sep)) continue
      this.#watchers.delete(folder)
      watcher.close()
    }
  }

  #watch(folder: string, recursive: boolean, onEvent: OnEvent): void {
    let watcher: FSWatcher
    try {
      watcher = watch(folder, { recursive, persistent: this.#persistent }, (event, name) => {
        const path = name === null ? folder : join(folder, name)
        onEvent(path, event)
        this.#onChange(path)
      })
    } catch (error) {
      // A subfolder may be unreadable or already removed.
      const isRoot = this.#root === folder
      if (!isRoot || (error as NodeJS.ErrnoException).code === 'ENOENT') return
      throw error
    }
    this.#watchers.set(folder, watcher)
    // Emitted when the folder is removed; a new folder of the same name may have its own watcher already.
    watcher.on('error', () => {
      watcher.close()
      if (this.#watchers.get(folder) === watcher) this.#watchers.delete(folder)
    })
  }
}

/** False for a symbolic link, which may lead outside the application or to a parent folder. */
function isFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory()
  } catch {
    // Removed again, or unreadable.
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
