/** The public interface `fwjs/session`: session stores, and the interfaces that a custom store implements. */
export {
  csrfHeader,
  csrfKey,
  DatabaseStore,
  Flash,
  MemoryStore,
  RedisStore,
  SealedCookieStore,
  Session,
  sessionMigration,
  sessionMigrationText,
} from './runtime/session.ts'
export type {
  SessionChanges,
  SessionLifetime,
  SessionStore,
  StoredSession,
} from './runtime/session.ts'
