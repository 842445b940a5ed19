/** What a lookup found. */
import type { RequestPath } from '../http.ts'
import type { Candidate } from './candidate.ts'
import { paramsOf, type PathParams } from './path-params.ts'
import type { Tree } from './tree.ts'

/**
 * A route that matches a path; immutable, its parameters are read from the path when first asked
 * for.
 */
export class Match<T> {
  readonly target: T
  readonly #tree: Tree<T>
  readonly #path: RequestPath
  readonly #candidate: Candidate<T>
  #params: PathParams | undefined

  constructor(tree: Tree<T>, path: RequestPath, candidate: Candidate<T>, params?: PathParams) {
    this.target = candidate.entry.target
    this.#tree = tree
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
    const candidate = this.#tree.find(this.#path.key, this.#candidate.last)
    return candidate && new Match(this.#tree, this.#path, candidate)
  }
}
