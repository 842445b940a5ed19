/** The result of a lookup: the matching route and the parameters of its path. */
import type { RequestPath } from '../http.ts'
import { splatName, type Pattern, type Variant } from './pattern.ts'
import { captureSpans, findSegmentEnd } from './scan.ts'

/** A route of a mounted controller. A match returns its `target`. */
export interface TableEntry<T> {
  /** The method in upper case. */
  readonly method: string
  /**
   * The pattern; undefined for a route that matches every path. A regular expression must have neither the flag `g` nor
   * `y`, which `Route` removes.
   */
  readonly matcher: Pattern | RegExp | undefined
  /** The decoded context path and mount path; undefined or '' at the root. */
  readonly prefix?: string | undefined
  /** The controller's position in the mount order: the first controller with a matching route runs. */
  readonly order: number
  /** The route's position in the declaration order. Of equally specific routes, the last one runs. */
  readonly declared: number
  /** True if the route has a condition. It then precedes a route with the same pattern and no condition. */
  readonly hasCondition: boolean
  readonly target: T
}

/**
 * One variant of an entry's pattern; a pattern with optional groups has several, tried in the order of `rank`. `last`
 * is the highest rank of the same entry. A search for ranks above `last` skips the entry's other candidates.
 */
export interface Candidate<T> {
  readonly entry: TableEntry<T>
  /** The variant of the pattern; undefined for a regular expression, and for an entry that matches every path. */
  readonly variant: Variant | undefined
  readonly rank: number
  readonly last: number
  /** The length of the entry's prefix. */
  readonly offset: number
}

/** The method of the routing tree that a match calls. */
export interface CandidateFinder<T> {
  /** Returns the matching candidate with the lowest rank above `after`. */
  find(key: string, after: number): Candidate<T> | undefined
}

/** Returns the path below the entry's prefix; `/` when nothing follows the prefix. */
export function pathBelowPrefix(candidate: Candidate<unknown>, key: string): string {
  if (candidate.offset === 0) return key
  return key.length === candidate.offset ? '/' : key.slice(candidate.offset)
}

/** A route that matches a path; immutable. */
export interface Match<T> {
  readonly target: T
  readonly params: PathParams
  /** Returns the next matching route, to try after `pass()` or a false condition. */
  next(): Match<T> | undefined
}

/** The match of an entry of the routing tree. The parameters are extracted on first use. */
export class TreeMatch<T> implements Match<T> {
  readonly target: T
  readonly #finder: CandidateFinder<T>
  readonly #path: RequestPath
  readonly #candidate: Candidate<T>
  #params: PathParams | undefined

  constructor(
    finder: CandidateFinder<T>,
    path: RequestPath,
    candidate: Candidate<T>,
    params?: PathParams,
  ) {
    this.target = candidate.entry.target
    this.#finder = finder
    this.#path = path
    this.#candidate = candidate
    this.#params = params
  }

  get params(): PathParams {
    this.#params ??= readPathParams(this.#candidate, this.#path)
    return this.#params
  }

  next(): Match<T> | undefined {
    const candidate = this.#finder.find(this.#path.key, this.#candidate.last)
    return candidate && new TreeMatch(this.#finder, this.#path, candidate)
  }
}

type Value = string | undefined
const none: readonly never[] = Object.freeze([])

/**
 * The path parameters by name: the values of `:name`, and of the named groups of a regular expression.
 * @spec Resources and their fields › Parameter access
 */
export class PathParams {
  readonly #names: readonly string[]
  readonly #values: readonly Value[]
  /** The values of a regular expression's groups, in order; `undefined` for an unmatched group. Empty for a pattern. */
  readonly captures: readonly Value[]

  constructor(
    names: readonly string[],
    values: readonly Value[],
    captures: readonly Value[] = none,
  ) {
    this.#names = names
    this.#values = values
    this.captures = captures
  }

