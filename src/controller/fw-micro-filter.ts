/** The micro layer: routes over plain values, without pages, sessions or forms. */
import { FwControllerBase } from '../action.ts'
import { Responding } from '../feature.ts'
import { mix } from './mix.ts'
import { routes, type ControllerObject, type RouteTable } from './routes.ts'
import type { RouteBuilder } from './route-builder.ts'

/** A controller of the micro layer that hands on what it does not match. Texts are `text/plain`. @spec Versioning */
export abstract class FwMicroFilter extends mix(FwControllerBase, Responding) {
  static override readonly textFormat: string = 'txt'
  static override readonly errorFormat: string = 'txt'
}

/** As `FwMicroFilter`, but it owns every path below its mount path. @spec Versioning */
export abstract class FwMicroServlet extends FwMicroFilter {
  static override readonly isServlet: boolean = true
}

/** One file is an app: `microFilter((r) => ({ hello: r.get('/hello', () => 'Hello') }))`. */
export function microFilter<R extends RouteTable>(
  declare: (r: RouteBuilder<FwMicroFilter>) => R,
): ControllerObject<FwMicroFilter, R> {
  abstract class MicroFilter extends FwMicroFilter {}
  return routes(MicroFilter, declare)
}

/** As `microFilter`, but it owns every path below its mount path: what no route matches is its 404. */
export function microServlet<R extends RouteTable>(
  declare: (r: RouteBuilder<FwMicroServlet>) => R,
): ControllerObject<FwMicroServlet, R> {
  abstract class MicroServlet extends FwMicroServlet {}
  return routes(MicroServlet, declare)
}
