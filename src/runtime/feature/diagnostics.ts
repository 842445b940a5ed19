/** `Diagnostics` warns about slow code; `MainThreadLocalEverywhere` sets the current context. */
import { runWithContext, type ControllerClass, type Ctor, type FwContext } from '../action.ts'
import { redact, warnElapsedTime, type Duration, type LogFields } from '../base.ts'
import { filterTrait, type FilterTrait } from './trait.ts'

export interface HasDiagnostics {
  /** Runs `block`, and logs a warning if it takes longer than `threshold`: milliseconds, or `1s`. @spec Diagnostics */
  warnElapsedTime<T>(threshold: Duration, block: () => T): T
  /** Runs `block` like `warnElapsedTime`; the warning also describes the request, with secrets redacted. @spec Diagnostics */
  warnElapsedTimeWithRequest<T>(threshold: Duration, block: () => T): T
}

function requestFields({ request, params }: FwContext): LogFields {
  return {
    method: request.method,
    path: request.path.text,
    remoteAddress: request.remoteAddress,
    userAgent: request.userAgent,
    params: redact(Object.fromEntries(params.toMap())),
  }
}

/** The trait that warns about slow code. @spec Diagnostics */
export const Diagnostics = <B extends ControllerClass>(Base: B): B & Ctor<HasDiagnostics> => {
  abstract class Diagnostics extends Base implements HasDiagnostics {
    warnElapsedTime<T>(threshold: Duration, block: () => T): T {
      return warnElapsedTime(threshold, block, this.logger)
    }

    warnElapsedTimeWithRequest<T>(threshold: Duration, block: () => T): T {
      return warnElapsedTime(threshold, block, this.logger, () => requestFields(this.ctx))
    }
  }
  return Diagnostics
}

/**
 * Makes `FwContext.current()` return the request's context in all code that the controller's filters, actions and handlers
 * call, even after an `await`. Costs one `AsyncLocalStorage` run for each request.
 * @spec Filters › 5
 */
export const MainThreadLocalEverywhere: FilterTrait = filterTrait(
  'MainThreadLocalEverywhere',
  (own) => own.addAround(runWithContext),
)
