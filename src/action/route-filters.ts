/** What runs around a route's action, told for listings. */
import { applies, type PlannedRoute } from './plan.ts'
import { inheritedRegistrations, stages, type Stage } from './registrations.ts'

/** One filter of a route. */
export interface RouteFilter {
  /** `around` holds the whole request; `error` and `renderingError` see its faults; the others are steps of the lifecycle. */
  readonly stage: Exclude<Stage, 'action'> | 'around' | 'error' | 'renderingError'
  /** The function's name, else the beginning of its code. */
  readonly filter: string
  /** The class or trait that registered it. */
  readonly owner: string
}

const longest = 60

/** `(c) => c.load()` is told as `c.load()`. */
function labelOf(filter: { readonly name: string }): string {
  if (filter.name !== '') return filter.name
  const code = String(filter).replace(/\s+/g, ' ')
  const body = code.replace(/^(?:async )?(?:\([^()]*\)|\w+) => /, '').replace(/^\{ (.*) \}$/, '$1')
  return body.length <= longest ? body : `${body.slice(0, longest - 1)}…`
}

/** In the order in which they run, those of errors last; `only` and `except` are resolved. */
export function routeFilters(route: PlannedRoute): readonly RouteFilter[] {
  const all = [...inheritedRegistrations(route.controller), route.own]
  const told = (
    stage: RouteFilter['stage'],
    filtersOf: (one: (typeof all)[number]) => readonly { readonly name: string }[],
  ): RouteFilter[] =>
    all.flatMap((one) =>
      filtersOf(one).map((filter) => ({ stage, filter: labelOf(filter), owner: one.owner })),
    )
  // Asked only where a status is trapped.
  const traps = all.some((one) => one.traps.length > 0)
  const steps = stages
    .filter((stage): stage is Exclude<Stage, 'action'> => stage !== 'action')
    .filter((stage) => stage !== 'trap' || traps)
    .flatMap((stage) =>
      told(stage, (one) =>
        one.steps
          .filter((step) => step.stage === stage && applies(step.options, route.routeName))
          .map(({ step }) => step),
      ),
    )
  return [
    ...told('around', (one) => one.around),
    ...steps,
    ...told('error', (one) => one.errorFilters),
    ...told('renderingError', (one) => one.renderingErrorFilters),
  ]
}
