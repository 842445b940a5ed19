/** Answers a fault with the application's own page. */
import { answerProblem, logFault, problemOf, type ControllerClass, type Ctor } from '../action.ts'

/** What `ErrorPageFilter` adds. */
export interface HasErrorPage {
  /** The view of a fault: `/error/500`. */
  readonly errorView: string
}

/**
 * Any fault is logged and answered with its status (500) and the view `/error/500`; without that view, or for a client
 * that wants no HTML, with the plain answer of the status.
 * @spec Filters › 6
 */
export const ErrorPageFilter = <B extends ControllerClass>(Base: B): B & Ctor<HasErrorPage> => {
  abstract class ErrorPageFilter extends Base implements HasErrorPage {
    static {
      // Named, as listings of routes show them.
      this.addErrorFilter(function log(error, c) {
        logFault(c.ctx, error)
      })
      this.addRenderingErrorFilter(async function renderErrorPage(error, c) {
        await answerProblem(c.ctx, problemOf(error), c.errorView)
        return c.response.body
      })
    }

    get errorView(): string {
      return '/error/500'
    }
  }
  return ErrorPageFilter
}
