/** Follows JavaScript and JSON character by character, to know whether a value stands in code, a string or a regular expression. */
import { ContextError, type HtmlContext } from './html-context.ts'

const beforeRegExp = new Set(
  'return typeof instanceof in of new delete void throw case do else await yield'.split(' '),
)
const beforeCondition = new Set(['if', 'while', 'for', 'with'])
const wordPart = /[\w$\u0080-\uffff]/
const blank = /[\s\ufeff]/
const lineEnd = /[\n\r\u2028\u2029]/

/** Moves over one character, already decoded when it stands in an attribute. */
export function advanceScript(context: HtmlContext, char: string): void {
  switch (context.script) {
    case 'code':
      return code(context, char)
    case 'slash':
      return afterSlash(context, char)
    case 'double':
      return string(context, char, '"')
    case 'single':
      return string(context, char, "'")
    case 'template':
      return template(context, char)
    case 'regexp':
    case 'regexp-class':
      return regExp(context, char)
    case 'line':
      if (lineEnd.test(char)) context.script = 'code'
      return
    case 'block':
      return blockComment(context, char)
    case 'unknown':
  }
}

function code(context: HtmlContext, char: string): void {
  if (wordPart.test(char) && !blank.test(char)) {
    context.word += char
    return
  }
  endWord(context)
  if (blank.test(char)) return
  if (char === '/') context.script = 'slash'
  else if (char === '"' || char === "'" || char === '`') openString(context, char)
  else if (char === '(' || char === '[' || char === '{') open(context, char)
  else if (char === ')' || char === ']' || char === '}') close(context, char)
  else {
    const doubled = (char === '+' || char === '-') && context.lastWord === char
    context.slash = doubled ? 'ambiguous' : 'regexp'
    context.lastWord = char
  }
}

function endWord(context: HtmlContext): void {
  if (context.word === '') return
  const member = context.lastWord === '.'
  context.slash = !member && beforeRegExp.has(context.word) ? 'regexp' : 'divide'
  context.lastWord = member ? 'member' : context.word
  context.word = ''
}

function openString(context: HtmlContext, quote: string): void {
  context.script = quote === '"' ? 'double' : quote === "'" ? 'single' : 'template'
  context.lastWord = ''
}

function open(context: HtmlContext, char: string): void {
  const condition = char === '(' && beforeCondition.has(context.lastWord)
  context.nesting += condition ? 'c' : char === '(' && context.lastWord === '?' ? '?' : char
  context.slash = 'regexp'
  context.lastWord = ''
}

function close(context: HtmlContext, char: string): void {
  const opened = context.nesting.at(-1)
  context.nesting = context.nesting.slice(0, -1)
  context.lastWord = ''
  if (opened === '`' && char === '}') {
    context.script = 'template'
    return
  }
  if (opened === '`') return doubt(context, `the '${char}' before it does not match`)
  if (char === ')')
    context.slash = opened === 'c' ? 'regexp' : opened === '(' ? 'divide' : 'ambiguous'
  else context.slash = char === ']' ? 'divide' : 'ambiguous'
}

function afterSlash(context: HtmlContext, char: string): void {
  if (char === '/' || char === '*') {
    context.script = char === '/' ? 'line' : 'block'
    return
  }
  settleSlash(context)
  advanceScript(context, char)
}

/** Decides what a `/` was that begins no comment. */
function settleSlash(context: HtmlContext): void {
  if (context.slash === 'ambiguous') {
    return doubt(
      context,
      "a '/' before it may be a division or a regular expression: put what stands at its left, or the expression, in a variable",
    )
  }
  context.script = context.slash === 'regexp' ? 'regexp' : 'code'
  context.slash = 'regexp'
  context.lastWord = '/'
}

function doubt(context: HtmlContext, why: string): void {
  context.script = 'unknown'
  context.doubt = why
}

function string(context: HtmlContext, char: string, quote: string): void {
  if (context.escaped) context.escaped = false
  else if (char === '\\') context.escaped = true
  else if (char === quote || char === '\n' || char === '\r') endLiteral(context)
}

function endLiteral(context: HtmlContext): void {
  context.script = 'code'
  context.slash = 'divide'
  context.lastWord = ''
}

function template(context: HtmlContext, char: string): void {
  if (context.escaped) context.escaped = false
  else if (char === '\\') context.escaped = true
  else if (char === '`') return endLiteral(context)
  else if (char === '{' && context.lastWord === '$') {
    context.nesting += '`'
    context.script = 'code'
    context.slash = 'regexp'
    context.lastWord = ''
    return
  } else if (char === '$') {
    context.lastWord = '$'
    return
  }
  context.lastWord = ''
}

function regExp(context: HtmlContext, char: string): void {
  if (context.escaped) context.escaped = false
  else if (char === '\\') context.escaped = true
  else if (char === '[') context.script = 'regexp-class'
  else if (char === ']') context.script = 'regexp'
  else if (lineEnd.test(char) || (char === '/' && context.script === 'regexp')) endLiteral(context)
}

function blockComment(context: HtmlContext, char: string): void {
  if (char === '/' && context.lastWord === '*') {
    context.script = 'code'
    context.lastWord = ''
  } else context.lastWord = char
}

/** At the border of a directive a word may go on in one branch and not in the other: what follows it is unknown. */
export function settleScript(context: HtmlContext): void {
  if (context.word === '') return
  context.word = ''
  context.lastWord = '?'
  context.slash = 'ambiguous'
}

/** The escaper of a value at this place in a script. */
export function scriptEscaper(context: HtmlContext): string {
  if (context.escaped)
    throw new ContextError(0, 'an expression cannot follow a backslash in a script')
  if (context.script === 'slash') settleSlash(context)
  switch (context.script) {
    case 'double':
    case 'single':
      return 'scriptString'
    case 'regexp':
    case 'regexp-class':
      return 'scriptRegExp'
    case 'template':
      throw new ContextError(
        0,
        'in a template literal of the browser this could mean either: write \\${…} for the browser, or put the value in a variable before',
      )
    case 'unknown':
      throw new ContextError(0, `an expression cannot stand here, for ${context.doubt}`)
    case 'line':
    case 'block':
      throw new ContextError(0, 'an expression cannot stand in a comment of a script')
    default:
      context.word = ''
      context.lastWord = ''
      context.slash = 'divide'
      return 'scriptValue'
  }
}
