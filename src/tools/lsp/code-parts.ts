/** Finds the parts of TypeScript code that features of names read: brackets, keys of objects and texts. */
import { resultOrError } from '../../templates/compile.ts'
import { scanCode, TemplateError, TemplateSource } from '../../templates/read.ts'

/** A name or a text in code, by its offsets without quotes. */
export interface CodePart {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** Returns the offset of the bracket that closes the one at an offset; `undefined` without one. */
export function closingOffset(code: string, open: number): number | undefined {
  const terminator = code[open] === '{' ? '}' : ')'
  const source = new TemplateSource('code.ts', code)
  const found = resultOrError(() => scanCode(source, open + 1, terminator, open))
  return found instanceof TemplateError ? undefined : found.end
}

/** Returns the end of a chain of calls, such as `a(…).b(…)`, whose first parenthesis is at an offset. */
export function endOfCalls(code: string, open: number): number | undefined {
  const end = closingOffset(code, open)
  if (end === undefined) return undefined
  const next = /^\s*\??\.\s*\w+\(/.exec(code.slice(end + 1, end + 200))
  return next === null ? end : (endOfCalls(code, end + next[0].length) ?? end)
}

const token =
  /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\/[^\n]*|\/\*[^]*?\*\/|\.\.\.[\w$]+|[\w$]+|\S/g

/** Returns the keys of an object, and the names of what it spreads, whose brace is at an offset. */
export function readObject(
  code: string,
  open: number,
): { readonly keys: readonly CodePart[]; readonly spread: readonly string[] } {
  const end = closingOffset(code, open) ?? open
  const keys: CodePart[] = []
  const spread: string[] = []
  let depth = 0
  let isStart = true
  token.lastIndex = open + 1
  for (let match = token.exec(code); match !== null; match = token.exec(code)) {
    const [{ length }] = match
    const text = match[0]
    if (match.index >= end) break
    if (text.startsWith('//') || text.startsWith('/*')) continue
    if (depth === 0 && isStart) {
      const next = /^\s*([:,}(])/.exec(
        code.slice(match.index + length, match.index + length + 99),
      )?.[1]
      const isQuoted = /^['"]/.test(text)
      if (text.startsWith('...') && next !== '(') spread.push(text.slice(3))
      else if (next === ':' && /^['"\w$]/.test(text)) {
        const [from, to] = isQuoted ? [1, length - 1] : [0, length]
        const [start, last] = [match.index + from, match.index + to]
        keys.push({ text: text.slice(from, to), start, end: last })
      }
    }
    if (/^[([{]$/.test(text)) depth++
    if (/^[)\]}]$/.test(text)) depth--
    isStart = depth === 0 && text === ','
  }
  return { keys, spread }
}

/** Returns the texts in quotes that a pattern finds; its last group is the text, which ends before the last quote. */
export const matchTexts = (code: string, pattern: RegExp): readonly CodePart[] =>
  [...code.matchAll(pattern)].map((match) => {
    const text = match.at(-1)!
    const end = match.index + match[0].length - 1
    return { text, start: end - text.length, end }
  })
