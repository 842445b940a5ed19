/** Converts the text of a value to the kind that the caller requests. */
import { parseAmount, parseDuration } from '../base.ts'

/** Kind of value → TypeScript type. Durations are in milliseconds, sizes in bytes. */
export interface Kinds {
  string: string
  /** A whole number within the safe-integer range. */
  int: number
  double: number
  boolean: boolean
  /** Whole milliseconds. In the file: `200ms`, `5s`, `1m`, `2h`, `7d`. */
  duration: number
  /** Whole bytes. In the file: `512`, `10KiB`, `1MiB`, `1GiB`, or decimal `1MB`. */
  size: number
}

export type Kind = keyof Kinds

const sizeUnits = new Map([
  ['', 1],
  ['B', 1],
  ['KiB', 1024],
  ['MiB', 1024 ** 2],
  ['GiB', 1024 ** 3],
  ['TiB', 1024 ** 4],
  ['kB', 1e3],
  ['KB', 1e3],
  ['MB', 1e6],
  ['GB', 1e9],
  ['TB', 1e12],
])
const booleans = new Map([
  ['true', true],
  ['yes', true],
  ['on', true],
  ['false', false],
  ['no', false],
  ['off', false],
])
const whole = /^(?:[-+]?\d{1,16}|0x[\da-fA-F]{1,14}|0o[0-7]{1,18})$/
const decimal = /^[-+]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][-+]?\d{1,3})?$/

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined
}

function safe(value: number): number | undefined {
  return Number.isSafeInteger(value) ? value : undefined
}

/**
 * Parses a size such as `512`, `10KiB`, `1.5MiB` or `1GB` to bytes. Returns `undefined` for an invalid text and for fractions
 * of a byte.
 */
export function parseSize(text: string): number | undefined {
  return parseAmount(text, sizeUnits)
}

interface Converter<T> {
  /** The end of an error message that begins with "must be". */
  readonly expected: string
  readonly convert: (text: string) => T | undefined
}

const converters: { readonly [K in Kind]: Converter<Kinds[K]> } = {
  string: { expected: 'a string', convert: (text) => text },
  int: {
    expected: 'a whole number',
    convert: (text) => (whole.test(text) ? safe(Number(text)) : undefined),
  },
  double: {
    expected: 'a number',
    convert: (text) => (decimal.test(text) ? finite(Number(text)) : undefined),
  },
  boolean: { expected: 'true or false', convert: (text) => booleans.get(text.toLowerCase()) },
  duration: { expected: 'a duration such as 200ms, 5s, 1m, 2h or 7d', convert: parseDuration },
  size: { expected: 'a size in bytes such as 512, 10KiB or 1MiB', convert: parseSize },
}

/**
 * Converts the text to `kind`; returns `undefined` if it does not convert. Spaces around a text are removed, except for the
 * kind `string`.
 */
export function convert<K extends Kind>(text: string, kind: K): Kinds[K] | undefined {
  return converters[kind].convert(kind === 'string' ? text : text.trim())
}

/** Returns the description of a kind that completes an error message beginning with "must be". */
export function expectedOf(kind: Kind): string {
  return converters[kind].expected
}
