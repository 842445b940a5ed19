/** Follows CSS character by character, to know whether a value stands in code, in a string or in `url(…)`. */
import { ContextError, type HtmlContext } from './html-context.ts'

/** Moves over one character, already decoded when it stands in an attribute. */
export function advanceStyle(context: HtmlContext, char: string): void {
  switch (context.style) {
    case 'code':
      return code(context, char)
    case 'double':
      return string(context, char, '"')
    case 'single':
      return string(context, char, "'")
    case 'comment':
      return comment(context, char)
    case 'url':
      return unquotedUrl(context, char)
    case 'unknown':
  }
}

function code(context: HtmlContext, char: string): void {
  if (context.escaped) context.escaped = false
  else if (char === '\\') context.escaped = true
  else if (/[\w@-]/.test(char)) {
    context.word += char.toLowerCase()
    if (context.word === '@import') context.inImport = true
    return
  } else if (char === '"' || char === "'") context.style = char === '"' ? 'double' : 'single'
  else if (char === '(' && context.word.endsWith('url')) {
    context.style = 'url'
    context.inUrl = true
  } else if (char === '*' && context.lastWord === '/') context.style = 'comment'
  else if (char === ';' || char === '}') context.inImport = false
  context.lastWord = char
  context.word = ''
}

function string(context: HtmlContext, char: string, quote: string): void {
  if (context.escaped) context.escaped = false
  else if (char === '\\') context.escaped = true
  else if (char === quote || char === '\n' || char === '\r' || char === '\f') {
    context.style = 'code'
    context.inUrl = false
    context.lastWord = ''
  }
}

function comment(context: HtmlContext, char: string): void {
  if (char === '/' && context.lastWord === '*') {
    context.style = 'code'
    context.lastWord = ''
  } else context.lastWord = char
}

function unquotedUrl(context: HtmlContext, char: string): void {
  if (context.escaped) context.escaped = false
  else if (char === '\\') context.escaped = true
  else if ((char === '"' || char === "'") && context.inUrl)
    context.style = char === '"' ? 'double' : 'single'
  else if (char === ')') {
    context.style = 'code'
    context.inUrl = false
    context.lastWord = ''
  } else if (!/\s/.test(char)) context.inUrl = false
}

/** At the border of a directive. */
export function settleStyle(context: HtmlContext): void {
  context.word = ''
}

/** The escaper of a value at this place in a style. */
export function styleEscaper(context: HtmlContext): string {
  if (context.escaped)
    throw new ContextError(0, 'an expression cannot follow a backslash in a style')
  switch (context.style) {
    case 'double':
    case 'single':
      if (context.inImport) throw new ContextError(0, 'the URL of an @import must be static')
      return context.inUrl ? 'styleUrl' : 'styleString'
    case 'unknown':
      throw new ContextError(0, `an expression cannot stand here, for ${context.doubt}`)
    case 'comment':
      throw new ContextError(0, 'an expression cannot stand in a comment of a style')
    case 'url':
      throw new ContextError(
        0,
        'an expression cannot stand in url(…) without quotes: write url("${…}")',
      )
    case 'code':
      context.word = ''
      context.lastWord = ''
      return 'styleValue'
  }
}
