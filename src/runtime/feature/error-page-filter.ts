/** Responds to a fault with the application's own error page. */
import { logFault, respondWithProblem, toProblem, type FwControllerBase } from '../action.ts'
import { filterTrait, type FilterTrait } from './trait.ts'

/** Options of `errorPage`. */
export interface ErrorPageOptions {
  /** The view of every fault; default `/error/500`. */
  readonly view?: string
}

/**
 * Logs every fault and responds with its status (500) and a view. Without that view, and for a client that does not
 * accept HTML, the response is the plain one of the status.
 * @spec Filters › 6
 */
export function errorPage({ view = '/error/500' }: ErrorPageOptions = {}): FilterTrait {
  return filterTrait('ErrorPageFilter', (own) => {
    own.errorFilters.push(function log(error, controller) {
      logFault((controller as FwControllerBase).ctx, error)
    })
    own.renderingErrorFilters.push(async function renderErrorPage(error, controller) {
      const { ctx } = controller as FwControllerBase
      await respondWithProblem(ctx, toProblem(error), view)
      return ctx.response.body
    })
  })
}

/** `errorPage()` under the specification's name. @spec Filters › 6 */
export const ErrorPageFilter: FilterTrait = errorPage()
