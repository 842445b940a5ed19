/** Tells when a file below some folders has changed. */
import { existsSync, watch, type FSWatcher } from 'node:fs'

/** An editor writes a file in several steps; they count as one change. */
const settleMillis = 30

/** Watches folders until it is closed; a folder that does not exist is not watched. */
export class FileChanges {
  readonly #watchers: readonly FSWatcher[]
  readonly #changed: () => void
  #settling: NodeJS.Timeout | undefined

  /**
   * @param changed called once for each burst of changes
   * @param persistent keeps the process alive
   */
  constructor(folders: readonly string[], changed: () => void, persistent = false) {
    this.#changed = changed
    this.#watchers = folders
      .filter((folder) => existsSync(folder))
      .map((folder) => watch(folder, { recursive: true, persistent }, () => this.#settle()))
    // A folder that is removed meanwhile is no reason to stop the server.
    for (const watcher of this.#watchers) watcher.on('error', () => {})
  }

  close(): void {
    clearTimeout(this.#settling)
    for (const watcher of this.#watchers) watcher.close()
  }

  #settle(): void {
    clearTimeout(this.#settling)
    this.#settling = setTimeout(this.#changed, settleMillis).unref()
  }
}
