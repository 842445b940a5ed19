/** Converts the text of a value into the kind that its reader expects. */
import { parseAmount, parseDuration } from '../base.ts'

/** The type of each kind of value; durations are milliseconds, sizes bytes. */
export interface Kinds {
  string: string
  /** Within the safe-integer range. */
  int: number
  double: number
  boolean: boolean
  /** Whole milliseconds; written `200ms`, `5s`, `1m`, `2h`, `7d`. */
  duration: number
  /** Whole bytes; written `512`, `10KiB`, `1MiB`, `1GiB`, or decimal `1MB`. */
  size: number
}

/** The name of a kind. */
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

/** Bytes of a size such as `512`, `10KiB`, `1.5MiB`, `1GB`; `undefined` for anything else, and for fractions of a byte. */
export function parseSize(text: string): number | undefined {
  return parseAmount(text, sizeUnits)
}

interface Converter<T> {
  /** Completes "must be …". */
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

/** The text, trimmed, as `kind`; `undefined` when it does not convert. */
export function convert<K extends Kind>(text: string, kind: K): Kinds[K] | undefined {
  return converters[kind].convert(kind === 'string' ? text : text.trim())
}

/** A phrase for `kind`, to complete "must be …". */
export function expectedOf(kind: Kind): string {
  return converters[kind].expected
}
