/** Chooses the escapers of an expression from its place in HTML, or refuses the place. */
import { ContextError, describe, type HtmlContext } from './html-context.ts'
import { refuseUnfinishedTag } from './raw-context.ts'
import { scriptEscaper } from './script-context.ts'
import { styleEscaper } from './style-context.ts'
import { urlEscaper } from './url-context.ts'
import { openValue } from './value-context.ts'

/** Escapers from the outermost to the innermost, and what is printed before the value. */
export interface Escape {
  readonly escapers: readonly string[]
  readonly before: string
}

/** The escape of an expression here; moves the context behind it. */
export function escapeHere(context: HtmlContext): Escape {
  const before = context.state === 'before-value' ? '"' : context.fresh ? '\n' : ''
  context.fresh = false
  if (context.state === 'before-value') openValue(context, '+')
  return { escapers: escapersHere(context), before }
}

function escapersHere(context: HtmlContext): string[] {
  switch (context.state) {
    case 'text':
      return ['escapeText']
    case 'comment':
    case 'bogus':
      context.buffer = ''
      return ['escapeComment']
    case 'raw':
      return rawEscapers(context)
    case 'value':
      return valueEscapers(context)
    case 'in-tag':
    case 'after-name':
      return nameEscaper(context)
    case 'attribute-name':
      return namePartEscaper(context)
    case 'tag-open':
    case 'end-tag-open':
    case 'tag-name':
      throw new ContextError(
        0,
        'the name of a tag must be static: an expression cannot choose it. For a plain < write &lt;',
      )
    default:
      throw new ContextError(0, `an expression cannot stand here, ${describe(context)}`)
  }
}

function rawEscapers(context: HtmlContext): string[] {
  refuseUnfinishedTag(context)
  if (context.language === 'style') return [styleEscaper(context)]
  if (context.language !== '') return [scriptEscaper(context)]
  return ['escapeAttribute']
}

function nameEscaper(context: HtmlContext): string[] {
  if (context.closing) throw new ContextError(0, 'an expression cannot stand in an end tag')
  context.state = 'attribute-name'
  context.buffer = '?'
  return ['attributeName']
}

function namePartEscaper(context: HtmlContext): string[] {
  if (!/^(data|aria)-/.test(context.buffer)) {
    throw new ContextError(
      0,
      `an expression cannot be part of the attribute name '${context.buffer}…': only of data-… and aria-…`,
    )
  }
  context.buffer += 'x'
  return ['attributeNamePart']
}

function valueEscapers(context: HtmlContext): string[] {
  const inner = innerEscaper(context)
  if (context.quote === ' ')
    return inner === undefined ? ['escapeUnquoted'] : ['escapeUnquoted', inner]
  if (inner === undefined) return ['escapeAttribute']
  return isUrl(context) ? ['escapeAmpersand', inner] : ['escapeAttribute', inner]
}

/** A URL escaper leaves of the characters that mean something in HTML only the ampersand. */
function isUrl({ kind, inUrl }: HtmlContext): boolean {
  return kind === 'url' || kind === 'srcset' || (kind === 'refresh' && inUrl)
}

function innerEscaper(context: HtmlContext): string | undefined {
  switch (context.kind) {
    case 'plain':
      return undefined
    case 'script':
      return scriptEscaper(context)
    case 'style':
      return styleEscaper(context)
    case 'url':
    case 'srcset':
      return urlEscaper(context)
    case 'document':
      if (context.markup)
        throw new ContextError(
          0,
          'srcdoc takes one expression or static markup, not both: build the document as a partial',
        )
      return 'documentText'
    case 'refresh':
      return refreshEscaper(context)
    case 'static':
      throw new ContextError(
        0,
        `the attribute '${context.attribute}' of <${context.element}> must be static: it decides how a browser reads the rest`,
      )
  }
}

function refreshEscaper(context: HtmlContext): string | undefined {
  context.dynamicContent = true
  if (!context.refreshes) return undefined
  if (context.inUrl) return urlEscaper(context)
  throw new ContextError(0, 'in a meta http-equiv an expression can only stand after url=')
}
