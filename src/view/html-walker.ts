/** Moves an HTML context over the static text of a template, as a browser's tokenizer would. */
import { attributeKind, runs, scriptKind } from './attribute-kinds.ts'
import { ContextError, reset, type HtmlContext, type Insert } from './html-context.ts'
import { advanceRaw, rawLanguage } from './raw-context.ts'
import { advanceValue, closeValue, openValue } from './value-context.ts'

const blank = /[\t\n\f\r ]/

export function advanceHtml(context: HtmlContext, text: string, insert: Insert): void {
  let at = 0
  while (at < text.length) at = step(context, text, at, insert)
}

/** Handles the character at `at` and answers where to go on. */
function step(context: HtmlContext, text: string, at: number, insert: Insert): number {
  const char = text[at]!
  switch (context.state) {
    case 'text':
      return inText(context, text, at, insert)
    case 'tag-open':
    case 'end-tag-open':
      return tagOpen(context, char, at)
    case 'tag-name':
      return tagName(context, char, at)
    case 'in-tag':
      return inTag(context, char, at, insert)
    case 'attribute-name':
      return attributeName(context, char, at)
    case 'after-name':
      return afterName(context, char, at)
    case 'before-value':
      return beforeValue(context, char, at)
    case 'value':
      return advanceValue(context, text, at, insert)
    case 'markup':
      return markup(context, text, at)
    case 'doctype':
    case 'bogus':
      if (char === '>') reset(context, 'text')
      return at + 1
    case 'comment':
      return comment(context, char, at)
    case 'raw':
      return advanceRaw(context, char, at)
    case 'joint':
      return joint(context, char, at)
  }
}

function inText(context: HtmlContext, text: string, at: number, insert: Insert): number {
  context.fresh = false
  const open = text.indexOf('<', at)
  if (open < 0) return text.length
  context.state = 'tag-open'
  insert(open, 'tag')
  return open + 1
}

function tagOpen(context: HtmlContext, char: string, at: number): number {
  const closing = context.state === 'end-tag-open'
  if (/[a-zA-Z]/.test(char)) {
    reset(context, 'tag-name', { closing })
    return at
  }
  if (!closing && char === '/') context.state = 'end-tag-open'
  else if (!closing && char === '!') reset(context, 'markup')
  else if (closing || char === '?') {
    reset(context, closing && char === '>' ? 'text' : 'bogus')
    return char === '>' ? at + 1 : at
  } else {
    reset(context, 'text')
    return at
  }
  return at + 1
}

function tagName(context: HtmlContext, char: string, at: number): number {
  if (!blank.test(char) && char !== '/' && char !== '>') {
    context.buffer += char.toLowerCase()
    return at + 1
  }
  endTagName(context, at)
  return at
}

/** Also called where a directive follows a tag name directly. */
export function endTagName(context: HtmlContext, at: number): void {
  context.element = context.buffer
  context.buffer = ''
  context.state = 'in-tag'
  if (context.element === 'plaintext')
    throw new ContextError(at, '<plaintext> never ends: use <pre>')
}

function inTag(context: HtmlContext, char: string, at: number, insert: Insert): number {
  if (char === '>') {
    endTag(context, at, insert)
    return at + 1
  }
  if (blank.test(char)) context.buffer = ''
  else if (char === '/') context.buffer = '/'
  else if (char === '"' || char === "'" || char === '<' || char === '=') {
    throw new ContextError(
      at,
      `unexpected '${char}' in a tag: is a quote or a '>' missing before it?`,
    )
  } else {
    context.state = 'attribute-name'
    context.buffer = ''
    return at
  }
  return at + 1
}

function endTag(context: HtmlContext, at: number, insert: Insert): void {
  const { element, closing, scriptType, hasSource, buffer } = context
  if (closing) return reset(context, 'text')
  const language = rawLanguage(element)
  if (language === undefined)
    return reset(context, 'text', { fresh: element === 'pre' || element === 'listing' })
  if (buffer === '/')
    throw new ContextError(
      at,
      `<${element}/> does not close itself in HTML: write <${element}></${element}>`,
    )
  if (element === 'style' || (element === 'script' && !hasSource && runs(scriptType)))
    insert(at, 'nonce')
  const kind = element === 'script' ? scriptKind(scriptType) : undefined
  const spoken =
    kind === undefined ? language : kind === 'code' ? 'script' : kind === 'json' ? 'json' : ''
  reset(context, 'raw', { element, language: spoken, fresh: element === 'textarea' })
}

