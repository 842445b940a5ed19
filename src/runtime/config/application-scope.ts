/** `ApplicationScope`: the configuration and the databases of one application, where several run in one process. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Configuration } from './configuration.ts'

const storage = new AsyncLocalStorage<ApplicationScope>()
const running = new Set<ApplicationScope>()

/**
 * `FwConfig` and `currentDatabase` read the scope of the running code, else what was set last in the process. Code runs in
 * a scope only while there are several, because a scope costs time for each request.
 */
export class ApplicationScope {
  readonly configuration: Configuration
  /** By name; values are databases, which this module does not know. */
  databases: ReadonlyMap<string, object> = new Map()

  constructor(configuration: Configuration) {
    this.configuration = configuration
  }

  /** The scope of the running code, if any. */
  static get current(): ApplicationScope | undefined {
    return storage.getStore()
  }

  /** A running application's database of this name other than `database`. */
  static findOther(name: string, database: object): object | undefined {
    return [...running]
      .map(({ databases }) => databases.get(name))
      .findLast((one) => one !== undefined && one !== database)
  }

  /** Whether a running application owns the database. */
  static owns(database: object): boolean {
    return [...running].some(({ databases }) => [...databases.values()].includes(database))
  }

  /** Counts the application as running, until the returned function is called. */
  open(): () => void {
    running.add(this)
    return () => void running.delete(this)
  }

  /** Runs `work` in this scope if other applications are running too. */
  enter<A extends readonly unknown[], T>(work: (...args: A) => T, ...args: A): T {
    return running.size > 1 ? storage.run(this, work, ...args) : work(...args)
  }

  /** Runs `work` in this scope, with everything that it starts. */
  run<T>(work: () => T): T {
    return storage.run(this, work)
  }
}
