/** How long a session lives: idle and absolute time, checked once at the start. */
import { FwError } from '../base.ts'

/** Both in seconds. */
export interface SessionLifetime {
  /** A session that is not used this long has ended; 30 minutes unless set. */
  readonly idleSeconds: number
  /** A session this old has ended, used or not; 12 hours unless set. */
  readonly absoluteSeconds: number
}

export const defaultLifetime: SessionLifetime = {
  idleSeconds: 30 * 60,
  absoluteSeconds: 12 * 60 * 60,
}

/** The idle time is prolonged at most this often. */
export const touchSeconds = 60

const longest = 366 * 24 * 60 * 60

/**
 * Fills in the defaults.
 * @throws FwError `session.lifetime-invalid` unless 60 <= idle <= absolute <= 366 days.
 */
export function lifetime(given: Partial<SessionLifetime> = {}): SessionLifetime {
  const { idleSeconds, absoluteSeconds } = { ...defaultLifetime, ...given }
  const fits =
    idleSeconds >= touchSeconds && idleSeconds <= absoluteSeconds && absoluteSeconds <= longest
  if (fits) return { idleSeconds, absoluteSeconds }
  throw new FwError(
    'session.lifetime-invalid',
    `Session lifetime idle ${String(idleSeconds)} s, absolute ${String(absoluteSeconds)} s: ` +
      `both are numbers of seconds, ${touchSeconds} <= idle <= absolute <= ${longest}.`,
  )
}
