/** `errorPage`: responds to a fault with the application's own error page. */
import { logFault, respondWithProblem, toProblem, type FwControllerBase } from '../action.ts'
import { filterTrait, type FilterTrait } from './trait.ts'

export interface ErrorPageOptions {
  /** The view that is rendered for every fault; by default `/error/500`. */
  readonly view?: string
}

/**
 * Logs every fault, and responds with the status of the fault (500 for most) and a view. If the view does not exist, or if the
 * client does not accept HTML, sends the standard response of the status.
 * @spec Filters › 6
 */
export function errorPage({ view = '/error/500' }: ErrorPageOptions = {}): FilterTrait {
  return filterTrait('ErrorPageFilter', (own) => {
    own.addErrorFilter(function log(error, controller) {
      logFault((controller as FwControllerBase).ctx, error)
    })
    own.addRenderingErrorFilter(async function renderErrorPage(error, controller) {
      const { ctx } = controller as FwControllerBase
      await respondWithProblem(ctx, toProblem(error), view)
      return ctx.response.body
    })
  })
}

/** The same as `errorPage()`, under the specification's name. @spec Filters › 6 */
export const ErrorPageFilter: FilterTrait = errorPage()
