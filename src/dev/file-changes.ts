/** Tells when a file below some folders has changed. */
import { performance } from 'node:perf_hooks'
import { FolderWatch } from './folder-watch.ts'

/** An editor writes a file in several steps; they count as one change. */
const settleMillis = 30
/** Some programs never stop writing: what has changed until then is told. */
const longestMillis = 1_000

/** Everything has a default. */
export interface WatchOptions {
  /** Keeps the process alive. */
  readonly persistent?: boolean
  /** False watches the folder's own files only. */
  readonly recursive?: boolean
  /** False for files, by their absolute path, whose changes count for nothing. */
  readonly matters?: (path: string) => boolean
  /** Called at the first sign of a change, before the burst has ended. */
  readonly noticed?: () => void
}

/** Watches folders until it is closed; a folder that does not exist is not watched. */
export class FileChanges {
  readonly #watches: readonly FolderWatch[]
  readonly #changed: (paths: readonly string[]) => void
  readonly #options: WatchOptions
  readonly #paths = new Set<string>()
  #settling: NodeJS.Timeout | undefined
  /** When the first change of the burst was seen. */
  #began = 0

  /** @param changed called once for each burst of changes, with the files' paths */
  constructor(
    folders: readonly string[],
    changed: (paths: readonly string[]) => void,
    options: WatchOptions = {},
  ) {
    this.#changed = changed
    this.#options = options
    const { persistent = false, recursive = true } = options
    const seen = (path: string): void => {
      if (options.matters?.(path) !== false) this.#settle(path)
    }
    this.#watches = folders.map(
      (folder) => new FolderWatch(folder, seen, { persistent, recursive }),
    )
  }

  close(): void {
    clearTimeout(this.#settling)
    for (const watch of this.#watches) watch.close()
  }

  #settle(path: string): void {
    const now = performance.now()
    if (this.#paths.size === 0) {
      this.#began = now
      this.#options.noticed?.()
    }
    this.#paths.add(path)
    clearTimeout(this.#settling)
    if (now - this.#began >= longestMillis) return this.#tell()
    this.#settling = setTimeout(() => this.#tell(), settleMillis).unref()
  }

  #tell(): void {
    const paths = [...this.#paths]
    this.#paths.clear()
    this.#changed(paths)
  }
}
