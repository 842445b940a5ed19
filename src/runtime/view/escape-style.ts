/** Escapes values in CSS: in `<style>` and in `style` attributes. */
import { plainText, type Printable } from './printable.ts'
import { urlStart } from './escape-url.ts'

/** Matches harmless values. Excludes a value that ends in `--`, because a `>` after it would close an HTML comment. */
const harmless = /^(?!.*--$)[\w#%.+\- ]*$/
const runsInOldBrowsers = /expression|behavior|binding/i

/** Escapes a value, a name, or a part of either. Allows letters, digits and `#%.+-`; any other value becomes `unsafe`. */
export function styleValue(value: Printable): string {
  const text = plainText(value)
  return harmless.test(text) && !runsInOldBrowsers.test(text) ? text : 'unsafe'
}

const codePoint = (char: string): string => `\\${char.codePointAt(0)!.toString(16)} `

/** Escapes a value inside a quoted string. */
export function styleString(value: Printable): string {
  return plainText(value)
    .toWellFormed()
    .replace(/[^\w .-]/gu, codePoint)
}

/** Escapes a value between the quotation marks of `url("…")`. */
export function styleUrl(value: Printable): string {
  return styleString(urlStart(value))
}
