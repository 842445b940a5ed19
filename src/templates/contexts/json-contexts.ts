/** Finds the contexts of expressions in JSON: a whole value, or part of a string. */
import { tokenizer, type Comment, type Token } from 'acorn'
import {
  MarkerError,
  type MarkerEscapers,
  type Markers,
  refuseAfterBackslash,
  setEscaper,
} from './markers.ts'

/** The text of one branch path through a JSON template, up to the current node. */
export class JsonText {
  readonly #report: (text: string, isComplete: boolean) => void
  #text: string

  /** `report` must report the escapers of a text, which is a part of the path unless `isComplete`. */
  constructor(report: (text: string, isComplete: boolean) => void, text = '') {
    this.#report = report
    this.#text = text
  }

  get text(): string {
    return this.#text
  }

  clone(): JsonText {
    return new JsonText(this.#report, this.#text)
  }

  feed(text: string): void {
    this.#text += text
  }

  /**
   * Returns a key of the parser state after the text so far: equal keys mean equal contexts for further expressions.
   * Reports the escapers found so far, because merging branch paths may drop this text.
   */
  key(): string {
    this.#report(this.#text, false)
    return jsonState(this.#text)
  }

  finish(): void {
    this.#report(this.#text, true)
  }
}

/**
 * Returns the tokens of an incomplete JSON text. Does not check their order, because a condition may print or omit a
 * comma. `open` is the offset of a string that is not closed; -1 after another error; `undefined` without an error.
 */
function scan(text: string) {
  const tokens: Token[] = []
  const comments: Comment[] = []
  let open: number | undefined
  try {
    const found = tokenizer(text, { ecmaVersion: 'latest', onComment: comments })
    for (const token of found) tokens.push(token)
  } catch (error) {
    const { pos, message } = error as SyntaxError & { readonly pos: number }
    open = message.startsWith('Unterminated string') ? pos : -1
  }
  return { tokens, comments, open }
}

/**
 * Returns a key of the parser state after the text: equal keys mean equal contexts for further expressions. The key is
 * the open string, or the word at the end of the text.
 */
export function jsonState(text: string): string {
  const { open } = scan(text)
  if (open === -1) return text
  return open === undefined ? /[\w$]*$/.exec(text)![0] : text.slice(open)
}

/**
 * Returns the escaper of each marker in a JSON text. Omits the markers in the last token of an incomplete text, because
 * more text could change their contexts.
 * @throws MarkerError for a text with tokens that JSON does not have
 */
export function jsonEscapers(text: string, markers: Markers, isComplete = true): MarkerEscapers {
  const places = markers.find(text)
  if (places.length === 0) return new Map()
  const { tokens, comments, open } = scan(text)
  const foreign = tokens.find(
    (token) => (isComplete || token.end < text.length) && !isJson(token, text, markers),
  )
  if (foreign !== undefined || comments.length > 0 || (isComplete && open !== undefined)) {
    const pos = foreign?.start ?? comments[0]?.start ?? text.length
    const { marker } = places.findLast(({ start }) => start <= pos) ?? places[0]!
    throw new MarkerError(marker, 'the text around this expression is not JSON')
  }
  const escapers = new Map<number, string>()
  for (const place of places) {
    const token = tokens.find((one) => one.start <= place.start && place.start < one.end)
    if (token === undefined || (!isComplete && token.end === text.length)) continue
    const escaper = token.type.label === 'string' ? 'scriptString' : 'jsonValue'
    if (escaper === 'scriptString') refuseAfterBackslash(text, place, 'script')
    setEscaper(escapers, place.marker, escaper)
  }
  return escapers
}

function isJson({ type, start, end }: Token, text: string, markers: Markers): boolean {
  const token = text.slice(start, end)
  if (type.label === 'string') return token.startsWith('"')
  if (type.label === 'name') return markers.exact(token) !== undefined
  return type.label === 'num' || /^(?:[[\]{}:,-]|true|false|null)$/.test(token)
}