function attributeName(context: HtmlContext, char: string, at: number): number {
  if (char === '"' || char === "'" || char === '<') {
    throw new ContextError(
      at,
      `unexpected '${char}' in an attribute name: is a '=' or a blank missing before it?`,
    )
  }
  if (char !== '=' && char !== '>' && char !== '/' && !blank.test(char)) {
    context.buffer += char.toLowerCase()
    return at + 1
  }
  endAttributeName(context, at)
  return at
}

function endAttributeName(context: HtmlContext, at: number): void {
  const name = context.buffer
  context.attribute = name
  context.buffer = ''
  context.state = 'after-name'
  const { element, closing } = context
  if (closing) return
  if (name === 'nonce' && (element === 'script' || element === 'style')) {
    throw new ContextError(
      at - name.length,
      `the nonce of <${element}> is written by the compiler: remove it`,
    )
  }
  if (element === 'script' && name === 'src') context.hasSource = true
  if (element !== 'meta' || name !== 'http-equiv') return
  context.refreshes = true
  if (context.dynamicContent)
    throw new ContextError(
      at - name.length,
      'write http-equiv before the content that holds an expression',
    )
}

function afterName(context: HtmlContext, char: string, at: number): number {
  if (char === '=') {
    if (context.attribute.includes('?'))
      throw new ContextError(
        at,
        'the name of an attribute with a value must be static: put it into one branch with its value',
      )
    context.kind = attributeKind(context.element, context.attribute)
    context.state = 'before-value'
    return at + 1
  }
  if (blank.test(char)) return at + 1
  context.state = 'in-tag'
  context.attribute = ''
  return at
}

function beforeValue(context: HtmlContext, char: string, at: number): number {
  if (blank.test(char)) return at + 1
  if (char === '>') {
    closeValue(context)
    return at
  }
  const quoted = char === '"' || char === "'"
  openValue(context, quoted ? char : ' ')
  return quoted ? at + 1 : at
}

function markup(context: HtmlContext, text: string, at: number): number {
  context.buffer += text[at]!
  const { buffer } = context
  if (buffer === '--') reset(context, 'comment', { buffer: 'start' })
  else if (buffer === '[CDATA[')
    throw new ContextError(
      at - 6,
      'CDATA sections mean different things in HTML and SVG: write the text with entities',
    )
  else if (/^doctype$/i.test(buffer)) reset(context, 'doctype')
  else if (
    !'--'.startsWith(buffer) &&
    !'[CDATA['.startsWith(buffer) &&
    !/^d(o(c(t(y(pe?)?)?)?)?)?$/i.test(buffer)
  ) {
    reset(context, 'bogus')
    return at
  }
  return at + 1
}

/** The buffer holds the last characters: `start` right after `<!--`, then what could become `-->` or `--!>`. */
function comment(context: HtmlContext, char: string, at: number): number {
  const before = context.buffer
  const ends = before === '--' || before === '--!' || before === 'start' || before === 'start-'
  if (char === '>' && ends) reset(context, 'text')
  else if (char === '-')
    context.buffer =
      before === 'start'
        ? 'start-'
        : before === '-' || before === '--' || before === 'start-'
          ? '--'
          : '-'
  else context.buffer = char === '!' && before === '--' ? '--!' : ''
  return at + 1
}

function joint(context: HtmlContext, char: string, at: number): number {
  if (blank.test(char)) {
    context.state = 'after-name'
    context.attribute = '?'
    return at + 1
  }
  if (char !== '>' && char !== '/')
    throw new ContextError(at, 'a blank is missing between this and the attribute before it')
  context.state = 'in-tag'
  return at
}
