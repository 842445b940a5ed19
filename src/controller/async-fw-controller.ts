/** The bases whose actions take the context as their argument and wait for several things at once. */
import { AsyncActions } from '../feature.ts'
import { FwApiController } from './fw-api-controller.ts'
import { FwController } from './fw-controller.ts'
import { mix } from './mix.ts'

/** `FwController` with the helpers of asynchronous actions. @spec Base building blocks › AsyncFwController */
export abstract class AsyncFwController extends mix(FwController, AsyncActions) {}

/** As `AsyncFwController`, but it owns every path below its mount path. @spec Base building blocks › AsyncFwServlet */
export abstract class AsyncFwServlet extends AsyncFwController {
  static override readonly isServlet: boolean = true
}

/** `FwApiController` with the helpers of asynchronous actions. */
export abstract class AsyncFwApiController extends mix(FwApiController, AsyncActions) {}

/** As `AsyncFwApiController`, but it owns every path below its mount path. */
export abstract class AsyncFwApiServlet extends AsyncFwApiController {
  static override readonly isServlet: boolean = true
}
