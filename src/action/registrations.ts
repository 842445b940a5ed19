/** What a controller class registered: its steps around an action and its handlers of errors. */
/**
 * The stages around an action in the order in which they run; `action` itself stands between
 * `beforeAction` and `afterAction`, followed by the status traps, which look at how it ended.
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

/** `only`: these routes; `except`: all but these; `except` wins. Names are those given by `.as()`. */
export interface FilterOptions<N extends string = string> {
  readonly only?: readonly N[]
  readonly except?: readonly N[]
}

// The context's own type would close a loop of imports; those who register name it.
/** A filter or an action: called with the controller as `this` and first argument, then the context; a promise is awaited. */
export type Step = (controller: never, ctx: never) => unknown

/** Runs the whole request, by `next`, inside something ambient. */
export type Around = (ctx: never, next: () => unknown) => unknown

/** Sees a fault, then the controller. */
export type ErrorFilter = (error: unknown, controller: never) => unknown

/** A class of errors, such as `TeapotError`. */
export type ErrorClass<E = unknown> = abstract new (...args: never[]) => E

/** Answers the errors of one class; of every fault without one. */
export interface ErrorBlock {
  readonly type: ErrorClass | undefined
  readonly handle: ErrorFilter
}

/** Replaces the answer of the statuses from `from` to `to`, both included. */
export interface Trap {
  readonly from: number
  readonly to: number
  readonly handle: Step
}

/** What a controller lets pages of other origins do; its context is the request's `FwContext`. */
export interface CrossOrigin {
  /** True for an origin that may send it unsafe requests. */
  trusts(origin: string): boolean
  /** Answers a browser that asks beforehand; `methods` are those that the path has. */
  preflight(ctx: never, methods: readonly string[]): void
}

export interface StepRegistration {
  readonly stage: Exclude<Stage, 'action'>
  readonly step: Step
  readonly options: FilterOptions
}

/** All that one class, or one routes object, has registered itself: nothing of its bases. */
export class Registrations {
  /** The name of the class, for listings; empty for one without. */
  readonly owner: string
  readonly steps: StepRegistration[] = []
  readonly around: Around[] = []
  /** Undo what the request began; run before any error filter. */
  readonly rollbacks: Step[] = []
  readonly errorFilters: ErrorFilter[] = []
  readonly renderingErrorFilters: ErrorFilter[] = []
  readonly errorBlocks: ErrorBlock[] = []
  readonly traps: Trap[] = []
  /** Answers what ends in 404 without a body, and paths that no route matches. */
  notFound: Step | undefined
  /** Answers paths that have routes of other methods only. */
  methodNotAllowed: Step | undefined
  crossOrigin: CrossOrigin | undefined

  constructor(owner = '') {
    this.owner = owner
  }

  add(stage: StepRegistration['stage'], step: Step, options: FilterOptions = {}): void {
    this.steps.push({ stage, step, options })
  }
}

const ofClass = new WeakMap<object, Registrations>()

/** The class's own registrations, made when first asked for. */
export function registrationsOf(
  controllerClass: object & { readonly name?: string },
): Registrations {
  const known = ofClass.get(controllerClass)
  if (known !== undefined) return known
  const made = new Registrations(controllerClass.name)
  ofClass.set(controllerClass, made)
  return made
}

/** Those of the class and its bases, base first: the order in which they were added. */
export function inheritedRegistrations(controllerClass: object): readonly Registrations[] {
  const found: Registrations[] = []
  for (let at: object | null = controllerClass; at !== null; at = Object.getPrototypeOf(at)) {
    const own = ofClass.get(at)
    if (own !== undefined) found.unshift(own)
  }
  return found
}
