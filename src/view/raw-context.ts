/** Follows the content of elements whose content is no markup: scripts, styles, titles, text areas. */
import { ContextError, reset, type HtmlContext } from './html-context.ts'
import { advanceScript } from './script-context.ts'
import { advanceStyle } from './style-context.ts'

const languages: Readonly<Record<string, HtmlContext['language']>> = {
  script: 'script',
  style: 'style',
  title: '',
  textarea: '',
  xmp: '',
  iframe: '',
  noembed: '',
  noframes: '',
}

/** The language of the content of `element`, `` for text; `undefined` when its content is markup. */
export function rawLanguage(element: string): HtmlContext['language'] | undefined {
  return Object.hasOwn(languages, element) ? languages[element] : undefined
}

/** Moves over one character; `buffer` holds what could become the end tag, or a comment that hides it. */
export function advanceRaw(context: HtmlContext, char: string, at: number): number {
  context.fresh = false
  if (/[\t\n\f\r />]/.test(char) && context.buffer === '</' + context.element) {
    reset(context, 'in-tag', { element: context.element, closing: true })
    return at
  }
  follow(context, char, at)
  if (context.language === 'style') advanceStyle(context, char)
  else if (context.language !== '') advanceScript(context, char)
  return at + 1
}

function follow(context: HtmlContext, char: string, at: number): void {
  const grown = context.buffer + char.toLowerCase()
  const { element } = context
  if (grown === '<!--' && element === 'script') {
    throw new ContextError(
      at - 3,
      "'<!--' changes how browsers read the rest of a script: remove it, or write '<\\!--' in a string",
    )
  }
  if (('</' + element).startsWith(grown) || '<!--'.startsWith(grown)) context.buffer = grown
  else context.buffer = char === '<' ? '<' : ''
}

/** An expression cannot continue what may become the end tag. */
export function refuseUnfinishedTag(context: HtmlContext): void {
  const { buffer, language, element } = context
  if (buffer === '' || (buffer === '<' && language !== '')) {
    context.buffer = ''
    return
  }
  throw new ContextError(
    0,
    `after '${buffer}' the value could end <${element}>: put a blank or another character between`,
  )
}
