/** The base classes of controllers: for pages, APIs (`FwApiController`) and small applications (`FwMicroFilter`). */
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
  mix,
  protectFromForgery,
  useSession,
  Validating,
} from '../feature.ts'
import type { Flash } from '../session.ts'
import type { FragmentName, ViewName, ViewValues } from '../view.ts'

/** A rendered page. It is a promise only if a template awaits a value. */
export type Page = string | Promise<string>

/**
 * The default base class of controllers, with parameters, validation, views, flash, forgery protection and filters.
 * If none of its routes matches a request, the controllers mounted after it are tried.
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

  /** Requires the forgery token in unsafe requests; see `forgeryProtection`. @spec Authentication › 2 */
  static protectFromForgery(options?: FilterOptions): void {
    protectFromForgery(this, options)
  }

  /** The flash: values that are available in the next request. @spec Response helpers › flash */
  get flash(): Flash {
    return this.ctx.flash
  }

  /**
   * Renders a view. TypeScript checks `values` against the `<%@val%>` lines of the view. `values` override the values of the
   * request scope.
   * @throws FwError `view.not-found`
   * @spec General rules › 3
   */
  render<V extends ViewName>(view: V, values: ViewValues<V>): Page
  /** Renders a view with the request scope. @throws FwError `view.not-found`, `view.value-missing`, `view.value-wrong-type` */
  render(view: ViewName): Page
  render(view: string, values?: object): Page {
    return renderTyped(this.ctx, view, values)
  }

  /**
   * Renders a partial, or a view without its layout, for htmx, Turbo or a script. `this.view.wantsFragment` is true if the
   * client expects a fragment. `options.target` is the id of the page's element that the fragment changes. If the partial
   * `/_flash` exists, flash messages are sent too.
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
 * A `FwController` that serves every path below its mount path: it responds 404 or 405 itself if none of its routes matches.
 * Servlets are tried after all other controllers, the longest mount path first.
 * @spec Base building blocks › FwServlet
 */
export abstract class FwServlet extends FwController {
  static override readonly isServlet: boolean = true
}

/** The type of a controller class that a trait of the application can extend. */
export type ControllerClass<T extends FwController = FwController> = Ctor<T> &
  Omit<typeof FwController, 'prototype'>

/**
 * The base class of API controllers: parameters, validation and filters, but no views, flash or session. Errors are problem
 * details in JSON, unless the client requests another format.
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

/** A `FwApiController` that serves every path below its mount path, like `FwServlet`. @spec Base building blocks › FwServlet */
export abstract class FwApiServlet extends FwApiController {
  static override readonly isServlet: boolean = true
}

/** The same as `FwController`, for actions that return promises. @spec Base building blocks › AsyncFwController */
export abstract class AsyncFwController extends FwController {}

/** The same as `FwServlet`, for actions that return promises. @spec Base building blocks › AsyncFwServlet */
export abstract class AsyncFwServlet extends AsyncFwController {
  static override readonly isServlet: boolean = true
}

/** The same as `FwApiController`, named for controllers whose actions return promises. */
export abstract class AsyncFwApiController extends FwApiController {}

/** The same as `FwApiServlet`, named for controllers whose actions return promises. */
export abstract class AsyncFwApiServlet extends AsyncFwApiController {
  static override readonly isServlet: boolean = true
}

/**
 * The base class of applications in one file. If none of its routes matches a request, the controllers mounted after it are
 * tried. A text that an action returns is sent as `text/plain`.
 * @spec Versioning
 */
export abstract class FwMicroFilter extends mix(FwControllerBase, AsyncActions) {
  static override readonly textFormat: string = 'txt'
  static override readonly errorFormat: string = 'txt'
}

/** A `FwMicroFilter` that serves every path below its mount path, like `FwServlet`. @spec Versioning */
export abstract class FwMicroServlet extends FwMicroFilter {
  static override readonly isServlet: boolean = true
}

/** The base classes that applications extend. A subclass does not inherit routes declared for one of these classes. */
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
