/** `FwLifeCycle`, the start and stop of an application, and `ServletContext`, the argument of `initFwApp`. */
import type { Logger } from '../base.ts'
import type { Configuration } from '../config.ts'
import type { MountableController, MountTarget } from '../controller.ts'
import { currentDatabase } from '../db.ts'
import { normalizePrefix } from '../routing.ts'
import {
  DatabaseStore,
  type SecretKeys,
  type SessionLifetime,
  type SessionStore,
} from '../session.ts'
import type { HealthCheck } from './health.ts'
import { MountedController } from './mounted-controller.ts'

/** Headers of requests by name. */
type HeadersOfClient = Readonly<Record<string, string>>

/** Session attributes by name. */
type SessionAttributesOf = Readonly<Record<string, unknown>>

/** The start of an application: `class Bootstrap extends FwLifeCycle` mounts the controllers. @spec General rules › 1 */
export abstract class FwLifeCycle {
  /** The controllers by name, which `this.routes` of controllers returns. Templates import the controllers directly. */
  readonly controllers?: object

  /** Creates the logger instead of `log.level` and `log.format`. Called before everything else; a pino logger fits. */
  createLogger?(configuration: Configuration): Logger | undefined

  /** Initializes the application. Called once, after the database is open; its promise is awaited before the first request. */
  abstract initFwApp(ctx: ServletContext): void | Promise<void>

  /**
   * Returns the session attributes of a user who is logged in. Tests call it for `app.session().as(user)`, so that no test needs
   * the page of the login. It may write rows, such as that of the login.
   */
  sessionOf?(user: never): SessionAttributesOf | Promise<SessionAttributesOf>

  /**
   * Returns the headers that an API client of a user sends, such as `{ authorization: 'Bearer …' }`. Tests call it for
   * `app.session().as(user)`, in addition to `sessionOf`.
   */
  headersOf?(user: never): HeadersOfClient | Promise<HeadersOfClient>

  /** Releases resources of the application. Called once, after the last request and before the database is closed. */
  destroyFwApp(_ctx: ServletContext): void | Promise<void> {}
}

/** The argument of `initFwApp`, to which controllers are mounted. @spec General rules › 1 */
export class ServletContext implements MountTarget {
  readonly configuration: Configuration
  readonly logger: Logger
  /** The folder that contains the application's package.json. */
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
    const path = normalizePrefix(prefix.replace(/\/\*$/, ''))
    this.#controllers.push(new MountedController(controller, path))
  }

  /** Selects the session store of the application, like `FwSessionInitializer`. The last call wins. */
  useSessions(create: SessionStoreFactory): void {
    this.#createSessionStore = create
  }

  /** Enables the query parameter `_method` of forms, like `MethodOverride`. */
  useMethodOverride(): void {
    this.#overridesMethod = true
  }

  /**
   * Adds a readiness check: readiness probes (`/ready`) get 503 while it throws, rejects or returns false. `signal` is aborted
   * after the time of the setting `health.timeout`. The response contains the name; the error is only logged.
   */
  addHealthCheck(name: string, check: (signal: AbortSignal) => unknown): void {
    this.#healthChecks.set(name, check)
  }

  get healthChecks(): ReadonlyMap<string, HealthCheck> {
    return this.#healthChecks
  }

  /** The mounted controllers in mount order, which is their precedence. */
  get controllers(): readonly MountedController[] {
    return this.#controllers
  }

  /** The function that creates the session store; undefined if sessions are stored in the process. */
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

/** Creates a session store in the database. Its queries run in the request's transaction, if there is one. */
const createDatabaseStore: SessionStoreFactory = ({ lifetime }) =>
  new DatabaseStore({ query: (statement) => currentDatabase().query(statement) }, lifetime)

/**
 * Stores sessions in the database: `new FwSessionInitializer().mount(ctx)`. For another store, pass a function:
 *
 *     new FwSessionInitializer(({ lifetime }) => new MemoryStore(lifetime)).mount(ctx)
 *     new FwSessionInitializer(({ lifetime, keys }) => new SealedCookieStore(keys, lifetime)).mount(ctx)
 *     new FwSessionInitializer(({ lifetime, logger }) => RedisStore.connect(url, { ...lifetime, logger })).mount(ctx)
 *
 * Without an initializer, sessions are stored in the process. The start fails if the store does not work, for example if its
 * tables are missing (`session.tables-missing`).
 * @spec Session filter and mounting
 */
export class FwSessionInitializer {
  readonly #create: SessionStoreFactory

  constructor(create: SessionStoreFactory = createDatabaseStore) {
    this.#create = create
  }

  /** Selects the session store for the whole application, independent of mount order. */
  mount(ctx: ServletContext, _path?: '/*'): void {
    ctx.useSessions(this.#create)
  }
}

/**
 * Enables HTML forms to send PUT, PATCH and DELETE: `<form method="post" action="/members/1?_method=delete">` sends a DELETE.
 * Mount it with `new MethodOverride().mount(ctx)`. It overrides only the method of a POST, and reads only the query.
 */
export class MethodOverride {
  /** Enables method override for the whole application, independent of mount order. */
  mount(ctx: ServletContext, _path?: '/*'): void {
    ctx.useMethodOverride()
  }
}
