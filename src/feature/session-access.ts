/** Gives a controller its visitor's session and flash. */
import type { ControllerClass, Ctor } from '../action.ts'
import type { Flash } from '../session.ts'
import { useSession } from './session-steps.ts'

/** What `SessionAccess` adds. */
export interface HasSession {
  /** Values for the next request. @spec Response helpers › flash */
  readonly flash: Flash
  /**
   * Gives the session a new id and forgery token and keeps its attributes. Call it at each login and change of rights:
   * an id that somebody foisted on the visitor before is worth nothing afterwards.
   */
  renewSession(): void
  /** Logs out: ends the session on the server, whatever copies of its id there are. What is set afterwards starts a new one. */
  endSession(): void
  /** Says whose session this is, so that `endSessionsOf` can end it from elsewhere. */
  sessionBelongsTo(owner: string): void
  /**
   * Logs an owner out everywhere; `exceptThis` spares the session of this request. Answers how many sessions ended.
   * @throws HttpError 503; FwError `session.store-limited` with sessions in cookies
   */
  endSessionsOf(owner: string, options?: { readonly exceptThis?: boolean }): Promise<number>
}

/**
 * The session is read before the first filter when the request brings a cookie, and written after the last one when
 * something changed. A response that used it is the visitor's own: nobody may cache it.
 * @spec Session filter and mounting
 */
export const SessionAccess = <B extends ControllerClass>(Base: B): B & Ctor<HasSession> => {
  abstract class SessionAccess extends Base implements HasSession {
    static {
      useSession(this)
    }

    get flash(): Flash {
      return this.ctx.flash
    }

    renewSession(): void {
      this.session.renew()
    }

    endSession(): void {
      this.session.invalidate()
    }

    sessionBelongsTo(owner: string): void {
      this.session.ownedBy(owner)
    }

    endSessionsOf(owner: string, { exceptThis = false } = {}): Promise<number> {
      const { sessions } = this.ctx.services
      return sessions.destroyAllOf(owner, exceptThis ? this.session : undefined)
    }
  }
  return SessionAccess
}
