/** Lets code that was handed no context find that of the request under way. */
import {
  registrationsOf,
  runWithContext,
  type ControllerClass,
  type Ctor,
  type FwContext,
} from '../action.ts'

/**
 * `FwContext.current()` is this request's context in everything that the controller's filters, actions and handlers call,
 * however deep and after however many awaits. It costs an entry into AsyncLocalStorage for each request.
 * @spec Filters › 5
 */
export const MainThreadLocalEverywhere = <B extends ControllerClass>(Base: B): B & Ctor => {
  abstract class MainThreadLocalEverywhere extends Base {
    static {
      registrationsOf(this).around.push((ctx: FwContext, next) => runWithContext(ctx, next))
    }
  }
  return MainThreadLocalEverywhere
}
