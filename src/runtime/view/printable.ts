/** The values that a template may print, and their conversion to text. */
import { FwError, keptDateText, OutOfRangeValue } from '../base.ts'
import { JsonNumber } from '../http.ts'
import { SafeHtml } from './safe-html.ts'

/** A URL of any scheme that the application vouches for: the result of `safeUrl`. Elsewhere it prints as a text. */
export class SafeUrl {
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  toString(): string {
    return this.#url
  }

  toJSON(): string {
    return this.#url
  }
}

/** A Temporal value, either of the runtime or of the polyfill. */
export interface TemporalValue {
  readonly [Symbol.toStringTag]: `Temporal.${string}`
  toString(): string
}

/** The values that `${…}` accepts: `undefined` and `null` print nothing, dates print as ISO 8601. Others are rejected. */
export type Printable =
  | string
  | number
  | bigint
  | boolean
  | null
  | undefined
  | SafeHtml
  | SafeUrl
  | Date
  | TemporalValue

function isTemporal(value: object): boolean {
  const tag: unknown = (value as Partial<TemporalValue>)[Symbol.toStringTag]
  return typeof tag === 'string' && tag.startsWith('Temporal.')
}

/** Converts `value` to text without escaping. @throws FwError `view.not-printable` for an object, function, promise or symbol */
export function plainText(value: Printable): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  if (value instanceof SafeHtml || value instanceof SafeUrl) return value.toString()
  if (value instanceof Date) return value.toISOString()
  if (value instanceof JsonNumber || value instanceof OutOfRangeValue) return String(value)
  const kind = typeof value
  if (kind === 'number' || kind === 'boolean' || kind === 'bigint') return String(value)
  if (kind === 'object' && isTemporal(value as object))
    return keptDateText(value as object) ?? String(value)
  throw new FwError(
    'view.not-printable',
    `A template cannot print ${nameOf(value)}. ${mend(value)}`,
  )
}

function nameOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`
  const name = Object.getPrototypeOf(value)?.constructor?.name
  return typeof name === 'string' && name !== 'Object' ? `a value of class ${name}` : 'an object'
}

function mend(value: unknown): string {
  if (value instanceof Promise) return 'Write ${await …}.'
  if (typeof value === 'function') return 'Call it.'
  return 'Print one of its fields.'
}
