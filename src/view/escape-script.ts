/** Escapers for JavaScript and JSON, in scripts, handlers and `.json.ssp`. */
import { plain, type Printable } from './printable.ts'

/** What JSON can carry. Functions, promises, symbols and bigints are type errors. */
export type Jsonable<T> = T extends
  | PromiseLike<unknown>
  | symbol
  | bigint
  | ((...values: never) => unknown)
  ? never
  : T

const unsafeInScript = /[<>&'`\u2028\u2029]/g
const unsafeInString = /["<>&'`$/\u2028\u2029]/g

const unicode = (char: string): string => '\\u' + char.charCodeAt(0).toString(16).padStart(4, '0')

/** A JSON value that cannot end the script it stands in. */
export function jsonValue<T>(value: Jsonable<T>): string {
  const json = JSON.stringify(value) as string | undefined
  return json === undefined ? 'null' : json.replace(unsafeInScript, unicode)
}

/** For the place of a value in a script; words and numbers keep their distance from what stands beside them. */
export function scriptValue<T>(value: Jsonable<T>): string {
  const json = jsonValue(value)
  const first = json.charCodeAt(0)
  return first === 34 || first === 91 || first === 123 ? json : ` ${json} `
}

/** For the inside of a string in a script or in JSON, whichever its quotes. */
export function scriptString(value: Printable): string {
  const text = plain(value)
  if (/^[\w .,:-]*$/.test(text)) return text
  return JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '\\u0022')
    .replace(unsafeInString, unicode)
}

/** For the inside of a regular expression: every character stands for itself. */
export function scriptRegExp(value: Printable): string {
  const text = plain(value).replace(/[^\w ]/g, unicode)
  return text === '' ? '(?:)' : text
}
