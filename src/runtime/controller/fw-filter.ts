/** `FwFilter` and `FwRenderingFilter`: create named filters as traits, which several controllers can mix in. */
import type { Ctor, ErrorHandler, Filter, FilterOptions } from '../action.ts'
import { filterTrait } from '../feature.ts'
import type { FwController } from './fw-controller.ts'

/** The functions of a filter. `only` and `except` restrict `beforeAction` and `afterAction` to some routes. */
export interface FilterParts<C> extends FilterOptions {
  /** The filter's name in listings of routes. */
  readonly name: string
  readonly before?: Filter<C>
  readonly beforeAction?: Filter<C>
  readonly afterAction?: Filter<C>
  readonly after?: Filter<C>
  /** Runs for every fault; its result is ignored. */
  readonly error?: ErrorHandler<C, unknown>
}

/** The functions of a filter that may respond to faults. */
export interface RenderingFilterParts<C> extends FilterParts<C> {
  /** Runs for a fault. A result other than undefined becomes the response. */
  readonly renderingError?: ErrorHandler<C, unknown>
}

/** A trait that adds filters to controllers of type `C`. */
export type FilterMixin<C> = <B extends Ctor<C>>(Base: B) => B

/**
 * Creates a filter as a trait: `const Audit = FwFilter({ name: 'Audit', afterAction: (c) => c.logger.info({}, 'done') })`, then
 * `mix(FwController, Audit)`. The functions of all mixed-in filters run, in the order of mixing; their results are ignored.
 * @spec Filters › 4
 */
export const FwFilter = <C extends object = FwController>(parts: FilterParts<C>): FilterMixin<C> =>
  FwRenderingFilter(parts)

/**
 * Creates a filter like `FwFilter` that may also have the function `renderingError`, which can return a response to a fault. If
 * a filter calls code that has no reference to the context, mix in `MainThreadLocalEverywhere` too.
 * @spec Filters › 5
 */
export function FwRenderingFilter<C extends object = FwController>(
  parts: RenderingFilterParts<C>,
): FilterMixin<C> {
  const { name, before, beforeAction, afterAction, after, error, renderingError } = parts
  const trait = filterTrait(name, (own) => {
    if (before) own.add('before', before)
    if (beforeAction) own.add('beforeAction', beforeAction, parts)
    if (afterAction) own.add('afterAction', afterAction, parts)
    if (after) own.add('after', after)
    if (error) own.addErrorFilter(error as ErrorHandler<object, unknown>)
    if (renderingError) own.addRenderingErrorFilter(renderingError as ErrorHandler<object, unknown>)
  })
  return trait as unknown as FilterMixin<C>
}
