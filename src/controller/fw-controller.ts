/** The controllers of pages: one that hands on what it does not match, one that owns its paths. */
import { FwControllerBase, type Ctor, type FilterOptions } from '../action.ts'
import {
  Diagnostics,
  protectFromForgery,
  Rendering,
  Responding,
  ScopeAccess,
  SessionAccess,
  Validating,
} from '../feature.ts'
import { mix } from './mix.ts'

/**
 * The default controller base: parameters, validation, rendering, flash, forgery protection and filters in one.
 * A request that none of its routes matches goes on to the controllers mounted after it.
 * @spec Base building blocks › FwController
 */
export abstract class FwController extends mix(
  FwControllerBase,
  Diagnostics,
  ScopeAccess,
  SessionAccess,
  Rendering,
  Responding,
  Validating,
) {
  /**
   * Unsafe requests of the chosen routes need the session's token.
   * @spec Authentication › 2
   */
  static protectFromForgery(options?: FilterOptions): void {
    protectFromForgery(this, options)
  }
}

/**
 * As `FwController`, but it owns every path below its mount path: what none of its routes matches is its own 404 or 405.
 * Servlets come after all controllers that hand on, the longest mount path first.
 * @spec Base building blocks › FwServlet
 */
export abstract class FwServlet extends FwController {
  static override readonly isServlet: boolean = true
}

/** A controller class that an application's own trait can extend. */
export type ControllerClass<T extends FwController = FwController> = Ctor<T> &
  Omit<typeof FwController, 'prototype'>
