/** The names of prepared statements. After a schema change, an outdated statement is prepared again under a new name. */

/** A counter of schema changes. A pool's connections share it: a change that one connection detects concerns all of them. */
export interface SchemaVersion {
  number: number
}

/** The names under which the server has prepared the statements of one connection. */
export class PreparedNames {
  readonly #schema: SchemaVersion
  readonly #names = new Map<string, string>()
  #version: number
  #last = 0

  constructor(schema: SchemaVersion) {
    this.#schema = schema
    this.#version = schema.number
  }

  /** True if the prepared statements are outdated. The next call of `find` discards their names. */
  get outdated(): boolean {
    return this.#version !== this.#schema.number
  }

  find(name: string): string {
    if (this.outdated) {
      this.#version = this.#schema.number
      this.#names.clear()
    }
    if (this.#last === 0 && this.#version === 0) return name
    return this.#names.get(name) ?? this.#rename(name)
  }

  /** Records that the server refused `sent`, a name that `find` returned; several statements in flight may have it. */
  renew(name: string, sent: string, error: Error): void {
    if (this.outdated || this.find(name) !== sent) return
    if (isLost(error)) this.#rename(name)
    else this.#schema.number++
  }

  #rename(name: string): string {
    const fresh = `${name}~${++this.#last}`
    this.#names.set(name, fresh)
    return fresh
  }
}

const isLost = (error: Error): boolean => (error as { code?: unknown }).code === '26000'

/** Whether the server refused a prepared statement because its result type changed or because it no longer exists. */
export function isOutdatedStatement(error: Error): boolean {
  if (isLost(error)) return true
  const { code, routine } = error as { code?: unknown; routine?: unknown }
  // Check both: PostgreSQL translates the message, and other servers do not report the routine.
  const isNamed = /cached plan must not change result type/.test(error.message)
  return code === '0A000' && (routine === 'RevalidateCachedQuery' || isNamed)
}