  /** Returns all values of a name, in order; undefined for an unknown name or an optional part that did not match. */
  get(name: string): readonly string[] | undefined {
    return name === splatName ? undefined : this.#all(name)
  }

  /** Returns the first value of a name; undefined for an unknown name, and for an optional part that did not match. */
  first(name: string): string | undefined {
    if (name === splatName) return undefined
    for (let i = 0; i < this.#names.length; i++) {
      if (this.#names[i] === name && this.#values[i] !== undefined) return this.#values[i]
    }
    return undefined
  }

  /** Returns the names that have a value, in order. */
  keys(): Iterable<string> {
    const present = this.#names.filter(
      (name, i) => name !== splatName && this.#values[i] !== undefined,
    )
    return new Set(present)
  }

  /** The values of each `*`, in order. */
  get splat(): readonly string[] {
    return this.#all(splatName) ?? none
  }

  #all(name: string): readonly string[] | undefined {
    let found: string[] | undefined
    for (let i = 0; i < this.#names.length; i++) {
      const value = this.#values[i]
      if (this.#names[i] !== name || value === undefined) continue
      if (found === undefined) found = [value]
      else found.push(value)
    }
    return found
  }
}

/** Creates the match of a target that matches every path, without parameters. */
export const matchOf = <T>(target: T): Match<T> => ({
  target,
  params: new PathParams(none, none),
  next: () => undefined,
})

/** Extracts the parameters of a path that the candidate matches. */
function readPathParams(candidate: Candidate<unknown>, path: RequestPath): PathParams {
  const below = pathBelowPrefix(candidate, path.key)
  if (candidate.variant !== undefined) return readVariant(candidate.variant, below, path)
  const { matcher } = candidate.entry
  return matcher instanceof RegExp ? readGroups(matcher, below, path) : new PathParams(none, none)
}

/**
 * Extracts the parameters of a candidate. The first `count` numbers of `bounds` are the start and end of each value in
 * the path. Returns undefined if the candidate has a different number of values.
 */
export function pathParamsFromBounds(
  { variant }: Candidate<unknown>,
  path: RequestPath,
  bounds: readonly number[],
  count: number,
): PathParams | undefined {
  if (variant === undefined || variant.names.length * 2 !== count) return undefined
  // oxlint-disable-next-line unicorn/no-new-array -- growing it costs as much as filling it
  const values: Value[] = new Array(variant.names.length)
  for (let i = 0; i < values.length; i++) {
    values[i] = path.restoreSlashes(path.key.slice(bounds[2 * i], bounds[2 * i + 1]))
  }
  return new PathParams(variant.names, values)
}

function readVariant(
  { steps, rest, names }: Variant,
  below: string,
  path: RequestPath,
): PathParams {
  // oxlint-disable-next-line unicorn/no-new-array -- growing it costs as much as filling it
  const values: Value[] = new Array(names.length)
  let count = 0
  let at = 0
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i]!
    if (step.kind === 'text') {
      at += step.text.length
    } else {
      const end = findSegmentEnd(below, at)
      values[count++] = path.restoreSlashes(below.slice(at, end))
      at = end
    }
  }
  const spans = rest.length === 0 ? none : (captureSpans(rest, below, at) ?? none)
  for (let i = 0; i < spans.length; i += 2) {
    const start = spans[i]!
    values[count++] = start < 0 ? undefined : path.restoreSlashes(below.slice(start, spans[i + 1]))
  }
  return new PathParams(names, values)
}

function readGroups(expression: RegExp, below: string, path: RequestPath): PathParams {
  const decode = (value: Value): Value =>
    value === undefined ? undefined : path.restoreSlashes(value)
  const match = expression.exec(below)
  const named = Object.entries(match?.groups ?? {})
  return new PathParams(
    named.map(([name]) => name),
    named.map(([, value]) => decode(value)),
    match?.slice(1).map(decode) ?? none,
  )
}
