/** What a lookup found. */
import type { RequestPath } from '../http.ts'
import type { Candidate, Candidates } from './candidate.ts'
import { paramsOf, type PathParams } from './path-params.ts'

/**
 * A route that matches a path; immutable, its parameters are read from the path when first asked
 * for.
 */
export class Match<T> {
  readonly target: T
  readonly #candidates: Candidates<T>
  readonly #path: RequestPath
  readonly #candidate: Candidate<T>
  #params: PathParams | undefined

  constructor(
    candidates: Candidates<T>,
    path: RequestPath,
    candidate: Candidate<T>,
    params?: PathParams,
  ) {
    this.target = candidate.entry.target
    this.#candidates = candidates
    this.#path = path
    this.#candidate = candidate
    this.#params = params
  }

  get params(): PathParams {
    this.#params ??= paramsOf(this.#candidate, this.#path)
    return this.#params
  }

  /** What each `*` of the pattern matched, in order; empty without any. */
  get splat(): readonly string[] {
    return this.params.splat
  }

  /**
   * The groups of a regular expression, in order, `undefined` for one that took no part; empty for
   * a pattern.
   */
  get captures(): readonly (string | undefined)[] {
    return this.params.captures
  }

  /** The next route that matches: for `pass()`, and when a condition does not hold. */
  next(): Match<T> | undefined {
    const candidate = this.#candidates.find(this.#path.key, this.#candidate.last)
    return candidate && new Match(this.#candidates, this.#path, candidate)
  }
}
