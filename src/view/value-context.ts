/** Follows the value of an attribute in the language it is written in. */
import { referenceAt } from './character-reference.ts'
import { ContextError, type HtmlContext, type Insert } from './html-context.ts'
import { advanceScript } from './script-context.ts'
import { advanceStyle } from './style-context.ts'
import { advanceUrl } from './url-context.ts'

const blank = /[\t\n\f\r ]/

export function openValue(context: HtmlContext, quote: HtmlContext['quote']): void {
  context.state = 'value'
  context.quote = quote
  context.language = context.kind === 'script' || context.kind === 'style' ? context.kind : ''
}

/** Back in the tag, with nothing left of the value. */
export function closeValue(context: HtmlContext): void {
  Object.assign(context, {
    state: 'in-tag',
    buffer: '',
    attribute: '',
    kind: 'plain',
    quote: '',
    language: '',
    url: 'start',
    scheme: '',
    script: 'code',
    slash: 'regexp',
    nesting: '',
    word: '',
    lastWord: '',
    escaped: false,
    doubt: '',
    style: 'code',
    inUrl: false,
    inImport: false,
    markup: false,
  } satisfies Partial<HtmlContext>)
}

/** Moves over one character or one character reference. */
export function advanceValue(
  context: HtmlContext,
  text: string,
  at: number,
  insert: Insert,
): number {
  const char = text[at]!
  if (ends(context, char)) return end(context, char, at, insert)
  if (context.quote === '+' && /["'`=<]/.test(char)) {
    throw new ContextError(
      at,
      `'${char}' cannot stand in an unquoted value with an expression: quote the value`,
    )
  }
  if (context.kind === 'plain') return at + 1
  if (context.kind === 'static') {
    if (context.element === 'script' && context.attribute === 'type') context.scriptType += char
    return at + 1
  }
  if (char === '&') return reference(context, text, at)
  follow(context, char, at)
  return at + 1
}

function ends(context: HtmlContext, char: string): boolean {
  if (context.quote === ' ' || context.quote === '+') return char === '>' || blank.test(char)
  return char === context.quote
}

function end(context: HtmlContext, char: string, at: number, insert: Insert): number {
  if (context.quote === '+') insert(at, 'quote')
  const quoted = char === context.quote
  closeValue(context)
  return quoted ? at + 1 : at
}

function reference(context: HtmlContext, text: string, at: number): number {
  const found = referenceAt(text, at)
  const known = typeof found === 'object'
  const unclear = found === 'unknown' || found === 'unfinished' || at === text.length - 1
  if (unclear && context.language !== '') {
    context.script = 'unknown'
    context.style = 'unknown'
    context.doubt =
      "a character reference before it hides what is meant: write the character itself, or '&amp;'"
    return at + 1
  }
  for (const char of known ? found.text : '&') follow(context, char, at)
  return at + (known ? found.length : 1)
}

function follow(context: HtmlContext, char: string, at: number): void {
  switch (context.kind) {
    case 'script':
      return advanceScript(context, char)
    case 'style':
      return advanceStyle(context, char)
    case 'url':
    case 'srcset':
      return advanceUrl(context, char, at)
    case 'document':
      if (char === '<') context.markup = true
      return
    case 'refresh':
      return advanceRefresh(context, char, at)
    case 'plain':
    case 'static':
  }
}

/** `content="0; url=…"`: what follows `url=` is a URL. */
function advanceRefresh(context: HtmlContext, char: string, at: number): void {
  if (context.inUrl) return advanceUrl(context, char, at)
  context.word = (context.word + char.toLowerCase()).slice(-4)
  if (context.word === 'url=') context.inUrl = true
}
