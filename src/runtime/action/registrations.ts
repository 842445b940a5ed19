/** `Registrations`: stores what a controller class registers: filters, error handlers and settings. */
import type { CrossOrigin, FwContext } from './context.ts'
import type { UnitOfWorkFactory } from './unit-of-work.ts'

/** The stages of a request in their order. `trap` runs even if the action halts or fails. @spec Endpoints › Filters */
export const stages = [
  'guard',
  'body',
  'load',
  'token',
  'before',
  'beforeAction',
  'action',
  'trap',
  'afterAction',
  'after',
  'save',
  'keep',
] as const

/** A stage of a request. */
export type Stage = (typeof stages)[number]

export type FilterStage = Exclude<Stage, 'action' | 'trap'>

/**
 * Restricts a filter or a setting to the routes in `only`, and excludes those in `except`, which has priority. An empty `only` means all
 * routes. Both list names of actions, or names given by `.as()`; a route without a name is in neither list.
 */
export interface FilterOptions<N extends string = string> {
  readonly only?: readonly N[]
  readonly except?: readonly N[]
}

/** A filter or an action. It gets the controller as `this` and as first argument; a promise is awaited. */
export type Step<C = object> = (this: C, controller: C, ctx: FwContext) => unknown

/** The arguments that register a filter: the filter alone, or its options before it. */
export type FilterArgs<C> = [filter: Step<C>] | [options: FilterOptions, filter: Step<C>]

/** Runs the whole request by calling `next`, for example inside an `AsyncLocalStorage`. */
export type Around = (ctx: FwContext, next: () => unknown) => unknown

export type ErrorFilter<C = object> = (error: unknown, controller: C) => unknown

export type ErrorClass<E = unknown> = abstract new (...args: never[]) => E

/** An error handler for the errors of one class; without a class, for every fault. */
export interface ErrorBlock {
  readonly type: ErrorClass | undefined
  readonly handle: ErrorFilter
}

/** A handler that replaces responses whose status is between `from` and `to`, both included. */
export interface StatusHandler {
  readonly from: number
  readonly to: number
  readonly handle: Step
}

interface StepRegistration {
  readonly stage: FilterStage
  readonly step: Step
  readonly options: FilterOptions
}

interface SettingRegistration {
  readonly key: symbol
  readonly value: unknown
  readonly options: FilterOptions
}

const append = <T>(list: readonly T[], item: T): void => void (list as T[]).push(item)

/** The registrations of one class or one routes object, without those of its base classes. */
export class Registrations {
  /** The name of the class, for listings; empty for an anonymous class. */
  readonly owner: string
  readonly steps: readonly StepRegistration[] = []
  readonly settings: readonly SettingRegistration[] = []
  readonly around: readonly Around[] = []
  readonly errorFilters: readonly ErrorFilter[] = []
  readonly renderingErrorFilters: readonly ErrorFilter[] = []
  readonly errorBlocks: readonly ErrorBlock[] = []
  readonly statusHandlers: readonly StatusHandler[] = []
  /** Begins the transaction of a request; that of the most derived class wins. */
  beginUnit: UnitOfWorkFactory | undefined
  /** Handles a 404 without a body, and a path that no route matches. */
  notFound: Step | undefined
  /** Handles a path that has only routes of other HTTP methods. */
  methodNotAllowed: Step | undefined
  crossOrigin: CrossOrigin | undefined

  constructor(owner = '') {
    this.owner = owner
  }

  /** Adds a step. The controller that the step gets is an instance of the class that registers the step. */
  add<C extends object>(stage: FilterStage, step: Step<C>, options: FilterOptions = {}): void {
    append(this.steps, { stage, step: step as Step, options })
  }

  addFilter<C extends object>(stage: FilterStage, args: FilterArgs<C>): void {
    const [options, filter] = args.length === 1 ? [{}, args[0]] : args
    this.add(stage, filter, options)
  }

  /** Wraps the whole lifecycle of each request. */
  addAround(around: Around): void {
    append(this.around, around)
  }

  addErrorFilter(filter: ErrorFilter): void {
    append(this.errorFilters, filter)
  }

  addRenderingErrorFilter(filter: ErrorFilter): void {
    append(this.renderingErrorFilters, filter)
  }

  addErrorBlock(block: ErrorBlock): void {
    append(this.errorBlocks, block)
  }

  addStatusHandler(handler: StatusHandler): void {
    append(this.statusHandlers, handler)
  }

  /** Sets a value in `ctx.plan.settings` of the chosen routes; the last registration of a key wins. */
  configure(key: symbol, value: unknown, options: FilterOptions = {}): void {
    append(this.settings, { key, value, options })
  }

  /** Returns true if the class or one of its base classes has registered the step. */
  static has(controllerClass: object, step: Step): boolean {
    return inheritedRegistrations(controllerClass).some(({ steps }) =>
      steps.some((one) => one.step === step),
    )
  }
}

const registrationsByClass = new WeakMap<object, Registrations>()

/** Returns the registrations of the class itself, without those of its base classes; creates them at the first call. */
export function registrationsOf(
  controllerClass: object & { readonly name?: string },
): Registrations {
  const known = registrationsByClass.get(controllerClass)
  if (known !== undefined) return known
  const created = new Registrations(controllerClass.name)
  registrationsByClass.set(controllerClass, created)
  return created
}

/** Returns the registrations of the class and its base classes; the most general class comes first. */
export function inheritedRegistrations(controllerClass: object): readonly Registrations[] {
  const chain: Registrations[] = []
  for (let at: object | null = controllerClass; at !== null; at = Object.getPrototypeOf(at)) {
    const own = registrationsByClass.get(at)
    if (own !== undefined) chain.unshift(own)
  }
  return chain
}
