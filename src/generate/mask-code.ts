/** TypeScript with its comments, texts and regular expressions blanked out: what is left can be searched by its shape. */

const blank = (text: string): string => text.replace(/[^\n]/g, ' ')
const beforeRegExp = /(?:^|[=(,:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|of|in))\s*$/

/** Where the text that starts at `at` ends, behind its closing quote. */
function textEnd(code: string, at: number): number {
  const quote = code[at]
  for (let i = at + 1; i < code.length; i++) {
    if (code[i] === '\\') i++
    else if (code[i] === quote) return i + 1
    else if (quote === '`' && code.startsWith('${', i)) i = expressionEnd(code, i + 2) - 1
  }
  return code.length
}

/** Behind the `}` that ends an expression in a template literal. */
function expressionEnd(code: string, start: number): number {
  let depth = 1
  for (let at = start; at < code.length; at++) {
    const end = literalEnd(code, at)
    if (end !== undefined) at = end - 1
    else if (code[at] === '{') depth++
    else if (code[at] === '}' && --depth === 0) return at + 1
  }
  return code.length
}

function regExpEnd(code: string, at: number): number | undefined {
  let inClass = false
  for (let i = at + 1; i < code.length && code[i] !== '\n'; i++) {
    if (code[i] === '\\') i++
    else if (code[i] === '[') inClass = true
    else if (code[i] === ']') inClass = false
    else if (code[i] === '/' && !inClass) return i + 1
  }
  return undefined
}

/** The end of the comment, text or regular expression that starts at `at`; `undefined` when none does. */
function literalEnd(code: string, at: number): number | undefined {
  const char = code[at]
  if (char === '"' || char === "'" || char === '`') return textEnd(code, at)
  if (char !== '/') return undefined
  if (code[at + 1] === '/') return endOf(code, '\n', at, 0)
  if (code[at + 1] === '*') return endOf(code, '*/', at + 2, 2)
  return beforeRegExp.test(code.slice(Math.max(0, at - 40), at)) ? regExpEnd(code, at) : undefined
}

function endOf(code: string, end: string, from: number, length: number): number {
  const found = code.indexOf(end, from)
  return found < 0 ? code.length : found + length
}

/** As long as `code`, and with the same lines. */
export function maskCode(code: string): string {
  let masked = ''
  let from = 0
  for (let at = 0; at < code.length; at++) {
    const end = literalEnd(code, at)
    if (end === undefined) continue
    masked += code.slice(from, at) + blank(code.slice(at, end))
    from = end
    at = end - 1
  }
  return masked + code.slice(from)
}

/** The place of the bracket that closes the one at `open`, in masked code; -1 when nothing does. */
export function closingBracket(masked: string, open: number): number {
  let depth = 0
  for (let at = open; at < masked.length; at++) {
    const char = masked[at]!
    if ('({['.includes(char)) depth++
    else if (')}]'.includes(char) && --depth === 0) return at
  }
  return -1
}
