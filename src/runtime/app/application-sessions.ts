/** Opens the sessions of an application as its settings require. */
import { randomBytes } from 'node:crypto'
import type { Configuration } from '../config.ts'
import { normalizePrefix } from '../routing.ts'
import {
  DeviceBinding,
  MemoryStore,
  SecretKeys,
  sessionCookie,
  SessionManager,
} from '../session.ts'
import { refreshPath, registrationPath } from './device-sessions.ts'
import type { ServletContext } from './servlet-context.ts'
import { hasSecureCookies, type ApplicationSettings } from './settings.ts'

/**
 * Creates the keys of the setting `secretKeyBase`. If it is absent, which only production refuses, the key is `secret`: by default
 * a random one, which no other process knows.
 */
export function createSecretKeys(
  { env }: Configuration,
  { secretKeyBase = [] }: ApplicationSettings,
  secret = randomBytes(32).toString('base64'),
): SecretKeys {
  return new SecretKeys(
    secretKeyBase.length === 0 && !env.isProduction() ? [secret] : secretKeyBase,
  )
}

/** Opens the session store of the life cycle, by default in memory. @throws FwError `session.lifetime-invalid`, and the errors of the session store */
export async function openSessions(
  { configuration, logger, sessionStore }: ServletContext,
  settings: ApplicationSettings,
  keys: SecretKeys,
): Promise<SessionManager> {
  const { session } = settings
  const lifetime = {
    idleSeconds: session.idleTimeout / 1000,
    absoluteSeconds: session.absoluteTimeout / 1000,
  }
  const store = (await sessionStore?.({ lifetime, keys, logger })) ?? new MemoryStore(lifetime)
  const flash = { sweepUnused: session.sweepUnusedFlashEntries }
  const { cookieName: name, cookiePath: path } = session
  const cookie = sessionCookie(hasSecureCookies(settings, configuration.env), { name, path })
  const sessions = new SessionManager(store, cookie, logger, flash)
  if (session.deviceBound)
    sessions.bindToDevices(
      new DeviceBinding({
        keys,
        cookie,
        lifetime: session.boundCookieLifetime,
        registrationPath: normalizePrefix(settings.contextPath) + registrationPath(path),
        refreshPath: normalizePrefix(settings.contextPath) + refreshPath(path),
      }),
    )
  return sessionStore === undefined ? sessions.markDefaultStore() : sessions
}
