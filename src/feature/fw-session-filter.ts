/** Gives a controller the specification's words for the attributes of the session. */
import type { ControllerClass, Ctor } from '../action.ts'
import { FwSession } from '../session.ts'
import { useSession } from './session-steps.ts'

/** What `FwSessionFilter` adds. */
export interface HasFwSession {
  /** The record that `session`, flash and forgery token use too. @spec Session filter and mounting */
  readonly fwSession: FwSession
}

/**
 * `fwSession` in a controller. Where the records live is said once, by `FwSessionInitializer`.
 * @spec Session filter and mounting
 */
export const FwSessionFilter = <B extends ControllerClass>(Base: B): B & Ctor<HasFwSession> => {
  abstract class FwSessionFilter extends Base implements HasFwSession {
    static {
      useSession(this)
    }

    get fwSession(): FwSession {
      return new FwSession(this.session)
    }
  }
  return FwSessionFilter
}
