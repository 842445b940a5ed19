/** Reads the session before a controller's filters and stores it after them. */
import {
  Registrations,
  registrationsOf,
  type ControllerClass,
  type Ctor,
  type FwContext,
} from '../action.ts'
import { FwSession } from '../session.ts'

function load(_controller: object, ctx: FwContext): Promise<void> | undefined {
  return ctx.loadSession()
}

/** Saves the session before COMMIT if the store uses the request's database transaction. */
function save(_controller: object, ctx: FwContext): Promise<void> | undefined {
  return ctx.services.sessions.store.transactional ? ctx.saveSession() : undefined
}

/** Saves the session of other stores after COMMIT. */
function keep(_controller: object, ctx: FwContext): Promise<void> | undefined {
  return ctx.services.sessions.store.transactional ? undefined : ctx.saveSession()
}

/**
 * Registers the session's steps, once for a class and all its bases. The session is read only when the request has its
 * cookie, and written only when something changed.
 */
export function useSession(controllerClass: Ctor): void {
  if (Registrations.has(controllerClass, load)) return
  const own = registrationsOf(controllerClass)
  own.add('load', load)
  own.add('save', save)
  own.add('keep', keep)
}

/** Whether requests of the class, or of one of its bases, may read or write a session. */
export const usesSession = (controllerClass: object): boolean =>
  Registrations.has(controllerClass, load)

/** The member that `FwSessionFilter` adds. */
export interface HasFwSession {
  /** The session of `this.session`, flash and forgery token. @spec Session filter and mounting */
  readonly fwSession: FwSession
}

/**
 * Adds `fwSession` to a controller. `FwSessionInitializer` chooses the store.
 * @spec Session filter and mounting
 */
export const FwSessionFilter = <B extends ControllerClass>(Base: B): B & Ctor<HasFwSession> => {
  abstract class FwSessionFilter extends Base implements HasFwSession {
    static {
      useSession(this)
    }

    get fwSession(): FwSession {
      this.ctx.services.sessions.reportDefaultStore()
      return new FwSession(this.session)
    }
  }
  return FwSessionFilter
}
