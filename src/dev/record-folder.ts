/** Records of requests that failed, on disk: the newest few, of bounded size. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const mostRecords = 20
const mostBytes = 128 * 1024
const named = /^([\w-]{1,64})\.json$/

/** One folder of records; each is a JSON document under its request's id. */
export class RecordFolder {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Keeps one, and the newest others; one that is too large is not kept: false. */
  keep(id: string, record: object): boolean {
    const text = JSON.stringify(record, undefined, 2)
    if (Buffer.byteLength(text) > mostBytes || !named.test(`${id}.json`)) return false
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    // Whatever the application's own .gitignore says: what visitors sent belongs into no repository.
    writeFileSync(join(this.#folder, '.gitignore'), '*\n')
    writeFileSync(join(this.#folder, `${id}.json`), `${text}\n`, { mode: 0o600 })
    for (const old of this.ids().slice(mostRecords))
      rmSync(join(this.#folder, `${old}.json`), { force: true })
    return true
  }

  /** Newest first. */
  ids(): string[] {
    try {
      return readdirSync(this.#folder)
        .map((file) => ({ id: named.exec(file)?.[1], at: this.#timeOf(file) }))
        .filter((entry): entry is { id: string; at: number } => entry.id !== undefined)
        .sort((a, b) => b.at - a.at)
        .map(({ id }) => id)
    } catch {
      return []
    }
  }

  /** `undefined` where there is none of this id. */
  read(id: string): unknown {
    if (!this.ids().includes(id)) return undefined
    return JSON.parse(readFileSync(join(this.#folder, `${id}.json`), 'utf8'))
  }

  #timeOf(file: string): number {
    return statSync(join(this.#folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0
  }
}
