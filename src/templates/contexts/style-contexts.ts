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
 * contains the open brackets, the at-rule, the last token, and the expressions that may be declarations.
 */
export function styleState(text: string, markers: Markers): string {
  const tokens = scan(`${text} `)
  const last = scan(text).at(-1)
  if (last === undefined) return ''
  const { open, rule } = tokens.at(-1)!
  const { pending, atStart } = findDeclarations(text, tokens, markers)
  return [
    open,
    rule,
    last.type === 'whitespace' ? '' : text.slice(last.start),
    atStart,
    ...pending.map(({ start, end }) => text.slice(start, end)),
  ].join('\n')
}

/**
 * Finds the expressions that stand in place of whole declarations: after the start, a `;` or a brace, and before the end, a
 * `;` or a brace. `pending` are those after which the text ends, and `atStart` is true if another one may follow.
 */
function findDeclarations(text: string, tokens: readonly StyleToken[], markers: Markers) {
  const confirmed = new Set<StyleToken>()
  let pending: StyleToken[] = []
  let atStart = true
  for (const token of tokens) {
    if (token.type === 'whitespace' || token.type === 'comment') continue
    const isMarker =
      token.type === 'ident' && markers.replace(text.slice(token.start, token.end), '') === ''
    const isBorder = /^(?:semicolon|[{}])$/.test(token.type)
    if (atStart && isMarker) {
      pending.push(token)
      continue
    }
    if (token.type === 'semicolon' || token.type === '}')
      for (const one of pending) confirmed.add(one)
    pending = []
    atStart = isBorder
  }
  return { confirmed, pending, atStart }
}

/** True if a text is a list of complete declarations: it changes nothing outside of its own. */
export function isDeclarationList(text: string): boolean {
  if (/[<{}\\]|\/\*|-->/.test(text)) return false
  let [depth, from, isRight] = [0, 0, true]
  const declarations: string[] = []
  tokenizeStyle(text, (number, start, end) => {
    const type = names[number]!.replace('-token', '')
    const token = text.slice(start, end)
    if (type === 'function' || /^[([]$/.test(token)) depth++
    if (/^[)\]]$/.test(token) && --depth < 0) isRight = false
    const isOpen = type === 'string' ? token.length < 2 || token.at(-1) !== token[0] : false
    if (isOpen || type.startsWith('bad-') || (type === 'url' && !token.endsWith(')')))
      isRight = false
    if (type !== 'semicolon' || depth > 0) return
    declarations.push(text.slice(from, start))
    from = end
  })
  declarations.push(text.slice(from))
  return (
    isRight &&
    depth === 0 &&
    declarations.every((one) => /^\s*(?:(?:--|-?[a-z])[\w-]*\s*:\s*\S[^]*)?$/i.test(one))
  )
}

/**
 * Returns the escaper of each marker in a style. Omits the markers in the last token of an incomplete text, and those that
 * may be declarations, because more text could change their contexts.
 * @throws MarkerError for a marker in a comment, in `url(…)` without quotes, or as the name of a function or rule
 */
export function styleEscapers(text: string, markers: Markers, isComplete = true): MarkerEscapers {
  const escapers = new Map<number, string>()
  const places = markers.find(text)
  if (places.length === 0) return escapers
  const tokens = scan(text)
  const { confirmed, pending } = findDeclarations(text, tokens, markers)
  for (const place of places) {
    const token = tokens.find((one) => one.start <= place.start && place.start < one.end)!
    const isPending = pending.includes(token)
    if (!isComplete && (isPending || token.end === text.length)) continue
    const escaper =
      isPending || confirmed.has(token) ? 'styleDeclarations' : escaperIn(text, token, place)
    if (escaper === 'styleString' || escaper === 'styleUrl')
      refuseAfterBackslash(text, place, 'style')
    else if (text[place.start - 1] === '\\')
      throw new MarkerError(place.marker, 'an expression cannot follow a backslash in a style')
    const known = escapers.get(place.marker) ?? escaper
    const joined = joinStyleEscapers(known, escaper)
    if (joined === undefined) setEscaper(escapers, place.marker, escaper)
    else escapers.set(place.marker, joined)
  }
  return escapers
}

/** The escapers outside of strings, from the most to the least restrictive. Each is safe where a later one is needed. */
const valueEscapers = ['stylePart', 'styleValue', 'styleDeclarations']

/** Returns an escaper that is safe wherever either of two escapers is needed; `undefined` if none is. */
export function joinStyleEscapers(one: string, other: string): string | undefined {
  if (one === other) return one
  if (![one, other].every((escaper) => valueEscapers.includes(escaper))) return undefined
  // A declaration in one place and a value in another is printed as a value.
  return one === 'stylePart' || other === 'stylePart' ? 'stylePart' : 'styleValue'
}

/** Matches a list of open functions if strings in the innermost one are URLs, as in `url(`. */
const urlFunction = /(?:^| )(?:url|src|image|(?:-webkit-)?image-set)\($/

function escaperIn(
  text: string,
  { type, open, rule }: StyleToken,
  { marker, start }: MarkerPlace,
): string {
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
      // A value that continues a word or a selector could change the name of a function.
      return /^[\s:,(]?$/.test(text.slice(0, start).at(-1) ?? '') ? 'styleValue' : 'stylePart'
    default:
      throw new MarkerError(
        marker,
        `an expression cannot stand here: a style has a ${type.replace('-', ' ')} in this place`,
      )
  }
}
