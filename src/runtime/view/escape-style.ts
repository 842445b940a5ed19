/** Escapes values in CSS: in `<style>` and in `style` attributes. */
import { plainText, type Printable } from './printable.ts'
import { urlStart } from './escape-url.ts'
import { replaceValue } from './replaced-values.ts'

/** Matches harmless values. Excludes a value that ends in `--`, because a `>` after it would close an HTML comment. */
const harmless = /^(?!.*--$)[\w#%.+\- ]*$/
/** Matches values with functions, whose names and parentheses `hasHarmlessFunctions` checks. */
const functional = /^(?!.*(?:--$|\/\/|\/\*|\*\/))[\w#%.+\-*/,() ]*$/
const runsInOldBrowsers = /expression|behavior|binding/i

/** The functions that a value may contain. None of them loads a file. */
const functions = new Set(
  (
    'rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark var env calc min max clamp ' +
    'translate translatex translatey translatez translate3d rotate rotatex rotatey rotatez rotate3d scale scalex scaley ' +
    'scalez scale3d skew skewx skewy matrix matrix3d perspective linear-gradient radial-gradient conic-gradient ' +
    'repeating-linear-gradient repeating-radial-gradient repeating-conic-gradient cubic-bezier steps linear blur ' +
    'brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia repeat minmax fit-content ' +
    'circle ellipse inset polygon'
  ).split(' '),
)

/** Escapes a name, or a part of a word. Allows letters, digits and `#%.+-`; any other value becomes `unsafe`. */
export function stylePart(value: Printable): string {
  const text = plainText(value)
  const isHarmless = harmless.test(text) && !runsInOldBrowsers.test(text)
  return isHarmless ? text : replaceValue('style', value, 'unsafe')
}

/** Escapes a value. Allows the same as `stylePart`, and functions such as `rgb(…)` and `var(…)`. */
export function styleValue(value: Printable): string {
  const text = plainText(value)
  if (!functional.test(text) || !hasHarmlessFunctions(text)) return stylePart(text)
  return runsInOldBrowsers.test(text) ? replaceValue('style', value, 'unsafe') : text
}

/** True if all parentheses are closed and belong to harmless functions, and commas and operators are inside of them. */
function hasHarmlessFunctions(text: string): boolean {
  let depth = 0
  let nameStart = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (/[\w-]/.test(char)) continue
    const name = text.slice(nameStart, at).toLowerCase()
    nameStart = at + 1
    if (char === '(') {
      const isAllowed = name === '' ? depth > 0 : functions.has(name)
      if (!isAllowed) return false
      depth++
    } else if (char === ')') {
      if (--depth < 0) return false
    } else if (depth === 0 && (char === ',' || char === '*' || char === '/')) return false
  }
  return depth === 0
}

/**
 * Prints declarations that are literals of the template: the compiler refuses other texts. Values that are no texts, such
 * as `false`, print nothing.
 */
export function styleDeclarations(value: unknown): string {
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' || text.endsWith(';') ? text : `${text};`
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
