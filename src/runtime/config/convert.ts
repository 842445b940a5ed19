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

const sizeUnits = {
  '': 1,
  B: 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  TiB: 1024 ** 4,
  kB: 1e3,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
}
const whole = /^(?:[-+]?\d{1,16}|0x[\da-fA-F]{1,14}|0o[0-7]{1,18})$/
const decimal = /^[-+]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][-+]?\d{1,3})?$/

function parseBoolean(text: string): boolean | undefined {
  if (/^(?:true|yes|on)$/i.test(text)) return true
  return /^(?:false|no|off)$/i.test(text) ? false : undefined
}

const parseNumber = (text: string, shape: RegExp, isValid: (value: number) => boolean) =>
  shape.test(text) && isValid(Number(text)) ? Number(text) : undefined

/** Parses a size such as `512`, `10KiB` or `1.5MiB` to bytes; `undefined` if invalid or a fraction of a byte. */
export const parseSize = (text: string): number | undefined => parseAmount(text, sizeUnits)

/** The conversion of each kind, and the end of an error message that begins with "must be". */
const converters: {
  readonly [K in Kind]: {
    readonly expected: string
    readonly convert: (text: string) => Kinds[K] | undefined
  }
} = {
  string: { expected: 'a string', convert: (text) => text },
  int: {
    expected: 'a whole number',
    convert: (text) => parseNumber(text, whole, Number.isSafeInteger),
  },
  double: {
    expected: 'a number',
    convert: (text) => parseNumber(text, decimal, Number.isFinite),
  },
  boolean: { expected: 'true or false', convert: parseBoolean },
  duration: { expected: 'a duration such as 200ms, 5s, 1m, 2h or 7d', convert: parseDuration },
  size: { expected: 'a size in bytes such as 512, 10KiB or 1MiB', convert: parseSize },
}

/** Converts the text to `kind`; `undefined` if it does not convert. Trims it, except for the kind `string`. */
export function convert<K extends Kind>(text: string, kind: K): Kinds[K] | undefined {
  return converters[kind].convert(kind === 'string' ? text : text.trim())
}

/** Returns the description of a kind that completes an error message beginning with "must be". */
export function expectedOf(kind: Kind): string {
  return converters[kind].expected
}
