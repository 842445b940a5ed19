/** Joins the contexts in which the branches of a block end; they must agree on what comes next. */
import type { HtmlContext } from './html-context.ts'
import { endTagName } from './html-walker.ts'
import { settleScript } from './script-context.ts'
import { settleStyle } from './style-context.ts'

/** Prepares a context for the border of a directive, where text may go on in different ways. */
export function settle(context: HtmlContext): void {
  context.fresh = false
  if (context.state === 'tag-name') endTagName(context, 0)
  if (context.language === 'script' || context.language === 'json') settleScript(context)
  if (context.language === 'style') settleStyle(context)
}

/** The context that holds after either; `undefined` when text after them would mean different things. */
export function joinContexts(a: HtmlContext, b: HtmlContext): HtmlContext | undefined {
  const left = { ...a }
  const right = { ...b }
  joinNames(left, right)
  joinSlash(left, right)
  joinUrls(left, right)
  const hasSource = left.hasSource && right.hasSource
  left.hasSource = right.hasSource = hasSource
  left.dynamicContent = right.dynamicContent = left.dynamicContent || right.dynamicContent
  return equal(left, right) ? left : undefined
}

/** True when a loop may run again from where its body ended: what its body begins with must mean the same there. */
export function mayRepeat(start: HtmlContext, end: HtmlContext): boolean {
  if (start.state !== end.state || start.url !== end.url || start.scheme !== end.scheme)
    return false
  return joinContexts(start, end) !== undefined
}

function equal(a: HtmlContext, b: HtmlContext): boolean {
  return (Object.keys(a) as (keyof HtmlContext)[]).every((key) => a[key] === b[key])
}

const betweenAttributes = new Set(['in-tag', 'attribute-name', 'after-name', 'joint'])

/** `<input#if (x) checked#end>`: one branch ends in a name, the other after a value or another name. */
function joinNames(a: HtmlContext, b: HtmlContext): void {
  if (!betweenAttributes.has(a.state) || !betweenAttributes.has(b.state)) return
  if (a.state === b.state && a.buffer === b.buffer && a.attribute === b.attribute) return
  for (const context of [a, b]) {
    context.state = 'joint'
    context.buffer = ''
    context.attribute = ''
  }
}

function joinSlash(a: HtmlContext, b: HtmlContext): void {
  if (a.language !== 'script' && a.language !== 'json') return
  if (a.slash !== b.slash) a.slash = b.slash = 'ambiguous'
  if (a.lastWord !== b.lastWord) a.lastWord = b.lastWord = '?'
}

function joinUrls(a: HtmlContext, b: HtmlContext): void {
  if (a.state !== 'value' || (a.kind !== 'url' && a.kind !== 'srcset')) return
  if (a.url === b.url && a.scheme === b.scheme) return
  if (a.url === 'descriptor' || b.url === 'descriptor') return
  const inQuery = [a.url, b.url].some((url) => url === 'query' || url === 'any')
  const undecided = [a.url, b.url].some((url) => url === 'start' || url === 'scheme')
  const url = inQuery ? (undecided ? 'any' : 'query') : undecided ? 'scheme' : 'root'
  const scheme = worse(a.scheme, b.scheme, undecided)
  a.url = b.url = url
  a.scheme = b.scheme = scheme
}

const safeScheme = /^(https?|mailto|tel):$/

/** A scheme that no expression may follow stays; otherwise the value is unknown or does not matter. */
function worse(a: string, b: string, undecided: boolean): string {
  const unsafe = [a, b].find((scheme) => scheme.includes(':') && !safeScheme.test(scheme))
  return unsafe ?? (undecided ? '?' : '')
}
