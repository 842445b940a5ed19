/** Tells of blocks of an action that take longer than they should. */
import type { ControllerClass, Ctor, FwContext } from '../action.ts'
import { redact, warnElapsedTime, type LogFields } from '../base.ts'

/** What `Diagnostics` adds. */
export interface HasDiagnostics {
  /** Runs `block` and warns when it took longer than `millis`. @spec Diagnostics */
  warnElapsedTime<T>(millis: number, block: () => T): T
  /** As `warnElapsedTime`, and the warning tells of the request, its secrets redacted. @spec Diagnostics */
  warnElapsedTimeWithRequest<T>(millis: number, block: () => T): T
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
    warnElapsedTime<T>(millis: number, block: () => T): T {
      return warnElapsedTime(millis, block, this.logger)
    }

    warnElapsedTimeWithRequest<T>(millis: number, block: () => T): T {
      return warnElapsedTime(millis, block, this.logger, () => requestFields(this.ctx))
    }
  }
  return Diagnostics
}
