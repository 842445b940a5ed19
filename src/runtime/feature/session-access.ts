/** Registers the steps that read the session before a controller's filters and store it after them. */
import {
  Registrations,
  registrationsOf,
  type ControllerClass,
  type Ctor,
  type FwContext,
  type Step,
} from '../action.ts'
import { FwSession } from '../session.ts'

const load: Step = (_controller, ctx) =>
  ctx.request.http.header('cookie') === undefined ? undefined : ctx.sessionScope.load()

const saveLoaded = (ctx: FwContext): Promise<void> | undefined =>
  ctx.loadedSession === undefined ? undefined : ctx.sessionScope.save()

/** Saves the session before COMMIT if the store uses the request's transaction, otherwise `keep` saves it afterwards. */
const save: Step = (_controller, ctx) =>
  ctx.services.sessions.store.transactional ? saveLoaded(ctx) : undefined

const keep: Step = (_controller, ctx) =>
  ctx.services.sessions.store.transactional ? undefined : saveLoaded(ctx)

/** Registers the steps that load a session by its cookie and store it if it has changed, unless they are inherited. */
export function useSession(controllerClass: Ctor): void {
  if (Registrations.has(controllerClass, load)) return
  const own = registrationsOf(controllerClass)
  own.add('load', load)
  own.add('save', save)
  own.add('keep', keep)
}

/** Returns true if requests to the class may read or write a session. */
export const usesSession = (controllerClass: object): boolean =>
  Registrations.has(controllerClass, load)

export interface HasFwSession {
  /** The session that `this.session`, the flash and the forgery token also use. @spec Session filter and mounting */
  readonly fwSession: FwSession
}

/** Adds `fwSession`; `FwSessionInitializer` selects the store. @spec Session filter and mounting */
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
