/** The SQL of a model's finders and writes, composed once for each shape. */

export interface CachedSql {
  readonly sql: string
  /** Names the prepared statement; absent for shapes beyond the cache. */
  readonly name: string | undefined
}

/** Shapes come from the application's permit lists; a PATCH may send any part of one, so their number is bounded. */
const most = 200

let models = 0

export class SqlCache {
  readonly #bySignature = new Map<string, CachedSql>()
  readonly #prefix: string

  constructor(table: string) {
    this.#prefix = `fw_${++models}_${table.slice(0, 30)}`
  }

  get(shape: string, compose: () => string): CachedSql {
    const known = this.#bySignature.get(shape)
    if (known) return known
    if (this.#bySignature.size >= most) return { sql: compose(), name: undefined }
    const made = { sql: compose(), name: `${this.#prefix}_${this.#bySignature.size}` }
    this.#bySignature.set(shape, made)
    return made
  }
}
