/** Reads numbers as people write them in a language: `1.234,50` on a German page is `1234.50`, the text that types parse. */

/** Whether the values of a number type can have decimals. */
export type NumberKind = 'integer' | 'decimal'

/** The characters of numbers in a language. */
interface NumberMarks {
  readonly decimal: string
  readonly group: string
  /** The number of digits in the groups before the last one: 3, or 2 in India. */
  readonly groupSize: number
}

// The maximum length of a number, as of the texts that types parse.
const longest = 1000
// The maximum number of cached languages. Clients choose the language, so that an unlimited cache would grow.
const mostCached = 256
const marksOf = new Map<string, NumberMarks>()

function findMarks(locale: string): NumberMarks {
  const known = marksOf.get(locale)
  if (known !== undefined) return known
  const parts = new Intl.NumberFormat(locale).formatToParts(123456789.5)
  const find = (type: string) => {
    const mark = parts.find((part) => part.type === type)?.value ?? ''
    return blank.test(mark) ? ' ' : toAscii(mark)
  }
  const groups = parts.filter(({ type }) => type === 'integer')
  const groupSize = [...(groups.at(-2)?.value ?? '123')].length
  const marks = { decimal: find('decimal'), group: find('group'), groupSize }
  if (marksOf.size >= mostCached) marksOf.clear()
  marksOf.set(locale, marks)
  return marks
}

const zeros = '0٠۰߀०০੦૦୦௦౦೦൦๐໐༠၀០᠐᱐꯰𑄶𞥐'
const digits = new Map(
  [...zeros].flatMap((zero) =>
    Array.from({ length: 10 }, (_, digit) => [
      String.fromCodePoint(zero.codePointAt(0)! + digit),
      String(digit),
    ]),
  ),
)
// A value of the map is the character that stands for all characters of its key.
const signs = new Map(
  Object.entries({ '-': '−‐‑‒–', "'": '’ʼ' }).flatMap(([one, all]) =>
    [...all].map((character) => [character, one] as const),
  ),
)
// The characters that set the direction of a text. Numbers of right-to-left languages begin with them.
const directions = new Set(
  '\u061C\u200E\u200F\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069',
)
// Not a line break: no person writes one into an input for a number.
const blank = /^[\t\p{Zs}]$/u

/** Returns the text with ASCII digits and signs and with one kind of blank, without blanks at its ends. */
function toAscii(text: string): string {
  let ascii = ''
  for (const character of text)
    if (!directions.has(character))
      ascii +=
        digits.get(character) ?? signs.get(character) ?? (blank.test(character) ? ' ' : character)
  let start = 0
  while (ascii[start] === ' ') start++
  let end = ascii.length
  while (end > start && ascii[end - 1] === ' ') end--
  return ascii.slice(start, end)
}

/** Returns true for an optional sign and ASCII digits, which have one meaning in every language. */
function isPlainInteger(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const isSign = i === 0 && (code === 43 || code === 45)
    if (!isSign && (code < 48 || code > 57)) return false
  }
  return true
}

const plainNumber = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?[dDfF]?$/
const allDigits = /^\d+$/

/** Returns the digits without their groups; `undefined` unless the groups are those of the language. */
function joinGroups(text: string, { group, groupSize }: NumberMarks): string | undefined {
  if (text === '' || allDigits.test(text)) return text
  const mark = [...text].find((character) => character < '0' || character > '9')!
  if (mark !== group && mark !== ' ' && mark !== "'" && mark !== '٬') return undefined
  const groups = text.split(mark)
  const [first = ''] = groups
  const size = groups.length > 2 && groups[1]!.length === groupSize ? groupSize : 3
  const areGroups = groups.every((each, at) => {
    if (!allDigits.test(each)) return false
    if (at === 0) return each.length <= size && !each.startsWith('0')
    return each.length === (at === groups.length - 1 ? 3 : size)
  })
  return areGroups && first !== '' ? groups.join('') : undefined
}

