/**
 * The base classes of controllers: for pages (`FwController`), APIs (`FwApiController`) and small applications
 * (`FwMicroFilter`).
 */
import {
  FwControllerBase,
  renderTyped,
  respondWithFragment,
  type Ctor,
  type FilterOptions,
  type FragmentOptions,
} from '../action.ts'
import {
  AsyncActions,
  Diagnostics,
  protectFromForgery,
  useSession,
  Validating,
} from '../feature.ts'
import type { Flash } from '../session.ts'
import type { FragmentName, ViewName, ViewValues } from '../view.ts'
import { mix } from './mix.ts'

/** A rendered page; a promise only when a template awaits something. */
export type Page = string | Promise<string>

/**
 * The default controller base: parameters, validation, views, flash, forgery protection and filters.
 * A request that none of its routes matches goes on to the controllers mounted after it.
 * @spec Base building blocks › FwController
 */
export abstract class FwController extends mix(
  FwControllerBase,
  Diagnostics,
  Validating,
  AsyncActions,
) {
  static {
    useSession(this)
  }

  /**
   * Requires the session's token for unsafe requests of the chosen routes; see `forgeryProtection`.
   * @spec Authentication › 2
   */
  static protectFromForgery(options?: FilterOptions): void {
    protectFromForgery(this, options)
  }

  /** Values for the next request. @spec Response helpers › flash */
  get flash(): Flash {
    return this.ctx.flash
  }

  /**
   * Renders a view. The compiler checks `values` against its `<%@val%>` lines; they override the request scope.
   * @throws FwError `view.not-found`
   * @spec General rules › 3
   */
  render<V extends ViewName>(view: V, values: ViewValues<V>): Page
  /**
   * Renders a view with the request scope's values.
   * @throws FwError `view.not-found`, `view.value-missing`, `view.value-wrong-type`
   */
  render(view: ViewName): Page
  render(view: string, values?: object): Page {
    return renderTyped(this.ctx, view, values)
  }

  /**
   * Renders a partial, or a view without its layout, for htmx, Turbo or a script; `this.view.wantsFragment` tells whether
   * the client wants one. `target` names the element that it changes. Texts of the flash come along, if there is a
   * partial `/_flash`.
   * @throws FwError `view.not-found`, `view.value-missing`, `view.value-wrong-type`
   */
  renderFragment<V extends FragmentName>(
    fragment: V,
    values: ViewValues<V>,
    options: FragmentOptions = {},
  ): Page {
    return respondWithFragment(this.ctx, fragment, values, options)
  }
}

/**
 * As `FwController`, but it owns every path below its mount path: a path that no route matches gets its own 404 or 405.
 * Servlets come after all other controllers, the longest mount path first.
 * @spec Base building blocks › FwServlet
 */
export abstract class FwServlet extends FwController {
  static override readonly isServlet: boolean = true
}

/** A controller class that an application's own trait can extend. */
export type ControllerClass<T extends FwController = FwController> = Ctor<T> &
  Omit<typeof FwController, 'prototype'>

/**
 * The base of an API: parameters, validation and filters, without views, flash and session. Errors are problem details
 * in JSON unless the client wants another format.
 * @spec Base building blocks › FwController
 */
export abstract class FwApiController extends mix(
  FwControllerBase,
  Diagnostics,
  Validating,
  AsyncActions,
) {
  static override readonly errorFormat: string = 'json'
}

/** As `FwApiController`, but it owns every path below its mount path. @spec Base building blocks › FwServlet */
export abstract class FwApiServlet extends FwApiController {
  static override readonly isServlet: boolean = true
}

/** `FwController` under the specification's name for controllers whose actions return promises. @spec Base building blocks › AsyncFwController */
export abstract class AsyncFwController extends FwController {}

/** As `AsyncFwController`, but it owns every path below its mount path. @spec Base building blocks › AsyncFwServlet */
export abstract class AsyncFwServlet extends AsyncFwController {
  static override readonly isServlet: boolean = true
}

/** `FwApiController` for actions that return promises. */
export abstract class AsyncFwApiController extends FwApiController {}

/** As `AsyncFwApiController`, but it owns every path below its mount path. */
export abstract class AsyncFwApiServlet extends AsyncFwApiController {
  static override readonly isServlet: boolean = true
}

/** A micro controller. A request that none of its routes matches goes on. Texts are `text/plain`. @spec Versioning */
export abstract class FwMicroFilter extends mix(FwControllerBase, AsyncActions) {
  static override readonly textFormat: string = 'txt'
  static override readonly errorFormat: string = 'txt'
}

/** As `FwMicroFilter`, but it owns every path below its mount path. @spec Versioning */
export abstract class FwMicroServlet extends FwMicroFilter {
  static override readonly isServlet: boolean = true
}

/** The classes that an application extends. Routes that are declared for one of them are not inherited. */
export const baseClasses: ReadonlySet<object> = new Set([
  FwController,
  FwServlet,
  FwApiController,
  FwApiServlet,
  AsyncFwController,
  AsyncFwServlet,
  AsyncFwApiController,
  AsyncFwApiServlet,
  FwMicroFilter,
  FwMicroServlet,
])
