/** Names of prepared statements. A statement that a schema change made outdated is prepared again under a new name. */

/** Shared by the connections of a pool: a change that one of them notices concerns them all. */
export interface SchemaVersion {
  number: number
}

/** The server's names of one connection's statements. */
export class PreparedNames {
  readonly #schema: SchemaVersion
  readonly #names = new Map<string, string>()
  #version: number
  #last = 0

  constructor(schema: SchemaVersion) {
    this.#schema = schema
    this.#version = schema.number
  }

  /** True when the statements on the server are outdated. The first `find` after it starts anew. */
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

  /**
   * Records that the server refused the statement `sent`, the name that `find` returned. Statements in flight fail under the
   * same name: only the first one counts.
   */
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

/** Whether the server refused a prepared statement because its result type changed, or because it is gone. */
export function isOutdatedStatement(error: Error): boolean {
  if (isLost(error)) return true
  const { code, routine } = error as { code?: unknown; routine?: unknown }
  // PostgreSQL translates the message; other servers do not report its routine.
  const isNamed = /cached plan must not change result type/.test(error.message)
  return code === '0A000' && (routine === 'RevalidateCachedQuery' || isNamed)
}
