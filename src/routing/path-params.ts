/** What a match captured from the path, decoded when first read. */
import type { RequestPath } from '../http.ts'
import { subjectOf, type Candidate } from './candidate.ts'
import { splatName, type Variant } from './pattern.ts'
import { spans } from './scan.ts'
import { segmentEnd } from './segment-end.ts'

type Value = string | undefined
const none: readonly never[] = Object.freeze([])

/**
 * Path parameters by name: several values, in order, when a pattern uses a name twice; one that
 * took no part is absent. Named groups of a regular expression are parameters too.
 *
 * @spec Resources and their fields › Parameter access
 */
export class PathParams {
  readonly #names: readonly string[]
  readonly #values: readonly Value[]
  /** All groups of a regular expression, in order; `undefined` for one that took no part. */
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

  /** All values of a name; absent when it is no parameter of the route or took no part. */
  get(name: string): readonly string[] | undefined {
    return name === splatName ? undefined : this.#all(name)
  }

  /** The value of a name, the first one of several; absent as for `get`. */
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

  /** What each `*` matched, in order. */
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

/** Reads the parameters of a path that the candidate matches. */
export function paramsOf(candidate: Candidate<unknown>, path: RequestPath): PathParams {
  const subject = subjectOf(candidate, path.key)
  if (candidate.variant !== undefined) return ofVariant(candidate.variant, subject, path)
  const { matcher } = candidate.entry
  return matcher instanceof RegExp ? ofGroups(matcher, subject, path) : new PathParams(none, none)
}

/**
 * The parameters of a candidate whose names were met on the way to it, given where each begins and
 * ends in the path; absent when it has others too.
 */
export function paramsBetween(
  { variant }: Candidate<unknown>,
  path: RequestPath,
  bounds: readonly number[],
  count: number,
): PathParams | undefined {
  if (variant === undefined || variant.names.length * 2 !== count) return undefined
  // oxlint-disable-next-line unicorn/no-new-array -- growing it costs as much as filling it
  const values: Value[] = new Array(variant.names.length)
  for (let i = 0; i < values.length; i++) {
    values[i] = path.textOf(path.key.slice(bounds[2 * i], bounds[2 * i + 1]))
  }
  return new PathParams(variant.names, values)
}

function ofVariant(
  { steps, rest, names }: Variant,
  subject: string,
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
      const end = segmentEnd(subject, at)
      values[count++] = path.textOf(subject.slice(at, end))
      at = end
    }
  }
  const found = rest.length === 0 ? none : (spans(rest, subject, at) ?? none)
  for (let i = 0; i < found.length; i += 2) {
    const begin = found[i]!
    values[count++] = begin < 0 ? undefined : path.textOf(subject.slice(begin, found[i + 1]))
  }
  return new PathParams(names, values)
}

function ofGroups(expression: RegExp, subject: string, path: RequestPath): PathParams {
  const text = (value: Value): Value => (value === undefined ? undefined : path.textOf(value))
  const match = expression.exec(subject)
  const named = Object.entries(match?.groups ?? {})
  const values = named.map(([, value]) => text(value))
  return new PathParams(
    named.map(([name]) => name),
    values,
    match?.slice(1).map(text) ?? none,
  )
}