/** Returns the number as a text with a point; `undefined` if the text is not a number with these marks. */
function readWith(text: string, marks: NumberMarks): string | undefined {
  const sign = text.startsWith('-') || text.startsWith('+') ? text[0]! : ''
  const exponentAt = text.search(/[eE]/)
  const exponent = exponentAt === -1 ? '' : text.slice(exponentAt)
  const size = text.slice(sign.length, exponentAt === -1 ? undefined : exponentAt).trimStart()
  const [whole = '', fraction, ...rest] = size.replaceAll('٫', marks.decimal).split(marks.decimal)
  if (rest.length > 0) return undefined
  const joined = joinGroups(whole, marks)
  if (joined === undefined) return undefined
  const number = sign + joined + (fraction === undefined ? '' : `.${fraction}`) + exponent
  return plainNumber.test(number) ? number : undefined
}

/** Returns how a number with a point that is a group on this page would be read with groups; `undefined` for other texts. */
const readAsGroups = (ascii: string, marks: NumberMarks): string | undefined =>
  marks.group === '.' && ascii.includes('.') ? readWith(ascii, marks) : undefined

/**
 * Returns the text that number types parse, for a text that a person wrote on a page in the language. Also accepts the text with
 * a point that programs and `<input type="number">` send. Returns `undefined` if the text can be read in two ways: on a German
 * page, `1.234` is 1234 for people and 1.234 for programs. Returns another text unchanged.
 */
export function readWritten(text: string, locale: string, kind: NumberKind): string | undefined {
  if (text.length > longest || isPlainInteger(text)) return text
  const marks = findMarks(locale)
  const ascii = toAscii(text)
  if (!plainNumber.test(ascii)) return readWith(ascii, marks) ?? text
  const grouped = readAsGroups(ascii, marks)
  if (grouped === undefined) return ascii
  return kind === 'integer' ? grouped : undefined
}

/**
 * Returns examples of how to write the number on a page in the language: two for a text that can be read in two ways, one for a
 * text with the marks of another language, none for other texts.
 */
export function clearTexts(text: string, locale: string, kind: NumberKind): readonly string[] {
  if (text.length > longest) return []
  const marks = findMarks(locale)
  const ascii = toAscii(text)
  const write = (number: string) => formatUngrouped(locale, number)
  if (plainNumber.test(ascii)) {
    const grouped = kind === 'integer' ? undefined : readAsGroups(ascii, marks)
    return grouped === undefined ? [] : [write(grouped), write(ascii)]
  }
  if (readWith(ascii, marks) !== undefined) return []
  const [decimal, group] = marks.decimal === ',' ? ['.', ','] : [',', '.']
  const foreign = readWith(ascii, { decimal, group, groupSize: 3 })
  if (foreign === undefined || (kind === 'integer' && foreign.includes('.'))) return []
  return [write(foreign)]
}

/** The maximum number of decimals that JavaScript formats. */
export const mostDecimals = 100

/** Returns the number of decimals of a text with a point. */
export const decimalsOf = (text: string): number =>
  Math.min(/\.(\d+)$/.exec(text)?.[1]?.length ?? 0, mostDecimals)

/** Returns a number with the digits and the decimal mark of the language, but without groups. */
function formatUngrouped(locale: string, text: string): string {
  const exponentAt = text.search(/[eE]/)
  const size = exponentAt === -1 ? text : text.slice(0, exponentAt)
  const options = {
    useGrouping: false,
    minimumFractionDigits: decimalsOf(size),
    maximumFractionDigits: mostDecimals,
  }
  const exponent = exponentAt === -1 ? '' : text.slice(exponentAt).toUpperCase().replace('+', '')
  return new Intl.NumberFormat(locale, options).format(size as never) + exponent
}

const canonical = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * Returns the text of a number for a form: `printed`, the text of pages, if `readWritten` reads it as this number, else a text
 * without groups. Returns a text that is not a number unchanged.
 */
export function formatForForm(text: string, locale: string, printed: (text: string) => string) {
  if (text.length > longest || !canonical.test(text)) return text
  const page = printed(text)
  return readWritten(page, locale, 'decimal') === text ? page : formatUngrouped(locale, text)
}
