/** What a controller class registers: steps around an action, error handlers and settings. */
import type { CrossOrigin, FwContext } from './context.ts'

/**
 * The stages of a request in the order in which they run. Status handlers (`trap`) run after the action, however it
 * ended.
 * @spec Endpoints › Filters
 */
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
  'commit',
  'keep',
] as const

/** One of the stages around an action. */
export type Stage = (typeof stages)[number]

/** A stage that a class can add steps to. */
export type FilterStage = Exclude<Stage, 'action' | 'trap'>

/** `only`: these routes; `except`: all but these; `except` wins. Names are those given by `.as()`. */
export interface FilterOptions<N extends string = string> {
  readonly only?: readonly N[]
  readonly except?: readonly N[]
}

/** A filter or an action: called with the controller as `this` and first argument, then the context; a promise is awaited. */
export type Step<C = object> = (this: C, controller: C, ctx: FwContext) => unknown

/** Runs the whole request, by `next`, inside an AsyncLocalStorage. */
export type Around = (ctx: FwContext, next: () => unknown) => unknown

/** Handles an error, with the request's controller. */
export type ErrorFilter<C = object> = (error: unknown, controller: C) => unknown

/** A class of errors, such as `TeapotError`. */
export type ErrorClass<E = unknown> = abstract new (...args: never[]) => E

/** Handles the errors of one class; without a class, every fault. */
export interface ErrorBlock {
  readonly type: ErrorClass | undefined
  readonly handle: ErrorFilter
}

/** Replaces the response of the statuses from `from` to `to`, both included. */
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

/** The registrations of one class, or of one routes object, without those of its bases. */
export class Registrations {
  /** The name of the class, for listings; empty for an anonymous one. */
  readonly owner: string
  readonly steps: StepRegistration[] = []
  readonly settings: SettingRegistration[] = []
  readonly around: Around[] = []
  /** Undo the request's work; run before any error filter. */
  readonly rollbacks: Step[] = []
  /** Return true for an error after which the request should run again from its start. */
  readonly retries: ((error: unknown, ctx: FwContext) => boolean)[] = []
  readonly errorFilters: ErrorFilter[] = []
  readonly renderingErrorFilters: ErrorFilter[] = []
  readonly errorBlocks: ErrorBlock[] = []
  readonly statusHandlers: StatusHandler[] = []
  /** Handles a 404 without a body, and paths that no route matches. */
  notFound: Step | undefined
  /** Handles paths that have routes of other methods only. */
  methodNotAllowed: Step | undefined
  crossOrigin: CrossOrigin | undefined

  constructor(owner = '') {
    this.owner = owner
  }

  /** Adds a step. Its controller is an instance of the class that registers it. */
  add<C extends object>(stage: FilterStage, step: Step<C>, options: FilterOptions = {}): void {
    this.steps.push({ stage, step: step as Step, options })
  }

  /** Whether the class, or one of its bases, has the step. */
  static has(controllerClass: object, step: Step): boolean {
    return inheritedRegistrations(controllerClass).some(({ steps }) =>
      steps.some((one) => one.step === step),
    )
  }

  /** Sets a value that `ctx.plan.settings` has for the chosen routes; the last registration wins. */
  configure(key: symbol, value: unknown, options: FilterOptions = {}): void {
    this.settings.push({ key, value, options })
  }
}

const registrationsByClass = new WeakMap<object, Registrations>()

/** The class's own registrations. */
export function registrationsOf(
  controllerClass: object & { readonly name?: string },
): Registrations {
  const known = registrationsByClass.get(controllerClass)
  if (known !== undefined) return known
  const created = new Registrations(controllerClass.name)
  registrationsByClass.set(controllerClass, created)
  return created
}

/** The registrations of the class and its base classes, base class first. */
export function inheritedRegistrations(controllerClass: object): readonly Registrations[] {
  const chain: Registrations[] = []
  for (let at: object | null = controllerClass; at !== null; at = Object.getPrototypeOf(at)) {
    const own = registrationsByClass.get(at)
    if (own !== undefined) chain.unshift(own)
  }
  return chain
}
