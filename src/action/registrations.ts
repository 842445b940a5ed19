/** What a controller class registered: its steps around an action and its handlers of errors. */
/**
 * The stages around an action in the order in which they run; `action` itself stands between
 * `beforeAction` and `afterAction`.
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
  'afterAction',
  'after',
  'save',
  'commit',
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

export interface StepRegistration {
  readonly stage: Exclude<Stage, 'action'>
  readonly step: Step
  readonly options: FilterOptions
}

/** All that one class, or one routes object, has registered itself: nothing of its bases. */
export class Registrations {
  readonly steps: StepRegistration[] = []
  readonly around: Around[] = []
  /** Undo what the request began; run before any error filter. */
  readonly rollbacks: Step[] = []
  readonly errorFilters: ErrorFilter[] = []
  readonly renderingErrorFilters: ErrorFilter[] = []

  add(stage: StepRegistration['stage'], step: Step, options: FilterOptions = {}): void {
    this.steps.push({ stage, step, options })
  }
}

const ofClass = new WeakMap<object, Registrations>()

/** The class's own registrations, made when first asked for. */
export function registrationsOf(controllerClass: object): Registrations {
  const known = ofClass.get(controllerClass)
  if (known !== undefined) return known
  const made = new Registrations()
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
