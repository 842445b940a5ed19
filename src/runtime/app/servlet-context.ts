/** The life cycle of an application, and `ServletContext`, the argument of `initFwApp`. */
import type { Logger } from '../base.ts'
import type { Configuration } from '../config.ts'
import type { MountableController, MountTarget } from '../controller.ts'
import { currentDatabase } from '../db.ts'
import {
  DatabaseStore,
  type SecretKeys,
  type SessionLifetime,
  type SessionStore,
} from '../session.ts'
import type { HealthCheck } from './health.ts'

/**
 * `class Bootstrap extends FwLifeCycle` mounts the application's controllers.
 * @spec General rules › 1
 */
export abstract class FwLifeCycle {
  /** The controllers by name, for `this.routes` in controllers. Templates import them by themselves. */
  readonly controllers?: object

  /**
   * The application's logger, instead of the one that the settings `log.level` and `log.format` describe; a pino logger
   * fits. Called once, before everything else.
   */
  createLogger?(configuration: Configuration): Logger | undefined

  /** Called once, with the database open; its promise is awaited before the first request. */
  abstract initFwApp(ctx: ServletContext): void | Promise<void>

  /** Called once after the last request, before the database is closed. */
  destroyFwApp(_ctx: ServletContext): void | Promise<void> {}
}

/** A controller and its mount path. */
export interface MountedController {
  readonly controller: MountableController
  /** The mount path without a trailing slash. */
  readonly prefix: string
}

/** The argument of `initFwApp`. @spec General rules › 1 */
export class ServletContext implements MountTarget {
  readonly configuration: Configuration
  readonly logger: Logger
  /** The folder of the application's package.json. */
  readonly root: string
  readonly #controllers: MountedController[] = []
  #createSessionStore: SessionStoreFactory | undefined
  #overridesMethod = false
  readonly #healthChecks = new Map<string, HealthCheck>()

  constructor(root: string, configuration: Configuration, logger: Logger) {
    this.root = root
    this.configuration = configuration
    this.logger = logger
  }

  addController(controller: MountableController, prefix: string): void {
    this.#controllers.push({ controller, prefix: prefix.replace(/\/\*$/, '') })
  }

  /** Selects the session store of the application, as `FwSessionInitializer` does. The last call counts. */
  useSessions(create: SessionStoreFactory): void {
    this.#createSessionStore = create
  }

  /** Enables `?_method=` for forms, as `MethodOverride` does. */
  useMethodOverride(): void {
    this.#overridesMethod = true
  }

  /**
   * Adds a check to the readiness path (`/ready`), which answers 503 while the check throws, rejects or returns false. The
   * signal aborts after the setting `health.timeout`. The name is public, the error is only logged.
   */
  addHealthCheck(name: string, check: (signal: AbortSignal) => unknown): void {
    this.#healthChecks.set(name, check)
  }

  get healthChecks(): ReadonlyMap<string, HealthCheck> {
    return this.#healthChecks
  }

  /** In mount order, which is their precedence. */
  get controllers(): readonly MountedController[] {
    return this.#controllers
  }

  /** Undefined for sessions in the process. */
  get sessionStore(): SessionStoreFactory | undefined {
    return this.#createSessionStore
  }

  get overridesMethod(): boolean {
    return this.#overridesMethod
  }
}

/** The argument of a `SessionStoreFactory`. */
export interface SessionEnvironment {
  /** The settings `session.idleTimeout` and `session.absoluteTimeout`. */
  readonly lifetime: SessionLifetime
  /** Keys derived from `secretKeyBase`. */
  readonly keys: SecretKeys
  readonly logger: Logger
}

/** Creates the session store of an application. */
export type SessionStoreFactory = (
  environment: SessionEnvironment,
) => SessionStore | Promise<SessionStore>

/** Queries run inside the request's transaction, if there is one. */
const createDatabaseStore: SessionStoreFactory = ({ lifetime }) =>
  new DatabaseStore({ query: (statement) => currentDatabase().query(statement) }, lifetime)

/**
 * Stores sessions in the database: `new FwSessionInitializer().mount(ctx)`. For another store, pass a function:
 *
 *     new FwSessionInitializer(({ lifetime }) => new MemoryStore(lifetime)).mount(ctx)
 *     new FwSessionInitializer(({ lifetime, keys }) => new SealedCookieStore(keys, lifetime)).mount(ctx)
 *     new FwSessionInitializer(({ lifetime, logger }) => RedisStore.connect(url, { ...lifetime, logger })).mount(ctx)
 *
 * Without an initializer, sessions are stored in the process. The start fails when the store does not work, for example
 * without its tables (`session.tables-missing`).
 * @spec Session filter and mounting
 */
export class FwSessionInitializer {
  readonly #create: SessionStoreFactory

  constructor(create: SessionStoreFactory = createDatabaseStore) {
    this.#create = create
  }

  /** Applies to the whole application, independent of mount order. */
  mount(ctx: ServletContext, _path?: '/*'): void {
    ctx.useSessions(this.#create)
  }
}

/**
 * Lets HTML forms send PUT, PATCH and DELETE: `<form method="post" action="/members/1?_method=delete">` is a DELETE.
 * Mount it with `new MethodOverride().mount(ctx)`. Only the method of a POST is overridden, and only by the query.
 */
export class MethodOverride {
  /** Applies to the whole application, independent of mount order. */
  mount(ctx: ServletContext, _path?: '/*'): void {
    ctx.useMethodOverride()
  }
}
