/**
 * Finds the end of the TypeScript code in a tag, an expression or a directive. For this, it recognizes only strings,
 * comments, regular expressions and brackets.
 */
import type { Bracket, Code } from './nodes.ts'
import type { TemplateError, TemplateSource } from './template-source.ts'

export type Terminator = '%>' | '}' | ')'

const beforeRegExp = new Set(
  'return typeof instanceof in of new delete void throw case do else await yield'.split(' '),
)
/** Maps a closing bracket to its opening bracket. */
export const openers: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }
const unclosed: Readonly<Record<Terminator, string>> = {
  '%>': "unclosed '<%': the closing '%>' is missing",
  '}': "unclosed '${': the closing '}' is missing",
  ')': "unclosed '(' of a directive: the closing ')' is missing",
}
const word = /[\p{ID_Start}$_#][\p{ID_Continue}$\u200c\u200d]*/uy
const number = /\d[\w.]*/y

/**
 * Scans code from offset `start` to its terminator. An error for a missing terminator refers to `from`, the start of
 * the tag, expression or directive.
 */
export function scanCode(
  source: TemplateSource,
  start: number,
  terminator: Terminator,
  from: number,
): Code {
  return new CodeScanner(source, start, terminator, from, 0).scan()
}

/** The maximum number of template literals in each other. */
const maximumDepth = 100

class CodeScanner {
  readonly #source: TemplateSource
  readonly #text: string
  readonly #start: number
  readonly #terminator: Terminator
  readonly #from: number
  readonly #depth: number
  #at: number
  #open: Bracket[] = []
  #close: Bracket[] = []
  #rest: number
  #names = new Set<string>()
  #commas: number[] = []
  #lastGroup: { open: number; close: number } | undefined
  #comment = -1
  /** The last token: a word, a punctuation character, `value` for a literal, or `''` at the beginning. */
  #last = ''
  /** The word before the last closed pair of parentheses, such as `if` in `if (…)`. */
  #closedHead = ''
  #member = false

  constructor(
    source: TemplateSource,
    start: number,
    terminator: Terminator,
    from: number,
    depth: number,
  ) {
    this.#source = source
    this.#text = source.text
    this.#start = start
    this.#rest = start
    this.#terminator = terminator
    this.#from = from
    this.#depth = depth
    this.#at = start
  }

  scan(): Code {
    while (this.#at < this.#text.length) {
      const end = this.#step()
      if (end !== undefined) return end
    }
    throw this.#unclosed('')
  }

  #unclosed(detail: string): TemplateError {
    return this.#source.error(this.#from, unclosed[this.#terminator] + detail)
  }

  #step(): Code | undefined {
    const char = this.#text[this.#at]!
    if (char === '%' && this.#text[this.#at + 1] === '>') return this.#tagEnd()
    if (char <= ' ') return void this.#at++
    if (this.#match(word)) return undefined
    if (this.#match(number)) return undefined
    if (char === '"' || char === "'") return this.#literal(this.#stringEnd(char))
    if (char === '`') return this.#literal(this.#templateEnd())
    if (char === '/') return this.#slash()
    if (char === '(' || char === '[' || char === '{') return this.#opened(char)
    if (char === ')' || char === ']' || char === '}') return this.#closed(char)
    return this.#operator(char)
  }

  #match(pattern: RegExp): boolean {
    const found = this.#source.match(pattern, this.#at)?.[0]
    if (found === undefined) return false
    this.#member = this.#last === '.'
    if (pattern === word && !this.#member) this.#names.add(found)
    this.#last = found
    this.#at += found.length
    return true
  }

  #literal(end: number): undefined {
    this.#last = 'value'
    this.#at = end
  }

  #operator(char: string): undefined {
    if (char === ',' && this.#open.length === 0) this.#commas.push(this.#at)
    const next = this.#text[this.#at + 1]
    if (char === '<' && next === '%')
      throw this.#unclosed(` before the '<%' at ${this.#source.place(this.#at)}`)
    if ((char === '+' || char === '-') && next === char) return void (this.#at += 2)
    const arrow = char === '=' && next === '>'
    const optional = char === '?' && next === '.'
    this.#last = arrow ? '=>' : optional ? '.' : char
    this.#at += arrow || optional ? 2 : 1
  }

  #tagEnd(): Code {
    if (this.#terminator === '%>') return this.#done(this.#at, this.#at + 2)
    throw this.#unclosed(` before the '%>' at ${this.#source.place(this.#at)}`)
  }

  #done(end: number, next: number): Code {
    const trailing = this.#comment >= 0 && !this.#text.slice(this.#comment, end).includes('\n')
    return {
      start: this.#start,
      end,
      codeEnd: trailing ? this.#comment : end,
      next,
      open: this.#open,
      close: this.#close,
      rest: this.#rest,
      names: this.#names,
      commas: this.#commas,
      lastGroup: this.#lastGroup,
    }
  }

  #headOf(char: string): string {
    if (this.#last === ')') return this.#closedHead
    if (char === '{' && (this.#last === ';' || this.#last === '{' || this.#last === '}')) return ''
    return this.#last
  }

  #opened(char: string): undefined {
    this.#open.push({ char, pos: this.#at, head: this.#headOf(char) })
    this.#last = char
    this.#at++
  }

  #closed(char: string): Code | undefined {
    const at = this.#at
    const open = this.#open.pop()
    if (open === undefined) {
      if (this.#terminator === char) return this.#done(at, at + 1)
      if (this.#terminator !== '%>')
        throw this.#source.error(at, `unexpected '${char}' in an expression`)
      this.#close.push({ char, pos: at, head: '' })
      this.#rest = at + 1
    } else if (open.char !== openers[char]) {
      throw this.#source.error(
        at,
        `'${char}' does not match the '${open.char}' at ${this.#source.place(open.pos)}`,
      )
    } else {
      this.#closedHead = open.head
      if (this.#open.length === 0) this.#lastGroup = { open: open.pos, close: at }
    }
    this.#last = char
    this.#at++
    return undefined
  }

  #slash(): undefined {
    const next = this.#text[this.#at + 1]
    if (next === '/') return this.#lineComment()
    if (next === '*') {
      const end = this.#text.indexOf('*/', this.#at + 2)
      if (end < 0)
        throw this.#source.error(this.#at, "unclosed comment: the closing '*/' is missing")
      this.#at = end + 2
      return undefined
    }
    if (this.#beforeRegExp()) return this.#literal(this.#regExpEnd())
    this.#last = '/'
    this.#at++
  }

  #beforeRegExp(): boolean {
    if (['value', ')', ']', '}'].includes(this.#last)) return false
    if (!/^[\p{ID_Continue}$#]/u.test(this.#last)) return true
    return !this.#member && beforeRegExp.has(this.#last)
  }

  /** Skips a line comment, which ends at the end of its line or of the tag. */
  #lineComment(): undefined {
    this.#comment = this.#at
    const line = this.#text.indexOf('\n', this.#at)
    const tag = this.#terminator === '%>' ? this.#text.indexOf('%>', this.#at) : -1
    const end = line < 0 ? this.#text.length : line
    this.#at = tag >= 0 && tag < end ? tag : end
  }

  #templateEnd(): number {
    for (let at = this.#at + 1; at < this.#text.length; at++) {
      const char = this.#text[at]
      if (char === '\\') at++
      else if (char === '`') return at + 1
      else if (char === '$' && this.#text[at + 1] === '{') {
        const depth = this.#depth + 1
        if (depth > maximumDepth)
          throw this.#source.error(at, `more than ${maximumDepth} template literals in each other`)
        const inner = new CodeScanner(this.#source, at + 2, '}', at, depth).scan()
        for (const name of inner.names) this.#names.add(name)
        at = inner.next - 1
      }
    }
    throw this.#source.error(this.#at, 'unclosed template literal: the closing ` is missing')
  }

  #stringEnd(quote: string): number {
    for (let at = this.#at + 1; at < this.#text.length; at++) {
      const char = this.#text[at]
      if (char === '\\') at++
      else if (char === quote) return at + 1
      else if (char === '\n') break
    }
    throw this.#source.error(this.#at, `unclosed string: the closing ${quote} is missing`)
  }

  #regExpEnd(): number {
    let inClass = false
    for (let at = this.#at + 1; at < this.#text.length && this.#text[at] !== '\n'; at++) {
      const char = this.#text[at]
      if (char === '\\') at++
      else if (char === '[') inClass = true
      else if (char === ']') inClass = false
      else if (char === '/' && !inClass) {
        const [flags] = this.#source.match(/[a-z]*/y, at + 1)!
        return at + 1 + flags.length
      }
    }
    const place = this.#source.place(this.#at)
    throw this.#unclosed(`, or the '/' of the regular expression at ${place}`)
  }
}
