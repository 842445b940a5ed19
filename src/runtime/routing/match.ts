/** The result of a lookup: the matching route and the parameters of its path. */
import type { RequestPath } from '../http.ts'
import { splatName, type Pattern, type Variant } from './pattern.ts'
import { captureSpans, findSegmentEnd } from './scan.ts'

/** One route of one mounted controller. `target` is the value that a match returns. */
export interface TableEntry<T> {
  /** Upper case. */
  readonly method: string
  /** Absent: every path matches. A regular expression must have neither `g` nor `y`; `Route` removes them. */
  readonly matcher: Pattern | RegExp | undefined
  /** The context path and the mount path, decoded; absent or '' at the root. */
  readonly prefix?: string | undefined
  /** The controller's position in the mount order: of several matching routes, that of the first controller runs. */
  readonly order: number
  /** The route's position in the declaration order: of equally specific routes the last one wins. */
  readonly declared: number
  /** True if the route depends on a condition: it then precedes the same pattern without one. */
  readonly hasCondition: boolean
  readonly target: T
}

/**
 * One way in which a path can match an entry. A pattern with optional groups has several, tried in the order of `rank`.
 * `last` is the highest rank of the same entry: continuing after it skips the entry's other candidates.
 */
export interface Candidate<T> {
  readonly entry: TableEntry<T>
  /** Absent for a regular expression and for an entry that matches every path. */
  readonly variant: Variant | undefined
  readonly rank: number
  readonly last: number
  /** The length of the entry's prefix. */
  readonly offset: number
}

/** The part of the routing tree that a match uses. */
export interface CandidateFinder<T> {
  /** The matching candidate with the lowest rank above `after`. */
  find(key: string, after: number): Candidate<T> | undefined
}

/** The path below the entry's prefix; `/` when nothing follows the prefix. */
export function pathBelowPrefix(candidate: Candidate<unknown>, key: string): string {
  if (candidate.offset === 0) return key
  return key.length === candidate.offset ? '/' : key.slice(candidate.offset)
}

/** A route that matches a path; immutable. The parameters are read on first use. */
export class Match<T> {
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

  /** The next matching route, to try after `pass()` or a false condition. */
  next(): Match<T> | undefined {
    const candidate = this.#finder.find(this.#path.key, this.#candidate.last)
    return candidate && new Match(this.#finder, this.#path, candidate)
  }
}

type Value = string | undefined
const none: readonly never[] = Object.freeze([])

/**
 * Path parameters by name: the values of `:name`, and the named groups of a regular expression.
 * @spec Resources and their fields › Parameter access
 */
export class PathParams {
  readonly #names: readonly string[]
  readonly #values: readonly Value[]
  /** All groups of a regular expression, in order, `undefined` for one that did not match; empty for a pattern. */
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

  /** All values of a name, in order. Undefined for an unknown name, and for an optional part that did not match. */
  get(name: string): readonly string[] | undefined {
    return name === splatName ? undefined : this.#all(name)
  }

  /** The first value of a name; undefined as for `get`. */
  first(name: string): string | undefined {
    if (name === splatName) return undefined
    for (let i = 0; i < this.#names.length; i++) {
      if (this.#names[i] === name && this.#values[i] !== undefined) return this.#values[i]
    }
    return undefined
  }

  /** The names that have a value, in order. */
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

/** The parameters of a path that the candidate matches. */
function readPathParams(candidate: Candidate<unknown>, path: RequestPath): PathParams {
  const below = pathBelowPrefix(candidate, path.key)
  if (candidate.variant !== undefined) return readVariant(candidate.variant, below, path)
  const { matcher } = candidate.entry
  return matcher instanceof RegExp ? readGroups(matcher, below, path) : new PathParams(none, none)
}

/**
 * The parameters of a candidate from the first `count` numbers of `bounds`: the start and end of each value in the path.
 * Undefined if the candidate captures more values than that.
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
