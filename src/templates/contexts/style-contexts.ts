/** Finds the contexts of expressions in CSS, with the tokenizer of css-tree. */
// @ts-expect-error -- css-tree ships no types
import { tokenize, tokenNames } from 'css-tree/tokenizer'
import {
  MarkerError,
  type MarkerEscapers,
  type MarkerPlace,
  type Markers,
  refuseAfterBackslash,
  setEscaper,
} from './markers.ts'

/** Calls `onToken` for each token of a style sheet or a `style` attribute. */
export const tokenizeStyle = tokenize as (
  css: string,
  onToken: (type: number, start: number, end: number) => void,
) => void
const names = tokenNames as readonly string[]

interface StyleToken {
  readonly type: string
  readonly start: number
  readonly end: number
  /** The names of open functions and the open brackets before the token, separated by spaces, innermost last. */
  readonly open: string
  /** The at-rule around the token, such as `@import`, which lasts until its `;` or block; `''` if there is none. */
  readonly rule: string
}

const closing: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

function scan(text: string): StyleToken[] {
  const tokens: StyleToken[] = []
  const open: string[] = []
  let rule = ''
  tokenizeStyle(text, (number, start, end) => {
    const type = names[number]!.replace('-token', '')
    const token = text.slice(start, end).toLowerCase()
    tokens.push({ type, start, end, open: open.join(' '), rule })
    if (type === 'function' || /^[([{]$/.test(token)) open.push(token)
    else if (open.at(-1)?.endsWith(closing[token] ?? ' ')) open.pop()
    if (type === 'at-keyword') rule = token
    else if (token === ';' || token === '{' || token === '}') rule = ''
  })
  return tokens
}

/**
 * Returns a key of the parser state after the text: equal keys mean equal contexts for further expressions. The key
 * contains the open brackets, the at-rule and the last token.
 */
export function styleState(text: string): string {
  const tokens = scan(`${text} `)
  const last = scan(text).at(-1)
  if (last === undefined) return ''
  const { open, rule } = tokens.at(-1)!
  return [open, rule, last.type === 'whitespace' ? '' : text.slice(last.start)].join('\n')
}

/**
 * Returns the escaper of each marker in a style. Omits the markers in the last token of an incomplete text, because
 * more text could change their contexts.
 * @throws MarkerError for a marker in a comment, in `url(…)` without quotes, or as the name of a function or rule
 */
export function styleEscapers(text: string, markers: Markers, isComplete = true): MarkerEscapers {
  const escapers = new Map<number, string>()
  const places = markers.find(text)
  if (places.length === 0) return escapers
  const tokens = scan(text)
  for (const place of places) {
    const token = tokens.find((one) => one.start <= place.start && place.start < one.end)!
    if (!isComplete && token.end === text.length) continue
    const escaper = escaperIn(token, place)
    if (escaper !== 'styleValue') refuseAfterBackslash(text, place, 'style')
    else if (text[place.start - 1] === '\\')
      throw new MarkerError(place.marker, 'an expression cannot follow a backslash in a style')
    setEscaper(escapers, place.marker, escaper)
  }
  return escapers
}

/** Matches a list of open functions if strings in the innermost one are URLs, as in `url(`. */
const urlFunction = /(?:^| )(?:url|src|image|(?:-webkit-)?image-set)\($/

function escaperIn({ type, open, rule }: StyleToken, { marker }: MarkerPlace): string {
  switch (type) {
    case 'comment':
      throw new MarkerError(marker, 'an expression cannot stand in a comment of a style')
    case 'url':
    case 'bad-url':
      throw new MarkerError(
        marker,
        'an expression cannot stand in url(…) without quotes: write url("${…}")',
      )
    case 'string':
      if (/^@(import|charset|namespace)$/.test(rule))
        throw new MarkerError(marker, `the URL of an ${rule} must be static`)
      return urlFunction.test(open) ? 'styleUrl' : 'styleString'
    case 'ident':
    case 'hash':
    case 'dimension':
    case 'number':
    case 'percentage':
      return 'styleValue'
    default:
      throw new MarkerError(
        marker,
        `an expression cannot stand here: a style has a ${type.replace('-', ' ')} in this place`,
      )
  }
}
