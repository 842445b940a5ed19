/** The controllers of programs: no pages, no flash, no session; errors are problem details. */
import { FwControllerBase } from '../action.ts'
import { Diagnostics, ScopeAccess, Validating } from '../feature.ts'
import { mix } from './mix.ts'

/**
 * The base of an API: parameters, validation and filters, without the page features. Errors are JSON unless the client
 * asks for something else.
 * @spec Base building blocks › FwController
 */
export abstract class FwApiController extends mix(
  FwControllerBase,
  Diagnostics,
  ScopeAccess,
  Validating,
) {
  static override readonly errorFormat: string = 'json'
}

/** As `FwApiController`, but it owns every path below its mount path. @spec Base building blocks › FwServlet */
export abstract class FwApiServlet extends FwApiController {
  static override readonly isServlet: boolean = true
}
