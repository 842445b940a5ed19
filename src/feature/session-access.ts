/** Gives a controller its visitor's session and flash. */
import { registrationsOf, type ControllerClass, type Ctor, type FwContext } from '../action.ts'
import type { Flash } from '../session.ts'

/** What `SessionAccess` adds. */
export interface HasSession {
  /** Values for the next request. @spec Response helpers › flash */
  readonly flash: Flash
}

/**
 * The session is read before the first filter when the request brings a cookie, and written after the last one when
 * something changed. A response that used it is the visitor's own: nobody may cache it.
 * @spec Session filter and mounting
 */
export const SessionAccess = <B extends ControllerClass>(Base: B): B & Ctor<HasSession> => {
  abstract class SessionAccess extends Base implements HasSession {
    static {
      registrationsOf(this).add('load', (_controller, ctx: FwContext) => ctx.loadSession())
      registrationsOf(this).add('save', (_controller, ctx: FwContext) => ctx.saveSession())
      registrationsOf(this).add('save', (_controller, { knownSession, response }: FwContext) => {
        if (knownSession?.used === true && !response.headers.has('cache-control')) {
          response.headers.append('Cache-Control', 'no-store')
        }
      })
    }

    get flash(): Flash {
      return this.ctx.flash
    }
  }
  return SessionAccess
}
