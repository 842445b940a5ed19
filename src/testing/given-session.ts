/** A session that a test begins with, instead of walking through the pages that would make it. */
import { Flash, ForgeryToken, type SessionManager } from '../session.ts'

/** What the session holds before the first request. */
export interface GivenSession {
  readonly attributes?: Readonly<Record<string, unknown>>
  /** Visible to the first request, as if the one before had set it. */
  readonly flash?: Readonly<Record<string, unknown>>
}

/** A session in the store, as a visitor's browser knows it. */
export interface BegunSession {
  readonly cookie: { readonly name: string; readonly value: string }
  /** For forms and the header `X-CSRF-Token`. */
  readonly token: string
}

/** @throws FwError as `Session.set` does */
export async function beginSession(
  sessions: SessionManager,
  { attributes = {}, flash = {} }: GivenSession,
): Promise<BegunSession> {
  const session = sessions.open(undefined)
  for (const [name, value] of Object.entries(attributes)) session.set(name, value)
  const entries = new Flash(session)
  for (const [name, value] of Object.entries(flash)) entries.set(name, value)
  const token = new ForgeryToken(session).mask()
  const change = await session.commit()
  if (change === undefined || !('set' in change)) throw new TypeError('The session was not kept.')
  return { cookie: { name: sessions.cookie.name, value: change.set }, token }
}
