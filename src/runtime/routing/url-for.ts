/** Creates the URL of a route from the values of its parameters. */
import { didYouMean, FwError } from '../base.ts'
import { Pattern, splatName, type Part } from './pattern.ts'
import type { Route } from './route.ts'
import type { UrlQuery } from './url-params.ts'

/** Untyped URL parameters: values by name, and the texts of `splat`. */
export type AnyUrlParams = Readonly<Record<string, unknown>>

const noParams: AnyUrlParams = Object.freeze({})
/** Matches text that needs no encoding in a path (RFC 3986: pchar and `/`). */
const unencodedText = /^[\w\-.~!$&'()*+,;=:@/]*$/
const encodedText = /[^\w\-.~!$&'()*+,;=:@/]+/g
const dotSegment = /(?:^|\/)\.\.?(?:\/|$)/

/**
 * Returns the percent-encoded path and query of a route, without context path and mount path. A slash in a value is
 * encoded, except in a text of `splat`. Includes an optional part when its value is given, and an optional character
 * (the `/` of `/?`) only before an optional parameter with a value.
 * @throws FwError `routing.not-reversible` for a route without a pattern
 * @throws FwError `routing.url-invalid` for missing, empty, unknown or superfluous values, and for a path that a
 * browser would change: with a `.` or `..` segment, or with `//` at its start
 * @spec Resources and their fields › View helper
 */
export function urlFor(route: Route, params: AnyUrlParams = noParams, query?: UrlQuery): string {
  const { matcher } = route
  if (!(matcher instanceof Pattern)) throw notReversible(route)
  const path = writePlain(matcher, params) ?? new PathWriter(route, params).write(matcher)
  return query === undefined ? path : path + formatQuery(query)
}

/** A path without optional parts: the texts around the values of its parameters. */
interface PlainPath {
  readonly names: readonly string[]
  readonly texts: readonly string[]
}

const plainPaths = new WeakMap<Pattern, PlainPath | 'none'>()
/** Matches a value that needs no encoding, and with which no segment is `.` or `..`. */
const plainValue = /^[\w~!*'()-]+$/

/**
 * Returns the path for parameters that are exactly the required ones of the pattern. Returns `undefined` for other parameters,
 * and for values that `PathWriter` must check or encode.
 */
function writePlain(pattern: Pattern, params: AnyUrlParams): string | undefined {
  let plain = plainPaths.get(pattern)
  if (plain === undefined) plainPaths.set(pattern, (plain = compilePlain(pattern)))
  if (plain === 'none') return undefined
  const { names, texts } = plain
  if (Object.keys(params).length !== names.length) return undefined
  let path = texts[0]!
  for (let i = 0; i < names.length; i++) {
    const name = names[i]!
    const value = Object.hasOwn(params, name) ? params[name] : undefined
    const text = typeof value === 'number' ? String(value) : value
    if (typeof text !== 'string' || !plainValue.test(text)) return undefined
    path += text + texts[i + 1]!
  }
  return path
}

function compilePlain({ parts, names: all, variants }: Pattern): PlainPath | 'none' {
  const names: string[] = []
  const texts = ['']
  for (const part of parts) {
    if (part.kind === 'splat') return 'none'
    if (part.kind === 'group' || part.optional) continue
    if (part.kind === 'text') texts[names.length] += encodeLiteral(part.text)
    else texts[names.push(part.name)] = ''
  }
  // A name that the pattern repeats may decide about an optional part.
  const isRepeated = variants[0]!.names.filter((name) => name !== splatName).length > all.length
  return isRepeated || !isValidPath(texts.join('x')) ? 'none' : { names, texts }
}

const isValidPath = (path: string): boolean => /^\/(?!\/)/.test(path) && !dotSegment.test(path)

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

  write(pattern: Pattern): string {
    const path = this.#writeParts(pattern.parts)
    this.#checkAllUsed(pattern)
    if (!path.startsWith('/') || path.startsWith('//')) {
      throw this.#invalid(
        `would be "${path}", but a path begins with exactly one "/": change its splat`,
      )
    }
    if (dotSegment.test(path)) {
      throw this.#invalid(
        `would be "${path}", whose "." or ".." a browser removes: give another value`,
      )
    }
    return path
  }

  #writeParts(parts: readonly Part[]): string {
    let path = ''
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i]!
      if (part.kind === 'group')
        path += this.#groupHasValues(part.parts) ? this.#writeParts(part.parts) : ''
      else if (part.kind === 'name') path += this.#writeName(part.name, part.optional)
      else if (part.kind === 'splat') path += this.#writeSplat(part.optional)
      else if (!part.optional || this.#precedesValue(parts[i + 1])) path += encodeLiteral(part.text)
    }
    return path
  }

  #writeName(name: string, optional: boolean): string {
    this.#used.push(name)
    const text = this.#text(name)
    if (text === '' && !optional) {
      throw this.#invalid(
        `needs a value for "${name}" that is not empty: pass it, as in { ${name}: 1 }`,
      )
    }
    return encodeURIComponent(text)
  }

  #writeSplat(optional: boolean): string {
    const value = this.#splat[this.#splatsUsed]
    if (value === undefined && optional) return ''
    if (value === undefined) {
      throw this.#invalid(
        `needs a text in "splat" for each "*", but got ${this.#splat.length}: add to { splat: [...] }`,
      )
    }
    this.#splatsUsed += 1
    return this.#toText('splat', value).split('/').map(encodeURIComponent).join('/')
  }

  /** Returns the text of a parameter; '' without a value. */
  #text(name: string): string {
    return Object.hasOwn(this.#params, name) ? this.#toText(name, this.#params[name]) : ''
  }

  #toText(name: string, value: unknown): string {
    if (value === undefined || value === null) return ''
    if (typeof value === 'string') return value.toWellFormed()
    if (typeof value === 'number' || typeof value === 'bigint') return String(value)
    throw this.#invalid(
      `takes a text or a number for "${name}", not ${typeof value}: convert it first`,
    )
  }

  #precedesValue(next: Part | undefined): boolean {
    return next?.kind === 'name' && next.optional && this.#text(next.name) !== ''
  }

  /** Returns true if all required values of the group are given, and at least one value. */
  #groupHasValues(parts: readonly Part[]): boolean {
    let some = false
    for (const part of parts) {
      if (part.kind === 'text') continue
      const given = this.#hasValue(part)
      if (!given && part.kind !== 'group' && !part.optional) return false
      some ||= given
    }
    return some
  }

  #hasValue(part: Part): boolean {
    if (part.kind === 'group') return this.#groupHasValues(part.parts)
    if (part.kind === 'name') return this.#text(part.name) !== ''
    return this.#splatsUsed < this.#splat.length
  }

  #checkAllUsed({ names }: Pattern): void {
    if (this.#splatsUsed < this.#splat.length) {
      throw this.#invalid(
        `uses ${this.#splatsUsed} of the ${this.#splat.length} texts in "splat": remove the others`,
      )
    }
    for (const name of Object.keys(this.#params)) {
      if (name === 'splat' || this.#used.includes(name) || this.#text(name) === '') continue
      throw this.#unused(name, names)
    }
  }

  #unused(name: string, names: readonly string[]): FwError {
    if (names.includes(name)) {
      return this.#invalid(`cannot include "${name}" alone: give the other values of its group too`)
    }
    const suggestion = didYouMean(name, names)
    const remedy =
      suggestion === undefined
        ? 'pass it in the query, the third argument'
        : `did you mean "${suggestion}"?`
    return this.#invalid(`has no parameter "${name}": ${remedy}`)
  }

  #invalid(what: string): FwError {
    return new FwError('routing.url-invalid', `The URL of ${describeRoute(this.#route)} ${what}.`)
  }
}

function notReversible(route: Route): FwError {
  const why = route.matcher === undefined ? 'it has no pattern' : 'it is a regular expression'
  return new FwError(
    'routing.not-reversible',
    `${describeRoute(route)} has no URL, because ${why}: declare a pattern such as "/files/*", or write the path yourself.`,
  )
}

function describeRoute({ method, pattern, routeName }: Route): string {
  const declared = `${method} ${pattern}`.trimEnd()
  return routeName === undefined ? `route ${declared}` : `route "${routeName}" (${declared})`
}

function encodeLiteral(text: string): string {
  return unencodedText.test(text) ? text : text.replace(encodedText, encodeURIComponent)
}

/** Formats a query: `?` and the encoded pairs in the order of the keys; '' without pairs. */
export function formatQuery(query: UrlQuery | undefined): string {
  if (query === undefined) return ''
  let text = ''
  for (const key of Object.keys(query)) {
    const value = query[key]
    const values = Array.isArray(value) ? value : [value]
    for (const item of values) {
      if (item !== undefined)
        text += `${text === '' ? '?' : '&'}${encode(key)}=${encode(String(item))}`
    }
  }
  return text
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
