/** Warnings about slow blocks, and the context of the current request for code without a reference to it. */
import { runWithContext, type ControllerClass, type Ctor, type FwContext } from '../action.ts'
import { redact, warnElapsedTime, type Duration, type LogFields } from '../base.ts'
import { filterTrait, type FilterTrait } from './trait.ts'

/** The members that `Diagnostics` adds. */
export interface HasDiagnostics {
  /** Runs `block` and warns when it took longer than `threshold`: milliseconds, or a text such as `1s`. @spec Diagnostics */
  warnElapsedTime<T>(threshold: Duration, block: () => T): T
  /** As `warnElapsedTime`; the warning describes the request, its secrets redacted. @spec Diagnostics */
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

/** @spec Diagnostics */
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
 * `FwContext.current()` returns this request's context in all code that the controller's filters, actions and handlers
 * call, also after an await. Costs one AsyncLocalStorage run for each request.
 * @spec Filters › 5
 */
export const MainThreadLocalEverywhere: FilterTrait = filterTrait(
  'MainThreadLocalEverywhere',
  (own) => own.around.push(runWithContext),
)
