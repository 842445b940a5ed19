/** Completes the syntax of a template that is being typed, so that it can be compiled. */
import { parseUnplanned, type ParsedTemplate } from '../../templates/escaping.ts'
import { resultOrError } from '../../templates/compile.ts'
import { lineStarts, TemplateError } from '../../templates/read.ts'

/** A completed text; `origins` is that of `TwinOptions`. */
interface RepairedText {
  readonly text: string
  readonly origins: readonly number[]
}

/** The result of a repair. */
export interface Repair<T> extends RepairedText {
  readonly result: T
}

/** Replaces the characters from `start` to `end`. `text` has the same length, or `end` equals `start`. */
interface Replacement {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The maximum numbers of mistakes that are repaired, of attempts for all of them, and of characters that all attempts parse. */
const maximumMistakes = 12
const maximumAttempts = 48
const maximumParsed = 2_000_000
/** The maximum length of an expression without an end. */
const maximumExpression = 2000

/**
 * Repairs one mistake after the other until `compile` succeeds. Returns `undefined` if the mistakes are too many, or one cannot be
 * repaired.
 */
export function repairTemplate<T>(
  file: string,
  text: string,
  compile: (parsed: ParsedTemplate) => T,
): Repair<T> | undefined {
  const attempt = (one: RepairedText): T | TemplateError =>
    resultOrError(() => compile(parseUnplanned(file, one.text)))
  let current: RepairedText = { text, origins: Array.from({ length: text.length }, (_, at) => at) }
  let result = attempt(current)
  let attempts = 1
  for (let mistake = 0; result instanceof TemplateError; mistake++) {
    if (mistake === maximumMistakes) return undefined
    const error: TemplateError = result
    let next: RepairedText | undefined
    for (const replacement of suggestRepairs(current.text, offsetOf(error, current.text))) {
      if (++attempts > maximumAttempts || attempts * text.length > maximumParsed) return undefined
      const repaired = replace(current, replacement, text.length)
      const tried = attempt(repaired)
      if (tried instanceof TemplateError && isSame(tried, error)) continue
      next = repaired
      result = tried
      break
    }
    if (next === undefined) return undefined
    current = next
  }
  return { ...current, result }
}

const isSame = (one: TemplateError, other: TemplateError): boolean =>
  one.line === other.line && one.column === other.column && one.reason === other.reason

const offsetOf = ({ line, column }: TemplateError, text: string): number =>
  lineStarts(text)[line - 1]! + column - 1

/** `length` is that of the text before all repairs. */
function replace({ text, origins }: RepairedText, edit: Replacement, length: number): RepairedText {
  const { start, end, text: inserted } = edit
  const origin = origins[start] ?? length
  const between =
    start === end
      ? Array.from({ length: inserted.length }, () => origin)
      : origins.slice(start, end)
  return {
    text: text.slice(0, start) + inserted + text.slice(end),
    origins: [...origins.slice(0, start), ...between, ...origins.slice(end)],
  }
}

const insert = (start: number, text: string): Replacement => ({ start, end: start, text })
const blank = (start: number, end: number, text: string): Replacement => ({
  start,
  end,
  text: text.slice(start, end).replace(/[^\r\n]/g, ' '),
})

/** Returns the edits that may repair the mistake at an offset, the likeliest first. */
function* suggestRepairs(text: string, at: number): Generator<Replacement> {
  const rest = text.slice(at, at + 8)
  if (rest.startsWith('${')) {
    if (/^\$\{\s*\}/.test(text.slice(at, at + 200))) yield insert(at + 2, 'undefined')
    const end = expressionEnd(text, at + 2)
    yield insert(end.at, `${end.closers}}`)
    yield insert(at + 2, 'undefined}')
    yield blank(at, at + 2, text)
  } else if (rest.startsWith('<%')) {
    yield* repairTag(text, at)
  } else if (rest.startsWith('(')) {
    const end = expressionEnd(text, at + 1)
    yield insert(end.at, `${end.closers})`)
  } else if (/^(?:#|['"]?[{(])/.test(rest)) {
    // The block is not closed.
    const newLine = text.endsWith('\n') || text === '' ? '' : '\n'
    yield insert(text.length, `${newLine}#end\n`)
    yield insert(text.length, `${newLine}<% } %>\n`)
    yield insert(text.length, `${newLine}<% ) %>\n`)
    if (rest.startsWith('#')) yield blank(at, at + 1, text)
  }
  if (/^['"`([{]/.test(rest)) yield* closeConstruct(text, at)
  // A part of the construct is missing at the offset, such as a list, a type or a condition.
  if (/\bof\s*$/.test(text.slice(Math.max(0, at - 20), at))) yield insert(at, '[]')
  for (const part of ['any', 'undefined', '[]', ' of []', 'x of []']) yield insert(at, part)
  yield* blankConstruct(text, at)
}

function* repairTag(text: string, at: number): Generator<Replacement> {
  const empty = /^<%==?(?=\s*%>)/.exec(text.slice(at, at + 200))?.[0]
  if (empty !== undefined) yield insert(at + empty.length, 'undefined')
  const end = expressionEnd(text, at + 2)
  yield insert(end.at, `${end.closers} %>`)
  yield insert(end.at, ' %>')
  const start = /^<%(?:--|#|@\w*|==?)?/.exec(text.slice(at, at + 20))![0].length
  yield insert(at + start, ' %>')
  yield blank(at, at + 2, text)
}

/** Returns the start of the tag, expression or directive around an offset, and its terminator. */
function constructAt(
  text: string,
  at: number,
): { start: number; from: number; terminator: string } | undefined {
  const before = text.slice(0, at + 1)
  const line = before.lastIndexOf('\n') + 1
  const directive = /#[a-z]+[ \t]*\([^\n]*$/.exec(before.slice(line))
  const starts = [
    { start: before.lastIndexOf('<%'), length: 2, terminator: '%>' },
    { start: before.lastIndexOf('${'), length: 2, terminator: '}' },
    directive === null
      ? { start: -1, length: 0, terminator: '' }
      : {
          start: line + directive.index,
          length: directive[0].indexOf('(') + 1,
          terminator: ')',
        },
  ]
  const { start, length, terminator } = starts.sort((a, b) => b.start - a.start)[0]!
  return start < 0 ? undefined : { start, from: start + length, terminator }
}

/** Ends the construct around a quote or bracket that has no counterpart. */
function* closeConstruct(text: string, at: number): Generator<Replacement> {
  const found = constructAt(text, at)
  if (found === undefined) return
  const end = expressionEnd(text, found.from)
  yield insert(end.at, end.closers + found.terminator)
}

/** Blanks the construct around an offset. */
function* blankConstruct(text: string, at: number): Generator<Replacement> {
  const found = constructAt(text, at)
  if (found === undefined) return
  const { start, terminator } = found
  const lineEnd = /\r?\n|$/.exec(text.slice(start))!.index + start
  const close = text.indexOf(terminator, at)
  const end = close < 0 ? lineEnd : close + terminator.length
  yield blank(start, end, text)
  yield blank(start, lineEnd, text)
}

const closerOf: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

/**
 * Returns the place in the same line at which an expression ends that has no terminator, and the quotes and brackets that it leaves
 * open.
 */
function expressionEnd(text: string, from: number): { at: number; closers: string } {
  const open: string[] = []
  let at = from
  for (; at < text.length && at < from + maximumExpression; at++) {
    const char = text[at]!
    if (char === '\n' || char === '\r' || text.startsWith('%>', at)) break
    if (char === '<' && /[a-z!/%]/i.test(text[at + 1] ?? '')) break
    if (char === '"' || char === "'" || char === '`') {
      const end = text.slice(at + 1).search(new RegExp(`[${char}\r\n]`))
      const isClosed = end >= 0 && text[at + 1 + end] === char
      const isOperand = /(?:^|@include|[([{,=+?:|&!<>])\s*$/.test(text.slice(from, at))
      // Otherwise the quote ends the attribute that contains the expression.
      if (!isOperand) break
      if (!isClosed) {
        const piece = /^[\w./-]*/.exec(text.slice(at + 1))![0]
        return { at: at + 1 + piece.length, closers: char + closersOf(open) }
      }
      at += 1 + end
    } else if (closerOf[char] !== undefined) open.push(char)
    else if (closerOf[open.at(-1) ?? ''] === char) open.pop()
    else if (char === ')' || char === '}' || char === ']') break
  }
  return { at, closers: closersOf(open) }
}

const closersOf = (open: readonly string[]): string =>
  open
    .toReversed()
    .map((char) => closerOf[char]!)
    .join('')
