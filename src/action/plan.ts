/** What a route runs, decided once at mount: its filters chosen, in order, with the action among them. */
import { FwError } from '../base.ts'
import { toSnakeCase } from '../params.ts'
import {
  inheritedRegistrations,
  stages,
  type Around,
  type CrossOrigin,
  type ErrorBlock,
  type ErrorFilter,
  type FilterOptions,
  type Registrations,
  type Stage,
  type Step,
} from './registrations.ts'

/** Makes the controller of one request. */
export type ControllerMaker = new (ctx: never) => object

/** The flat list that a request of one route runs; positions are indexes into `steps`. */
export interface Plan {
  readonly controller: ControllerMaker
  /** Absent for an action written in place without `.as()`. */
  readonly routeName: string | undefined
  /** The view that answers when the action gives nothing: `/<resources>/<route name>`. */
  readonly ownView: string | undefined
  readonly steps: readonly Step[]
  /** The first step after those that read the session. */
  readonly tokenAt: number
  /** Where the action stands. */
  readonly actionAt: number
  /** The first step after the action: traps and filters that run however the action ended. */
  readonly afterAt: number
  /** The first step that keeps what the request did; skipped when it failed. */
  readonly saveAt: number
  /** The first step after the commit. */
  readonly keepAt: number
  readonly around: readonly Around[]
  readonly rollbacks: readonly Step[]
  readonly errorFilters: readonly ErrorFilter[]
  readonly renderingErrorFilters: readonly ErrorFilter[]
  /** What the nearest class registered. */
  readonly crossOrigin: CrossOrigin | undefined
  /** In the order in which they are tried: the last one registered first. */
  readonly errorBlocks: readonly ErrorBlock[]
  /** What replaces the answer of a status. */
  readonly traps: ReadonlyMap<number, Step>
  /** What answers a 404 without a body; absent: the body of that status. */
  readonly notFound: Step | undefined
}

/** What `compilePlan` needs to know of a route. */
export interface PlannedRoute {
  readonly controller: ControllerMaker
  readonly routeName: string | undefined
  readonly action: Step
  /** Registered on the routes object; run after those of the class. */
  readonly own: Registrations
  /** Stages that do not run: what answers where no route does runs no filters. */
  readonly skips?: ReadonlySet<Stage>
}

/** `MembersController` has its views in `members`. */
function resourcesNameOf({ name }: ControllerMaker): string {
  return toSnakeCase(name.replace(/(Controller|Servlet)$/, ''))
}

/** Whether a filter with these options runs on the route of this name. */
export function applies({ only, except }: FilterOptions, routeName: string | undefined): boolean {
  if (routeName === undefined) return only === undefined || only.length === 0
  if (except?.includes(routeName) === true) return false
  return only === undefined || only.length === 0 || only.includes(routeName)
}

/** The last one registered for a status counts. */
function trapsByStatus(all: readonly Registrations[]): ReadonlyMap<number, Step> {
  const traps = new Map<number, Step>()
  for (const { from, to, handle } of all.flatMap((one) => one.traps))
    for (let status = from; status <= to; status++) traps.set(status, handle)
  return traps
}

/** Chooses and orders everything that a request of `route` will run. */
export function compilePlan(route: PlannedRoute): Plan {
  const all = [...inheritedRegistrations(route.controller), route.own]
  const registered = all.flatMap((one) => one.steps)
  const traps = trapsByStatus(all)
  const stepsOf = (stage: Stage): readonly Step[] => {
    if (stage === 'action') return [route.action]
    if (route.skips?.has(stage) === true) return []
    if (stage === 'trap' && traps.size === 0) return []
    return registered
      .filter((one) => one.stage === stage && applies(one.options, route.routeName))
      .map((one) => one.step)
  }
  const countUpTo = (stage: Stage): number =>
    stages.slice(0, stages.indexOf(stage)).reduce((sum, one) => sum + stepsOf(one).length, 0)
  return {
    controller: route.controller,
    routeName: route.routeName,
    ownView:
      route.routeName === undefined
        ? undefined
        : `/${resourcesNameOf(route.controller)}/${route.routeName}`,
    steps: stages.flatMap(stepsOf),
    tokenAt: countUpTo('token'),
    actionAt: countUpTo('action'),
    afterAt: countUpTo('trap'),
    saveAt: countUpTo('save'),
    keepAt: countUpTo('keep'),
    around: all.flatMap((one) => one.around),
    rollbacks: all.flatMap((one) => one.rollbacks),
    errorFilters: all.flatMap((one) => one.errorFilters),
    renderingErrorFilters: all.flatMap((one) => one.renderingErrorFilters),
    crossOrigin: all.findLast((one) => one.crossOrigin !== undefined)?.crossOrigin,
    errorBlocks: all.flatMap((one) => one.errorBlocks).toReversed(),
    traps,
    notFound: all.findLast((one) => one.notFound !== undefined)?.notFound,
  }
}

/**
 * Refuses an `only` or `except` that names no route: such a filter would silently guard nothing. What a base class or
 * a trait registered is checked against the routes of all controllers that inherit it.
 * @throws FwError `action.unknown-route-name`
 */
export function checkFilterNames(
  own: Registrations,
  routeNames: ReadonlySet<string>,
  owner: string,
): void {
  for (const { options, stage } of own.steps) {
    for (const name of [...(options.only ?? []), ...(options.except ?? [])]) {
      if (routeNames.has(name)) continue
      throw new FwError(
        'action.unknown-route-name',
        `A ${stage} filter of ${owner} names the route '${name}', which does not exist there.` +
          ` Its routes: ${[...routeNames].join(', ') || 'none'}. Correct the name in only/except, or add .as('${name}') to a route.`,
      )
    }
  }
}
