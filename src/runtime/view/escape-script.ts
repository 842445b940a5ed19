/** Escapes values in JavaScript and JSON: in scripts, event handlers and `.json.ssp` templates. */
import { plainText, type Printable } from './printable.ts'

/** A type that JSON can contain. Functions, promises, symbols and bigints cause a type error. */
export type Jsonable<T> = T extends
  | PromiseLike<unknown>
  | symbol
  | bigint
  | ((...values: never) => unknown)
  ? never
  : T

const unsafeInScript = /[<>&'`\u2028\u2029]/g
/** Matches all characters that have a meaning in code. It does not match letters of any script, so that texts stay short. */
const unsafeInString = /[^\p{L}\p{N}_ ]/gu

/** Escapes each UTF-16 unit. A character beyond the Basic Multilingual Plane thus becomes two escapes. */
function unicode(char: string): string {
  let escaped = ''
  for (let at = 0; at < char.length; at++)
    escaped += '\\u' + char.charCodeAt(at).toString(16).padStart(4, '0')
  return escaped
}

/** Returns the value as JSON that cannot end the surrounding script. */
export function jsonValue<T>(value: Jsonable<T>): string {
  const json = JSON.stringify(value) as string | undefined
  return json === undefined ? 'null' : json.replace(unsafeInScript, unicode)
}

/** Escapes a value as an expression of a script. Adds spaces, so that words and numbers do not join their neighbours. */
export function scriptValue<T>(value: Jsonable<T>): string {
  const json = jsonValue(value)
  const first = json.charCodeAt(0)
  return first === 34 || first === 91 || first === 123 ? json : ` ${json} `
}

/** Escapes all characters except letters, digits, blanks and `_` inside a string, with any quotation marks. */
export function scriptString(value: Printable): string {
  const text = plainText(value)
  return /^[\w ]*$/.test(text) ? text : text.replace(unsafeInString, unicode)
}

/** Escapes a value inside a regular expression, in which each character then matches itself. */
export function scriptRegExp(value: Printable): string {
  const text = plainText(value).replace(/[^\w ]/g, unicode)
  return text === '' ? '(?:)' : text
}
