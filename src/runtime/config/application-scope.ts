/** `ApplicationScope`: gives each application its own configuration and databases when several run in one process. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Configuration } from './configuration.ts'

const storage = new AsyncLocalStorage<ApplicationScope>()
const running = new Set<ApplicationScope>()

/**
 * The scope of an application: `FwConfig` and `currentDatabase` return the configuration and databases of the scope in which
 * code runs. Outside a scope, they return what the process has set last. Code runs in a scope only while several applications
 * run, because a scope costs time in each request.
 */
export class ApplicationScope {
  readonly configuration: Configuration
  /** The databases by name. Their type is `object`, because this module cannot import the module `db`. */
  databases: ReadonlyMap<string, object> = new Map()

  constructor(configuration: Configuration) {
    this.configuration = configuration
  }

  /** The scope in which the calling code runs, if any. */
  static get current(): ApplicationScope | undefined {
    return storage.getStore()
  }

  /** Returns the database of this name, other than `database`, of the last started application that has one. */
  static findOther(name: string, database: object): object | undefined {
    return [...running]
      .map(({ databases }) => databases.get(name))
      .findLast((one) => one !== undefined && one !== database)
  }

  /** True if a running application has the database. */
  static owns(database: object): boolean {
    return [...running].some(({ databases }) => [...databases.values()].includes(database))
  }

  /** Registers the application as running. Returns a function that removes it. */
  open(): () => void {
    running.add(this)
    return () => void running.delete(this)
  }

  /** Runs `work`, in this scope if several applications are running. */
  enter<A, T>(work: (argument: A) => T, argument: A): T {
    return running.size > 1 ? storage.run(this, work, argument) : work(argument)
  }

  /** Runs `work` in this scope, including the asynchronous work that it starts. */
  run<T>(work: () => T): T {
    return storage.run(this, work)
  }
}
