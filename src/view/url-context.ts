/** Follows a URL or a `srcset` in an attribute, to know whether a value could still choose the scheme. */
import { ContextError, type HtmlContext } from './html-context.ts'

const schemes = new Set(['http', 'https', 'mailto', 'tel'])
const imageData = /^data:image\/(png|gif|jpe?g|webp|avif);base64,/i

/** Moves over one character, already decoded. */
export function advanceUrl(context: HtmlContext, char: string, at: number): void {
  if (context.kind === 'srcset' && betweenCandidates(context, char)) return
  if (context.url === 'start' && /[\s\u0000-\u0020]/.test(char)) return
  if (char === '?' || char === '#') context.url = context.url === 'any' ? 'any' : 'query'
  else if (context.url === 'start' || context.url === 'scheme') schemeCharacter(context, char, at)
  else if (context.url === 'root') context.url = 'path'
  else if (context.url === 'any' && char === ':') throw dynamicScheme(at)
  else if (context.scheme.startsWith('data:') && context.scheme.length < 40) context.scheme += char
}

function schemeCharacter(context: HtmlContext, char: string, at: number): void {
  if (char === '/') context.url = context.url === 'start' ? 'root' : 'path'
  else if (char === ':') {
    if (context.scheme.includes('?')) throw dynamicScheme(at)
    context.url = 'path'
    context.scheme += ':'
  } else {
    context.url = 'scheme'
    context.scheme += char.toLowerCase()
  }
}

function betweenCandidates(context: HtmlContext, char: string): boolean {
  if (char === ',') {
    context.url = 'start'
    context.scheme = ''
    return true
  }
  if (/\s/.test(char)) {
    if (context.url !== 'start') context.url = 'descriptor'
    return true
  }
  return context.url === 'descriptor'
}

const dynamicScheme = (at: number): ContextError =>
  new ContextError(
    at,
    "a ':' after an expression would let the value choose the scheme: write the scheme before it, or encode the ':' as %3A",
  )

/** The escaper of a value at this place in a URL. */
export function urlEscaper(context: HtmlContext): string {
  if (context.scheme.endsWith(':') || context.scheme.startsWith('data:'))
    checkScheme(context.scheme)
  const list = context.kind === 'srcset'
  switch (context.url) {
    case 'start':
      context.url = 'scheme'
      context.scheme = '?'
      return list ? 'sourceSetStart' : 'urlStart'
    case 'scheme':
      context.scheme = '?'
      return list ? 'sourceSetPart' : 'urlTail'
    case 'root':
      return list ? 'sourceSetPart' : 'urlRoot'
    case 'path':
      return list ? 'sourceSetPart' : 'urlPart'
    case 'descriptor':
      return 'sourceSetNumber'
    default:
      return 'urlComponent'
  }
}

function checkScheme(scheme: string): void {
  const name = scheme.slice(0, scheme.indexOf(':'))
  if (schemes.has(name) || imageData.test(scheme)) return
  throw new ContextError(
    0,
    `an expression cannot stand in a ${name}: URL; http, https, mailto, tel and base64 images are safe`,
  )
}
