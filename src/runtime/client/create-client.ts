/** `createClient`: a client whose types come from the application's controllers. Imports no code of the server. */
import type { Client } from './client-types.ts'
import { createSend, encodeSegment, type ClientOptions, type RequestParts } from './send-request.ts'

type PathValues = Readonly<Record<string, unknown>>

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

/** Fills values into a route pattern, by the rules of the server's `url`. */
function fillPattern(pattern: string, values: PathValues): string {
  const splat: readonly unknown[] = [values['splat'] ?? []].flat()
  let splatsUsed = 0
  /** Returns whether an optional parameter with a value follows. */
  const precedesValue = (at: number): boolean =>
    isGiven(values[/^:(\w+)\?/.exec(pattern.slice(at))?.[1] ?? ''])
  /** Fills the pattern between two positions; returns `undefined` for an optional group whose values are missing. */
  const fill = (from: number, to: number, isGroup: boolean): string | undefined => {
    let path = ''
    let hasValue = false
    for (let at = from; at < to;) {
      const rest = pattern.slice(at, to)
      const close = rest.startsWith('(') ? groupEnd(rest) : -1
      const [token, name] = /^:(\w+)\??/.exec(rest) ?? /^[^]\??/u.exec(rest)!
      const optional = token.length > 1 && token.endsWith('?')
      at += close > 0 ? close + 2 : token.length
      if (close > 0) {
        const group = fill(at - close - 1, at - 2, true)
        hasValue ||= group !== undefined
        path += group ?? ''
      } else if (name !== undefined || token.startsWith('*')) {
        const value = name === undefined ? splat[splatsUsed++] : values[name]
        if (isGiven(value)) hasValue = true
        else if (isGroup && !optional) return undefined
        if (isGiven(value) || !optional) path += encodeValue(name, value)
        // An optional character is left out unless an optional parameter with a value follows it.
      } else if (!optional || precedesValue(at)) path += encodeURI(token.replace(/\?$/, ''))
    }
    return isGroup && !hasValue ? undefined : path
  }
  return fill(0, pattern.length, false)!
}

/** Returns the position of the `)` that ends an optional group `(…)?`; -1 if the parentheses are literal text. */
function groupEnd(text: string): number {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth += 1
    if (text[at] === ')') depth -= 1
    if (depth === 0) return text[at + 1] === '?' ? at : -1
  }
  return -1
}

/** Encodes the value of a parameter. The value of a splat (`*`) keeps its slashes. */
const encodeValue = (name: string | undefined, value: unknown): string =>
  name === undefined
    ? String(value ?? '')
        .split('/')
        .map((segment) => encodeSegment('splat', segment))
        .join('/')
    : encodeSegment(name, value)

/**
 * Returns a client for the controllers in `T`: one controller object or an object of several, imported only as a type.
 * Its functions take the pattern of a route as path, without a final `/?`, and with `.json` in place of `.:format`.
 */
export function createClient<T>(options: ClientOptions = {}): Client<T> {
  const send = createSend(options)
  const call =
    (method: string) =>
    async (pattern: string, { path = {}, ...request }: RequestParts = {}) =>
      await send({ method, path: fillPattern(pattern, path as PathValues) }, request)
  return {
    get: call('GET'),
    post: call('POST'),
    put: call('PUT'),
    patch: call('PATCH'),
    delete: call('DELETE'),
    query: call('QUERY'),
  } as unknown as Client<T>
}
