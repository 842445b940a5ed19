/** Compiles the plan of a route when its controller is mounted: the chosen filters and the action, in their order. */
import { FwError, isPromise } from '../base.ts'
import { toSnakeCase } from '../params.ts'
import { dropBody } from './clear-page.ts'
import type { FwContext, MatchedRoute, RoutePlan } from './context.ts'
import {
  inheritedRegistrations,
  stages,
  type Around,
  type ErrorBlock,
  type ErrorFilter,
  type FilterOptions,
  type FilterStage,
  type Registrations,
  type Stage,
  type Step,
} from './registrations.ts'
import { applyResult } from './result.ts'
import { Pass } from './halt.ts'
import type { UnitOfWork, UnitOfWorkFactory } from './unit-of-work.ts'
import type { ResponseHead } from './response-head.ts'

/** A class that creates the controller of one request. */
export type ControllerConstructor = new (ctx: FwContext) => object

/** The steps that a request to one route runs, by the parts of the lifecycle; see `respond`. */
export interface Plan extends RoutePlan {
  readonly controller: ControllerConstructor
  /** The view that is rendered if the action returns undefined: `/<resources>/<route name>`. */
  readonly ownView: string | undefined
  /** The steps before the session is known: `guard`, `body` and `load`. */
  readonly admission: readonly Step[]
  /** The filters before the action: `token`, `before` and `beforeAction`. */
  readonly before: readonly Step[]
  readonly action: Step
  /** The status handlers as one step, then the filters `afterAction` and `after`. */
  readonly after: readonly Step[]
  /** The steps before the commit. */
  readonly save: readonly Step[]
  /** The steps after the commit. */
  readonly keep: readonly Step[]
  /** True if the route has something to store: steps of `save` or `keep`, or a unit of work. */
  readonly stores: boolean
  readonly around: readonly Around[]
  readonly beginUnit: UnitOfWorkFactory | undefined
  readonly errorFilters: readonly ErrorFilter[]
  readonly renderingErrorFilters: readonly ErrorFilter[]
  /** The `error` blocks in the order in which they are tried: the block registered last comes first. */
  readonly errorBlocks: readonly ErrorBlock[]
  /** Handles a 404 without a body; if undefined, the response gets the standard body of a 404. */
  readonly notFound: Step | undefined
}

/** The run of a plan for one request. */
export interface Run {
  readonly plan: Plan
  readonly ctx: FwContext
  readonly controller: object
  readonly unit: UnitOfWork | undefined
  /** The head of the response with which the first attempt of a route with a unit began. */
  readonly head: ResponseHead | undefined
}

/** The target of an entry in the routing table: a route's plan and condition. */
export interface Target extends MatchedRoute {
  readonly plan: Plan
  /** The route's condition `when`; undefined if the route always matches. */
  readonly when: ((ctx: FwContext) => boolean) | undefined
}

/** What all routes of a controller share. */
export interface PlannedController {
  readonly controller: ControllerConstructor
  /** The filters added to the routes object; they run after those of the class. */
  readonly routeRegistrations: Registrations
  /** The stages that are left out: fallback handlers have no filters. */
  readonly skips?: ReadonlySet<Stage>
}

/** A route as listings show it, with its filters and settings. */
export interface PlannedRoute extends PlannedController {
  readonly routeName: string | undefined
}

/** Returns the folder of a controller's views: `members` for `MembersController`. */
const viewFolder = ({ name }: ControllerConstructor): string =>
  toSnakeCase(name.replace(/(Controller|Servlet)$/, ''))

/** Returns true if a filter with these options runs on the route of this name. */
function applies({ only, except }: FilterOptions, routeName: string | undefined): boolean {
  if (routeName === undefined) return only === undefined || only.length === 0
  if (except?.includes(routeName) === true) return false
  return only === undefined || only.length === 0 || only.includes(routeName)
}

/** Returns the status handler of each status; the handler registered last wins. */
function statusHandlersByStatus(all: readonly Registrations[]): ReadonlyMap<number, Step> {
  const handlers = new Map<number, Step>()
  for (const { from, to, handle } of all.flatMap((one) => one.statusHandlers))
    for (let status = from; status <= to; status++) handlers.set(status, handle)
  return handlers
}

