/** What responds below a mount path if no route matches: handlers, the CORS policy and the formats of errors. */
import {
  planCompiler,
  respondWithStatus,
  type CrossOrigin,
  type FormatDefaults,
  type FwContext,
  type Stage,
  type Step,
  type Target,
} from '../action.ts'
import type { RequestPath } from '../http.ts'
import { matchOf, PrefixTable, type Match } from '../routing.ts'
import type { MountedController } from './mounted-controller.ts'

/** The fallbacks of one mount path; a member is undefined if no controller that is mounted there has it. */
interface Fallbacks {
  readonly notFound: Match<Target> | undefined
  readonly methodNotAllowed: Match<Target> | undefined
  readonly crossOrigin: CrossOrigin | undefined
  /** Undefined at the root, where the defaults of the application apply. */
  readonly errorFormat: FormatDefaults | undefined
}

/** Finds the fallbacks of a path: each one is that of the longest mount path which has it. */
export class FallbackTable {
  readonly #table: PrefixTable<Fallbacks>

  constructor(controllers: readonly MountedController[], contextPath: string) {
    const byPath = Map.groupBy(controllers, ({ prefix }) => contextPath + prefix)
    this.#table = new PrefixTable([...byPath].map(([path, all]) => [path, compileFallbacks(all)]))
  }

  find<K extends keyof Fallbacks>(kind: K, path: RequestPath): Fallbacks[K] | undefined {
    return this.#table.find(path, (fallbacks) => fallbacks[kind])
  }
}

/** Compiles the fallbacks of the controllers at one mount path: those of servlets, then those mounted first. */
function compileFallbacks(controllers: readonly MountedController[]): Fallbacks {
  const sorted = controllers.toSorted((a, b) => Number(b.isServlet) - Number(a.isServlet))
  return {
    notFound: firstResult(sorted, (one) => compileHandler(one, 'notFound')),
    methodNotAllowed: firstResult(sorted, (one) => compileHandler(one, 'methodNotAllowed')),
    crossOrigin: firstResult(sorted, findPolicy),
    errorFormat: sorted[0]!.prefix === '' ? undefined : sorted[0]!.controllerClass,
  }
}

function firstResult<T, R>(values: readonly T[], select: (value: T) => R | undefined) {
  for (const value of values) {
    const result = select(value)
    if (result !== undefined) return result
  }
  return undefined
}

const findPolicy = ({ registrations }: MountedController): CrossOrigin | undefined =>
  registrations.findLast((one) => one.crossOrigin !== undefined)?.crossOrigin

type HandlerKind = 'notFound' | 'methodNotAllowed'

/** The stages that fallback handlers skip: without a route, no filters run. The remaining stages load and save the session. */
const skips: ReadonlySet<Stage> = new Set([
  'guard',
  'body',
  'token',
  'before',
  'beforeAction',
  'afterAction',
  'after',
])

/** Compiles the handler of the controller or of its nearest base class, if there is one. */
function compileHandler(mounted: MountedController, kind: HandlerKind) {
  const { controller, controllerClass, registrations } = mounted
  const own = registrations.findLast((one) => one[kind] !== undefined)?.[kind]
  const action = own ?? (mounted.isServlet ? servletDefaults[kind] : undefined)
  if (action === undefined) return undefined
  const { registrations: routeRegistrations } = controller
  const compilePlan = planCompiler({ controller: controllerClass, routeRegistrations, skips })
  return matchOf(mounted.createTarget(compilePlan(undefined, action)))
}

/** A servlet serves every path below its mount path, so it has default handlers. */
const servletDefaults: Readonly<Record<HandlerKind, Step>> = {
  notFound: (_controller, ctx: FwContext) => respondWithStatus(ctx, 404),
  methodNotAllowed: (_controller, ctx: FwContext) => respondWithStatus(ctx, 405),
}
