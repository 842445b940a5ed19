/** What the application's life cycle works on: its controllers in mount order, and what it may ask of its surroundings. */
import type { Logger } from '../base.ts'
import type { Configuration } from '../config.ts'
import type { MountableController, MountTarget } from '../controller.ts'
import type { SessionStoreMaker } from './session-store-maker.ts'

/** A controller and where it is mounted. */
export interface MountedController {
  readonly controller: MountableController
  /** Text before all its paths, without a slash at its end. */
  readonly prefix: string
}

/** The argument of `initFwApp`. @spec General rules › 1 */
export class ServletContext implements MountTarget {
  readonly configuration: Configuration
  readonly logger: Logger
  /** The folder of the application's package.json. */
  readonly root: string
  readonly #controllers: MountedController[] = []

  constructor(root: string, configuration: Configuration, logger: Logger) {
    this.root = root
    this.configuration = configuration
    this.logger = logger
  }

  #sessionStore: SessionStoreMaker | undefined

  /** Where the sessions of the whole application live; `FwSessionInitializer` calls it. The last call counts. */
  useSessions(make: SessionStoreMaker): void {
    this.#sessionStore = make
  }

  /** Absent: in this process. */
  get sessionStore(): SessionStoreMaker | undefined {
    return this.#sessionStore
  }

  addController(controller: MountableController, prefix: string): void {
    this.#controllers.push({ controller, prefix: prefix.replace(/\/\*$/, '') })
  }

  #overridesMethod = false

  /** Forms may say `?_method=`; `MethodOverride` calls it. */
  useMethodOverride(): void {
    this.#overridesMethod = true
  }

  get overridesMethod(): boolean {
    return this.#overridesMethod
  }

  /** In mount order, which is their precedence. */
  get controllers(): readonly MountedController[] {
    return this.#controllers
  }
}
