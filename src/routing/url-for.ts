/** From a route back to its URL. */
import { didYouMean, FwError } from '../base.ts'
import type { Part } from './parse-pattern.ts'
import { Pattern } from './pattern.ts'
import { queryText } from './query-text.ts'
import type { Route } from './route.ts'
import type { UrlQuery } from './url-params.ts'

/** Params as they come when types are out of sight: values of names, and `splat`. */
export type AnyUrlParams = Readonly<Record<string, unknown>>

const noParams: AnyUrlParams = Object.freeze({})
/** What stands for itself in a path (RFC 3986, pchar and `/`). */
const plainText = /^[\w\-.~!$&'()*+,;=:@/]*$/
const otherText = /[^\w\-.~!$&'()*+,;=:@/]+/g
const dotSegment = /(?:^|\/)\.\.?(?:\/|$)/

/**
 * The path and query of a route, percent-encoded, without context path and mount path: put those
 * before it. Each value is encoded as one piece of a segment; a text of `splat` keeps its slashes.
 * What is optional is there when a value is given for it, an optional character (the `/` of `/?`)
 * only before such a value.
 *
 * @throws FwError `routing.not-reversible` for a route without a pattern
 * @throws FwError `routing.url-invalid` for values missing, empty, unknown or too many, for too few
 * or too many texts in `splat`, and for values that a browser would resolve away (`.`, `..`) or
 * take for a host
 * @spec Resources and their fields › View helper
 */
export function urlFor(route: Route, params: AnyUrlParams = noParams, query?: UrlQuery): string {
  if (!(route.matcher instanceof Pattern)) throw notReversible(route)
  const path = new PathWriter(route, params).path(route.matcher)
  return query === undefined ? path : path + queryText(query)
}

class PathWriter {
  readonly #route: Route
  readonly #params: AnyUrlParams
  readonly #splat: readonly unknown[]
  #splatsUsed = 0
  readonly #used: string[] = []

  constructor(route: Route, params: AnyUrlParams) {
    this.#route = route
    this.#params = params
    const splat = Object.hasOwn(params, 'splat') ? params['splat'] : undefined
    this.#splat = Array.isArray(splat) ? splat : splat === undefined ? [] : [splat]
  }

  path(pattern: Pattern): string {
    const path = this.#write(pattern.parts)
    this.#checkAllUsed(pattern)
    if (!path.startsWith('/') || path.startsWith('//')) {
      throw this.#invalid(
        `would be "${path}", but a path begins with one "/" and no more: mend its splat`,
      )
    }
    if (dotSegment.test(path)) {
      throw this.#invalid(
        `would be "${path}", whose "." or ".." a browser resolves away: give another value`,
      )
    }
    return path
  }

  #write(parts: readonly Part[]): string {
    let path = ''
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i]!
      if (part.kind === 'group') path += this.#takesPart(part.parts) ? this.#write(part.parts) : ''
      else if (part.kind === 'name') path += this.#name(part.name, part.optional)
      else if (part.kind === 'splat') path += this.#nextSplat(part.optional)
      else if (!part.optional || this.#leadsToValue(parts[i + 1])) path += encodeLiteral(part.text)
    }
    return path
  }

  #name(name: string, optional: boolean): string {
    this.#used.push(name)
    const text = this.#text(name)
    if (text === '' && !optional) {
      throw this.#invalid(
        `needs a value for "${name}" that is not empty: pass it, as in { ${name}: 1 }`,
      )
    }
    return encodeURIComponent(text)
  }

  #nextSplat(optional: boolean): string {
    const value = this.#splat[this.#splatsUsed]
    if (value === undefined && optional) return ''
    if (value === undefined) {
      const given = this.#splat.length
      throw this.#invalid(
        `needs a text in "splat" for each "*", but ${given} given: add to { splat: [...] }`,
      )
    }
    this.#splatsUsed += 1
    return this.#textOf('splat', value).split('/').map(encodeURIComponent).join('/')
  }

  /** '' when there is no value. */
  #text(name: string): string {
    return Object.hasOwn(this.#params, name) ? this.#textOf(name, this.#params[name]) : ''
  }

  #textOf(name: string, value: unknown): string {
    if (value === undefined || value === null) return ''
    if (typeof value === 'string') return value.toWellFormed()
    if (typeof value === 'number' || typeof value === 'bigint') return String(value)
    throw this.#invalid(
      `takes a text or a number for "${name}", not ${typeof value}: convert it first`,
    )
  }

  #leadsToValue(next: Part | undefined): boolean {
    return next?.kind === 'name' && next.optional && this.#text(next.name) !== ''
  }

  /** A group is written when it has values: all that it must have, and at least one. */
  #takesPart(parts: readonly Part[]): boolean {
    let some = false
    for (const part of parts) {
      if (part.kind === 'text') continue
      const given = this.#isGiven(part)
      if (!given && part.kind !== 'group' && !part.optional) return false
      some ||= given
    }
    return some
  }

  #isGiven(part: Part): boolean {
    if (part.kind === 'group') return this.#takesPart(part.parts)
    if (part.kind === 'name') return this.#text(part.name) !== ''
    return this.#splatsUsed < this.#splat.length
  }

  #checkAllUsed({ names }: Pattern): void {
    if (this.#splatsUsed < this.#splat.length) {
      throw this.#invalid(
        `has room for ${this.#splatsUsed} of the ${this.#splat.length} texts in "splat": drop the others`,
      )
    }
    for (const name of Object.keys(this.#params)) {
      if (name === 'splat' || this.#used.includes(name) || this.#text(name) === '') continue
      throw this.#unused(name, names)
    }
  }

  #unused(name: string, names: readonly string[]): FwError {
    if (names.includes(name)) {
      return this.#invalid(`cannot place "${name}" alone: give the other values of its group too`)
    }
    const meant = didYouMean(name, names)
    const mend =
      meant === undefined ? 'pass it in the query, the third argument' : `did you mean "${meant}"?`
    return this.#invalid(`has no parameter "${name}": ${mend}`)
  }

  #invalid(what: string): FwError {
    return new FwError('routing.url-invalid', `The URL of ${nameOf(this.#route)} ${what}.`)
  }
}

function notReversible(route: Route): FwError {
  const why = route.matcher === undefined ? 'it has no pattern' : 'it is a regular expression'
  return new FwError(
    'routing.not-reversible',
    `${nameOf(route)} has no URL, because ${why}: declare a pattern such as "/files/*", or write the path yourself.`,
  )
}

function nameOf({ method, pattern, routeName }: Route): string {
  const declared = `${method} ${pattern}`.trimEnd()
  return routeName === undefined ? `route ${declared}` : `route "${routeName}" (${declared})`
}

function encodeLiteral(text: string): string {
  return plainText.test(text) ? text : text.replace(otherText, encodeURIComponent)
}
