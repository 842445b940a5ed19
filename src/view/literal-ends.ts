/** Finds where a string or a regular expression of TypeScript ends. */
import type { TemplateSource } from './template-source.ts'

/** The position after the string whose quote is at `start`. */
export function stringEnd(source: TemplateSource, start: number): number {
  const { text } = source
  const quote = text[start]!
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at]
    if (char === '\\') at++
    else if (char === quote) return at + 1
    else if (char === '\n') break
  }
  throw source.error(start, `unclosed string: the closing ${quote} is missing`)
}

const flags = /[a-z]*/y

/** The position after the regular expression whose `/` is at `start`; `undefined` when its line ends first. */
export function regExpEnd(text: string, start: number): number | undefined {
  let inClass = false
  for (let at = start + 1; at < text.length && text[at] !== '\n'; at++) {
    const char = text[at]!
    if (char === '\\') at++
    else if (char === '[') inClass = true
    else if (char === ']') inClass = false
    else if (char === '/' && !inClass) {
      flags.lastIndex = at + 1
      return at + 1 + flags.exec(text)![0].length
    }
  }
  return undefined
}
