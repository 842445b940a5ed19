/** session: session records and their stores, flash messages, the forgery token, and signed and sealed cookies. */
export { decodeValue } from './session/attributes.ts'
export { DatabaseStore } from './session/database-store.ts'
export { DeviceBinding } from './session/device-binding.ts'
export { Flash } from './session/flash.ts'
export {
  csrfHeader,
  csrfKey,
  ForgeryToken,
  TokenCookie,
  type TokenStore,
} from './session/forgery-token.ts'
export { MemoryStore, type MemoryRecord } from './session/memory-store.ts'
export { RedisStore } from './session/redis-store.ts'
export {
  FwSession,
  Session,
  sessionChannel,
  type SessionCookieChange,
  type SessionEvent,
} from './session/request-session.ts'
export { explainForeignOrigin, isSameOrigin, parseTrustedOrigins } from './session/same-origin.ts'
export { SealedCookieStore } from './session/sealed-cookie-store.ts'
export { SecretCookies, SecretKeys } from './session/secret-keys.ts'
export { sessionCookie } from './session/session-cookie.ts'
export { SessionManager } from './session/session-manager.ts'
export { sessionMigration, sessionMigrationText } from './session/session-sql.ts'
export type { SessionChanges } from './session/session-changes.ts'
export {
  newSessionId,
  type SessionLifetime,
  type SessionStore,
  type StoredSession,
} from './session/session-store.ts'
