/** Says where the sessions of the whole application live. */
import { currentDatabase } from '../db.ts'
import { DatabaseStore } from '../session.ts'
import type { ServletContext } from './servlet-context.ts'
import type { SessionStoreMaker } from './session-store-maker.ts'

/** On the application's database; inside the request's own transaction where it has one. */
const onTheDatabase: SessionStoreMaker = ({ lifetime }) =>
  new DatabaseStore({ query: (statement) => currentDatabase().query(statement) }, lifetime)

/**
 * Enables sessions in the database: `new FwSessionInitializer().mount(ctx)`. Another store is one line:
 *
 *     new FwSessionInitializer(({ lifetime }) => new MemoryStore(lifetime)).mount(ctx)
 *     new FwSessionInitializer(({ lifetime, keys }) => new SealedCookieStore(keys, lifetime)).mount(ctx)
 *     new FwSessionInitializer(({ lifetime, logger }) => RedisStore.connect(url, { ...lifetime, logger })).mount(ctx)
 *
 * An application that mounts none has its sessions in the process. The start fails when the store cannot work, such as
 * for tables that are missing (`session.tables-missing`).
 * @spec Session filter and mounting
 */
export class FwSessionInitializer {
  readonly #make: SessionStoreMaker

  constructor(make: SessionStoreMaker = onTheDatabase) {
    this.#make = make
  }

  /** For the whole application, wherever in `initFwApp` it stands. */
  mount(ctx: ServletContext, _path?: '/*'): void {
    ctx.useSessions(this.#make)
  }
}
