/** The sessions of an application as it starts: the store it chose, checked, and the cookie. */
import { randomBytes } from 'node:crypto'
import type { Logger } from '../base.ts'
import { MemoryStore, SecretKeys, sessionCookie, SessionManager } from '../session.ts'
import type { ServletContext } from './servlet-context.ts'
import type { SessionSurroundings } from './session-store-maker.ts'
import type { ApplicationSettings } from './settings.ts'

/**
 * Without `secretKeyBase`, which production needs, the secret that the start was given, else one of this process: what it
 * signs ends with it.
 * @throws FwError `session.secret-invalid`
 */
export function secretKeys(
  { secretKeyBase = [] }: ApplicationSettings,
  production: boolean,
  secret = randomBytes(32).toString('base64'),
): SecretKeys {
  return new SecretKeys(secretKeyBase.length === 0 && !production ? [secret] : secretKeyBase)
}

function surroundings(
  { session }: ApplicationSettings,
  keys: SecretKeys,
  logger: Logger,
): SessionSurroundings {
  const lifetime = {
    idleSeconds: session.idleTimeout / 1000,
    absoluteSeconds: session.absoluteTimeout / 1000,
  }
  return { lifetime, keys, logger }
}

/**
 * @throws FwError `session.lifetime-invalid`, and whatever the store's own start throws
 */
export async function openSessions(
  context: ServletContext,
  settings: ApplicationSettings,
  keys: SecretKeys,
  answersRequests: boolean,
): Promise<SessionManager> {
  const { configuration, logger, sessionStore } = context
  const around = surroundings(settings, keys, logger)
  const store = (await sessionStore?.(around)) ?? new MemoryStore(around.lifetime)
  const cookie = sessionCookie(configuration.env.isProduction())
  const flash = { sweepUnused: settings.session.sweepUnusedFlashEntries }
  const sessions = new SessionManager(store, cookie, logger, flash)
  // Where no request will be sent, routes are listed and not answered: the store need not work.
  if (answersRequests) await checked(sessions)
  return sessions
}

async function checked(sessions: SessionManager): Promise<void> {
  try {
    await sessions.store.check?.()
  } catch (error) {
    await sessions.close()
    throw error
  }
}
