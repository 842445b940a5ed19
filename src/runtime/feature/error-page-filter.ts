/** `errorPage`: responds to a fault with the application's own error page. */
import {
  hasView,
  logFault,
  respondWithProblem,
  toProblem,
  type FwControllerBase,
} from '../action.ts'
import { filterTrait, type FilterTrait } from './trait.ts'

export interface ErrorPageOptions {
  /** The view that is rendered for every fault; by default `/error/500`, and `/error/503` for a 503 if that view exists. */
  readonly view?: string
}

const busyView = '/error/503'

/**
 * Logs every fault, and responds with the status of the fault (500 for most) and a view. If the view does not exist, or if the
 * client does not accept HTML, sends the standard response of the status.
 * @spec Filters › 6
 */
export function errorPage({ view }: ErrorPageOptions = {}): FilterTrait {
  return filterTrait('ErrorPageFilter', (own) => {
    own.addErrorFilter(function log(error, controller) {
      logFault((controller as FwControllerBase).ctx, error)
    })
    own.addRenderingErrorFilter(async function renderErrorPage(error, controller) {
      const { ctx } = controller as FwControllerBase
      const problem = toProblem(error)
      const isBusy = problem.status === 503 && hasView(ctx, busyView)
      await respondWithProblem(ctx, problem, view ?? (isBusy ? busyView : '/error/500'))
      return ctx.response.body
    })
  })
}

/** The same as `errorPage()`, under the specification's name. @spec Filters › 6 */
export const ErrorPageFilter: FilterTrait = errorPage()
