/** Outcome: one function for a validation that passed and one for a failed one, named in either order. */
import { FwError } from '../base.ts'
import type { Params } from '../params.ts'

/** What an outcome needs of a validation. */
interface Judged<E> {
  readonly params: Params
  readonly errors: E
  validate(): boolean
}

/** A choice not yet made. `A` is what a failure gives, `B` what a success gives. */
export class Outcome<E, A, B> {
  readonly #validation: Judged<E>
  readonly #onFailure: ((params: Params, errors: E) => A) | undefined
  readonly #onSuccess: ((params: Params) => B) | undefined

  constructor(
    validation: Judged<E>,
    onFailure: ((params: Params, errors: E) => A) | undefined,
    onSuccess: ((params: Params) => B) | undefined,
  ) {
    this.#validation = validation
    this.#onFailure = onFailure
    this.#onSuccess = onSuccess
  }

  success<C>(onSuccess: (params: Params) => C): Outcome<E, A, C> {
    return new Outcome(this.#validation, this.#onFailure, onSuccess)
  }

  failure<C>(onFailure: (params: Params, errors: E) => C): Outcome<E, C, B> {
    return new Outcome(this.#validation, onFailure, this.#onSuccess)
  }

  /** Validates and calls the function that fits. @throws FwError `validation.outcome-missing` when it was not named. */
  apply(): A | B {
    const { params } = this.#validation
    if (this.#validation.validate()) return required(this.#onSuccess, 'success')(params)
    return required(this.#onFailure, 'failure')(params, this.#validation.errors)
  }
}

function required<F>(side: F | undefined, name: string): F {
  if (side !== undefined) return side
  throw new FwError(
    'validation.outcome-missing',
    `The validation ended in ${name}, for which no function was named; call .${name}(…) before .apply().`,
  )
}