/** Creates the step that runs the handler of the response's status. If it returns undefined, nothing changes. */
function statusHandlerStep(handlers: ReadonlyMap<number, Step>): Step {
  const replaceBody = (ctx: FwContext, value: unknown): void => {
    if (value === undefined) return
    dropBody(ctx)
    applyResult(ctx, value)
  }
  const ignorePass = (error: unknown): void => {
    if (!(error instanceof Pass)) throw error
  }
  return (controller, ctx) => {
    const handler = ctx.fault === undefined ? handlers.get(ctx.response.status) : undefined
    if (handler === undefined) return undefined
    try {
      const value = handler.call(controller, controller, ctx)
      if (!isPromise(value)) return replaceBody(ctx, value)
      return Promise.resolve(value)
        .then((settled) => replaceBody(ctx, settled))
        .catch(ignorePass)
    } catch (error) {
      return ignorePass(error)
    }
  }
}

const allRegistrations = (planned: PlannedController): readonly Registrations[] => [
  ...inheritedRegistrations(planned.controller),
  planned.routeRegistrations,
]

/** The parts of a plan that depend on the name of the route. */
type NamedParts = Pick<
  Plan,
  'ownView' | 'admission' | 'before' | 'after' | 'save' | 'keep' | 'settings'
>

/**
 * Returns the function that compiles the plan of each route of a controller: it selects the filters that run on the route, and puts
 * them in order. All plans of the controller share what is the same for each route, and plans of one route name also share their
 * filters, because an application may have thousands of routes.
 */
export function planCompiler(
  planned: PlannedController,
): (routeName: string | undefined, action: Step) => Plan {
  const { controller, skips } = planned
  const all = allRegistrations(planned)
  const steps = all.flatMap((one) => one.steps).filter(({ stage }) => skips?.has(stage) !== true)
  const handlers = statusHandlersByStatus(all)
  const trap = handlers.size === 0 ? [] : [statusHandlerStep(handlers)]
  const around = all.flatMap((one) => one.around)
  const beginUnit = all.findLast((one) => one.beginUnit !== undefined)?.beginUnit
  const errorFilters = all.flatMap((one) => one.errorFilters)
  const renderingErrorFilters = all.flatMap((one) => one.renderingErrorFilters)
  const crossOrigin = all.findLast((one) => one.crossOrigin !== undefined)?.crossOrigin
  const errorBlocks = all.flatMap((one) => one.errorBlocks).toReversed()
  const notFound = all.findLast((one) => one.notFound !== undefined)?.notFound
  const parts = new Map<string | undefined, NamedParts>()

  const compileParts = (routeName: string | undefined): NamedParts => {
    const filters = steps.filter((one) => applies(one.options, routeName))
    const select = (...chosen: readonly FilterStage[]): readonly Step[] =>
      chosen.flatMap((stage) =>
        filters.filter((one) => one.stage === stage).map(({ step }) => step),
      )
    return {
      ownView: routeName === undefined ? undefined : `/${viewFolder(controller)}/${routeName}`,
      admission: select('guard', 'body', 'load'),
      before: select('token', 'before', 'beforeAction'),
      after: [...trap, ...select('afterAction', 'after')],
      save: select('save'),
      keep: select('keep'),
      settings: collectSettings(all, routeName),
    }
  }

  return (routeName, action) => {
    const known = parts.get(routeName)
    const named = known ?? compileParts(routeName)
    if (known === undefined) parts.set(routeName, named)
    const { ownView, admission, before, after, save, keep, settings } = named
    return {
      controller,
      controllerName: controller.name,
      routeName,
      ownView,
      admission,
      before,
      action,
      after,
      save,
      keep,
      stores: save.length + keep.length > 0 || beginUnit !== undefined,
      around,
      beginUnit,
      errorFilters,
      renderingErrorFilters,
      crossOrigin,
      // Only session features add steps to the stage `keep`; features that read bodies add steps to `load` too.
      savesSession: keep.length > 0,
      errorBlocks,
      notFound,
      settings,
    }
  }
}

