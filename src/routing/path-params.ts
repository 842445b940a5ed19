/** What a match captured from the path, decoded when first read. */
import { RequestPath } from '../http.ts'
import { subjectOf, type Candidate } from './candidate.ts'
import { splatName, type Variant } from './pattern.ts'
import { spans } from './scan.ts'

type Value = string | undefined
const none: readonly string[] = Object.freeze([])

/**
 * Path parameters by name: several values, in order, when a pattern uses a name twice; one that took no part is absent.
 * Named groups of a regular expression are parameters too.
 *
 * @spec Resources and their fields › Parameter access
 */
export class PathParams {
  readonly #names: readonly string[]
  readonly #values: readonly Value[]
  /** What each `*` matched, in order. */
  readonly splat: readonly string[]
  /** All groups of a regular expression, in order; `undefined` for one that took no part. */
  readonly captures: readonly Value[]

  constructor(names: readonly string[], values: readonly Value[], captures: readonly Value[] = none) {
    this.#names = names
    this.#values = values
    this.captures = captures
    this.splat = names.includes(splatName) ? (this.#all(splatName) ?? none) : none
  }

  /** All values of a name; absent when it is no parameter of the route or took no part. */
  get(name: string): readonly string[] | undefined {
    return name === splatName ? undefined : this.#all(name)
  }

  /** The names that have a value, in order. */
  keys(): Iterable<string> {
    const present = this.#names.filter((name, i) => name !== splatName && this.#values[i] !== undefined)
    return new Set(present)
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
export function paramsOf(candidate: Candidate<unknown>, key: string): PathParams {
  const subject = subjectOf(candidate, key)
  if (candidate.variant !== undefined) return ofVariant(candidate.variant, subject)
  const { matcher } = candidate.entry
  return matcher instanceof RegExp ? ofGroups(matcher, subject) : new PathParams(none, none)
}

function ofVariant({ steps, rest, names }: Variant, subject: string): PathParams {
  const values: Value[] = []
  let at = 0
  for (const step of steps) {
    let end = at
    if (step.kind === 'text') {
      end += step.text.length
    } else {
      end = subject.indexOf('/', at)
      if (end < 0) end = subject.length
      values.push(RequestPath.textOf(subject.slice(at, end)))
    }
    at = end
  }
  if (rest.length > 0) addRest(values, rest, subject, at)
  return new PathParams(names, values)
}

function addRest(values: Value[], rest: Variant['rest'], subject: string, from: number): void {
  const found = spans(rest, subject, from) ?? []
  for (let i = 0; i < found.length; i += 2) {
    const begin = found[i]!
    values.push(begin < 0 ? undefined : RequestPath.textOf(subject.slice(begin, found[i + 1])))
  }
}

function ofGroups(expression: RegExp, subject: string): PathParams {
  const match = expression.exec(subject)
  const captures = match?.slice(1).map(textOrNone) ?? none
  const named = Object.entries(match?.groups ?? {})
  return new PathParams(named.map(([name]) => name), named.map(([, value]) => textOrNone(value)), captures)
}

function textOrNone(value: Value): Value {
  return value === undefined ? undefined : RequestPath.textOf(value)
}
