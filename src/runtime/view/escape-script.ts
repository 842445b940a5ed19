/** Escapers for JavaScript and JSON, in scripts, handlers and `.json.ssp`. */
import { plainText, type Printable } from './printable.ts'

/** Types that JSON can contain. Functions, promises, symbols and bigints are type errors. */
export type Jsonable<T> = T extends
  | PromiseLike<unknown>
  | symbol
  | bigint
  | ((...values: never) => unknown)
  ? never
  : T

const unsafeInScript = /[<>&'`\u2028\u2029]/g
/**
 * Letters of any script are not escaped, which keeps texts short. All characters with a meaning in code are escaped.
 */
const unsafeInString = /[^\p{L}\p{N}_ ]/gu

/** Escapes each UTF-16 unit, so a character beyond the Basic Multilingual Plane becomes two escapes. */
function unicode(char: string): string {
  let escaped = ''
  for (let at = 0; at < char.length; at++)
    escaped += '\\u' + char.charCodeAt(at).toString(16).padStart(4, '0')
  return escaped
}

/** A JSON value that cannot end the script around it. */
export function jsonValue<T>(value: Jsonable<T>): string {
  const json = JSON.stringify(value) as string | undefined
  return json === undefined ? 'null' : json.replace(unsafeInScript, unicode)
}

/** For a value position in a script; adds spaces, so that words and numbers do not join adjacent tokens. */
export function scriptValue<T>(value: Jsonable<T>): string {
  const json = jsonValue(value)
  const first = json.charCodeAt(0)
  return first === 34 || first === 91 || first === 123 ? json : ` ${json} `
}

/** For the inside of a string in a script or in JSON, with any quotes: everything but letters, digits, blanks and `_` is escaped. */
export function scriptString(value: Printable): string {
  const text = plainText(value)
  return /^[\w ]*$/.test(text) ? text : text.replace(unsafeInString, unicode)
}

/** For the inside of a regular expression: every character matches itself. */
export function scriptRegExp(value: Printable): string {
  const text = plainText(value).replace(/[^\w ]/g, unicode)
  return text === '' ? '(?:)' : text
}
