/** Finds attributes that a Content-Security-Policy may forbid: styles, handlers, script URLs, and files of other sites. */
import type { Token } from 'parse5'
import { valueOf } from './attribute-contexts.ts'
import type { Markers } from './markers.ts'

/** An attribute for which browsers ask a directive of the Content-Security-Policy. */
export interface PolicyUse {
  readonly kind: 'style' | 'handler' | 'script URL' | 'evaluated code' | 'address'
  readonly directive: string
  readonly attribute: string
  /** The value of a style, in which markers stand for expressions; the scheme and host of an address; else ''. */
  readonly value: string
}

/** Returns the use of an attribute; `undefined` if no directive applies, or only an expression determines the address. */
export function findPolicyUse(
  token: Token.TagToken,
  { name, value }: Token.Attribute,
  markers: Markers,
): PolicyUse | undefined {
  const use = { attribute: name, value: '' }
  if (name === 'style') return { ...use, kind: 'style', directive: 'style-src-attr', value }
  if (/^on[a-z]+$/.test(name) && !token.tagName.includes('-'))
    return { ...use, kind: 'handler', directive: 'script-src-attr' }
  if (/^(?:data-)?hx-on\b/.test(name))
    return { ...use, kind: 'evaluated code', directive: 'script-src' }
  if (/^(?:href|action|formaction|src|data|xlink:href)$/.test(name) && isScriptUrl(value))
    return { ...use, kind: 'script URL', directive: 'script-src-elem' }
  const directive = directiveOf(token, name)
  const origin = directive === undefined ? undefined : originOf(value, name, markers)
  return origin === undefined || directive === undefined
    ? undefined
    : { ...use, kind: 'address', directive, value: origin }
}

const isScriptUrl = (value: string): boolean =>
  /^[\u0000-\u0020]*javascript:/i.test(value.replace(/[\t\n\r]/g, ''))

/** The directives of the attributes that load files or lead to other sites, by element and attribute. */
const directives: Readonly<Record<string, string>> = {
  'script src': 'script-src-elem',
  'img src': 'img-src',
  'img srcset': 'img-src',
  'input src': 'img-src',
  'image href': 'img-src',
  'video poster': 'img-src',
  'video src': 'media-src',
  'audio src': 'media-src',
  'track src': 'media-src',
  'source src': 'media-src',
  'source srcset': 'img-src',
  'iframe src': 'frame-src',
  'object data': 'object-src',
  'embed src': 'object-src',
  'form action': 'form-action',
  'button formaction': 'form-action',
  'input formaction': 'form-action',
  'base href': 'base-uri',
}
const linkDirectives: readonly (readonly [RegExp, string])[] = [
  [/\bstylesheet\b/, 'style-src-elem'],
  [/\bicon\b/, 'img-src'],
  [/\bmanifest\b/, 'manifest-src'],
  [/\bmodulepreload\b/, 'script-src-elem'],
]

function directiveOf(token: Token.TagToken, name: string): string | undefined {
  if (token.tagName !== 'link') return directives[`${token.tagName} ${name}`]
  const rel = (valueOf(token, 'rel') ?? '').toLowerCase()
  return name === 'href' ? linkDirectives.find(([pattern]) => pattern.test(rel))?.[1] : undefined
}

/** Returns the scheme and host of an absolute URL, or `data:`; `undefined` for others, and if an expression is in them. */
function originOf(value: string, name: string, markers: Markers): string | undefined {
  const [place] = markers.find(value)
  const text = (place === undefined ? value : value.slice(0, place.start)).trim()
  if (/^data:/i.test(text)) return 'data:'
  const [, scheme, host, rest] = /^(https?:)?\/\/([^\s/?#,]+)([/?#\s,]|$)/i.exec(text) ?? []
  const isWhole = rest !== '' || place === undefined
  if (host === undefined || !isWhole || (name === 'srcset' && host.includes('@'))) return undefined
  return `${(scheme ?? 'https:').toLowerCase()}//${host.toLowerCase()}`
}