function collectSettings(
  all: readonly Registrations[],
  routeName: string | undefined,
): ReadonlyMap<symbol, unknown> {
  const chosen = all
    .flatMap((one) => one.settings)
    .filter(({ options }) => applies(options, routeName))
  return new Map(chosen.map(({ key, value }) => [key, value]))
}

/** Returns the settings that traits have made for the route; the last registration of a key wins. */
export const routeSettings = (route: PlannedRoute): ReadonlyMap<symbol, unknown> =>
  collectSettings(allRegistrations(route), route.routeName)

/** Whether a filter or setting is limited to named routes. */
export const namesRoutes = ({ steps, settings }: Registrations): boolean =>
  [...steps, ...settings].some(
    ({ options: { only, except } }) => only !== undefined || except !== undefined,
  )

/** @throws FwError `action.unknown-route-name` for a name in `only` or `except` that no inheriting controller has */
export function checkFilterNames(
  registrations: Registrations,
  routeNames: ReadonlySet<string>,
  owner: string,
): void {
  const check = (kind: string, { only = [], except = [] }: FilterOptions): void => {
    const unknown = [...only, ...except].find((name) => !routeNames.has(name))
    if (unknown === undefined) return
    throw new FwError(
      'action.unknown-route-name',
      `A ${kind} of ${owner} names the route '${unknown}', which does not exist there.` +
        ` Its routes: ${[...routeNames].join(', ') || 'none'}. Correct the name in only/except, or add .as('${unknown}') to a route.`,
    )
  }
  for (const { stage, options } of registrations.steps) check(`${stage} filter`, options)
  for (const { key, options } of registrations.settings)
    check(`${key.description} setting`, options)
}

/** A filter of a route, as listings of routes show it. */
export interface RouteFilter {
  /**
   * The stage in which the filter runs. `around` wraps all other filters and the action. `error` and `renderingError` run after
   * a fault: first all error filters, whose results are ignored, then the rendering ones until one responds.
   */
  readonly stage: Exclude<Stage, 'action'> | 'around' | 'error' | 'renderingError'
  /** The name of the function, or else the beginning of its code. */
  readonly filter: string
  /** The name of the class or trait that registered the filter. */
  readonly owner: string
}

const maxLabelLength = 60

/** Returns the name of a filter for listings. An anonymous function is shown by its body: `(c) => c.load()` as `c.load()`. */
function filterLabel(filter: { readonly name: string }): string {
  if (filter.name !== '') return filter.name
  const code = String(filter).replace(/\s+/g, ' ')
  const body = code.replace(/^(?:async )?(?:\([^()]*\)|\w+) => /, '').replace(/^\{ (.*) \}$/, '$1')
  return body.length <= maxLabelLength ? body : `${body.slice(0, maxLabelLength - 1)}…`
}

/** Returns the filters of a route in the order in which they run, with error filters last; `only` and `except` are applied. */
export function routeFilters(route: PlannedRoute): readonly RouteFilter[] {
  const all = allRegistrations(route)
  const list = (
    stage: RouteFilter['stage'],
    select: (one: Registrations) => readonly { readonly name: string }[],
  ): RouteFilter[] =>
    all.flatMap((one) =>
      select(one).map((filter) => ({ stage, filter: filterLabel(filter), owner: one.owner })),
    )
  const steps = stages
    .filter((stage) => stage !== 'action')
    .flatMap((stage) =>
      list(stage, ({ statusHandlers, steps }) =>
        stage === 'trap'
          ? statusHandlers.map(({ handle }) => handle)
          : steps
              .filter((one) => one.stage === stage && applies(one.options, route.routeName))
              .map(({ step }) => step),
      ),
    )
  return [
    ...list('around', (one) => [...one.around, ...(one.beginUnit ? [one.beginUnit] : [])]),
    ...steps,
    ...list('error', (one) => one.errorFilters),
    ...list('renderingError', (one) => one.renderingErrorFilters),
  ]
}
