/** The micro layer: routes over plain values, without pages, sessions or forms. */
import { FwControllerBase } from '../action.ts'
import { routes, type ControllerObject, type RouteTable } from './routes.ts'
import type { RouteBuilder } from './route-builder.ts'

/** A controller of the micro layer that hands on what it does not match. Texts are `text/plain`. */
export abstract class FwMicroFilter extends FwControllerBase {}

/** One file is an app: `microFilter((r) => ({ hello: r.get('/hello', () => 'Hello') }))`. */
export function microFilter<R extends RouteTable>(
  declare: (r: RouteBuilder<FwMicroFilter>) => R,
): ControllerObject<FwMicroFilter, R> {
  abstract class MicroFilter extends FwMicroFilter {}
  return routes(MicroFilter, declare)
}
