/** Compares how parsers read two renderings of a page. Only values may differ, not the structure. */
import { parse as parseScript } from 'acorn'
import { type DefaultTreeAdapterTypes, parse as parseHtml } from 'parse5'
import { attributeKind, type AttributeKind, scriptKind, tokenizeStyle } from '../contexts.ts'

type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

/**
 * Describes the first difference in structure between two renderings; `undefined` if only values differ. `bareNames` is
 * false if expressions print attribute names.
 */
export function pageDifference(
  harmless: string,
  hostile: string,
  bareNames: boolean,
): string | undefined {
  // A browser that runs scripts parses the content of noscript as text; one without scripts parses it as markup.
  // Compare both.
  const settings = /<noscript/i.test(harmless) ? [true, false] : [true]
  for (const scriptingEnabled of settings) {
    const [one, other] = [harmless, hostile].map((html) => parseHtml(html, { scriptingEnabled }))
    const difference = nodeDifference(one!, other!, bareNames)
    if (difference !== undefined) return difference
  }
  return undefined
}

/** Returns the texts of all HTML comments of a page, including those in `srcdoc` documents. */
export const commentTexts = (html: string): ReadonlySet<string> =>
  new Set(commentsIn(parseHtml(html, { scriptingEnabled: false })))

function commentsIn(node: Node): string[] {
  const own = node.nodeName === '#comment' && 'data' in node ? [node.data] : []
  const inner = 'attrs' in node ? node.attrs.find(({ name }) => name === 'srcdoc') : undefined
  const nodes =
    inner === undefined ? childrenOf(node) : [parseHtml(inner.value), ...childrenOf(node)]
  return [...own, ...nodes.flatMap(commentsIn)]
}

function nodeDifference(one: Node, other: Node, bareNames: boolean): string | undefined {
  if (one.nodeName !== other.nodeName) return `<${one.nodeName}> becomes <${other.nodeName}>`
  if ('tagName' in one) {
    const difference = attributeDifference(one, other as Element, bareNames)
    if (difference !== undefined) return difference
    const content = contentDifference(one, other as Element)
    if (content !== undefined) return content
  }
  const [children, others] = [childrenOf(one), childrenOf(other)]
  for (let at = 0; at < Math.max(children.length, others.length); at++) {
    const [child, next] = [children[at], others[at]]
    if (child === undefined) return `<${one.nodeName}> gets <${next!.nodeName}>`
    if (next === undefined) return `<${one.nodeName}> loses <${child.nodeName}>`
    const difference = nodeDifference(child, next, bareNames)
    if (difference !== undefined) return difference
  }
  return undefined
}

/** Returns the child nodes. Omits text nodes, because a value may add or change them. */
function childrenOf(node: Node): Node[] {
  const children =
    'childNodes' in node ? node.childNodes.filter(({ nodeName }) => nodeName !== '#text') : []
  return 'content' in node ? [...children, node.content] : children
}

const textOf = (element: Element): string =>
  element.childNodes.map((child) => ('value' in child ? child.value : '')).join('')

function contentDifference(one: Element, other: Element): string | undefined {
  const shape = contentShape(one)
  const difference = shape && valueDifference(textOf(one), textOf(other), shape)
  return difference && `the ${one.tagName} ${difference}`
}

function contentShape({ tagName, attrs }: Element): Shape | undefined {
  if (tagName === 'style') return styleShape
  if (tagName !== 'script') return undefined
  const kind = scriptKind(attrs.find(({ name }) => name === 'type')?.value ?? '')
  if (kind === 'data') return undefined
  return kind === 'json' ? jsonShape : (code) => scriptShape(code, kind === 'module')
}

function attributeDifference(one: Element, other: Element, bareNames: boolean): string | undefined {
  const has = (element: Element, name: string) => element.attrs.some((attr) => attr.name === name)
  const kept = (element: Element, counterpart: Element) =>
    element.attrs.filter(({ name, value }) => bareNames || value !== '' || has(counterpart, name))
  const [attributes, others] = [kept(one, other), kept(other, one)]
  const names = attributes.map(({ name }) => fixedName(name)).join(' ')
  const changed = others.map(({ name }) => fixedName(name)).join(' ')
  if (names !== changed)
    return `the attributes of <${one.tagName}> change from '${names}' to '${changed}'`
  const refreshes = attributes.some(({ name }) => name === 'http-equiv')
  for (const [at, { name, value }] of attributes.entries()) {
    const kind = attributeKind(one.tagName, name)
    const shape = kind === 'refresh' && refreshes ? refreshShape : shapes[kind]
    const difference = shape && valueDifference(value, others[at]!.value, shape)
    if (difference) return `the value of '${name}' of <${one.tagName}> ${difference}`
  }
  return undefined
}

const fixedName = (name: string): string => name.replace(/^(data|aria)-.*/, '$1-')

function valueDifference(one: string, other: string, shape: Shape): string | undefined {
  if (one === other) return undefined
  const [before, after] = [shape(one, one), shape(other, one)]
  return before === after
    ? undefined
    : `changes from ${before.slice(0, 60)} to ${after.slice(0, 60)}`
}

/** Returns the structure of a value, as a browser parses it. `model` is the value in the harmless rendering. */
type Shape = (value: string, model: string) => string

const shapes: Readonly<Partial<Record<AttributeKind, Shape>>> = {
  script: (value) => scriptShape(value, false),
  framework: (value) => expressionShape(value),
  json: jsonShape,
  style: styleShape,
  url: urlShape,
  srcset: sourceSetShape,
  document: (value) => pageDifference('zq', value, true) ?? 'a text',
}

const skipped = new Set(['start', 'end', 'raw', 'range', 'regex', 'cooked', 'directive'])

function treeShape(tree: unknown): string {
  return JSON.stringify(tree, (key, value: unknown) =>
    skipped.has(key) || (key === 'value' && typeof value !== 'object') ? undefined : value,
  )
}

function scriptShape(code: string, isModule: boolean): string {
  try {
    return treeShape(
      parseScript(code, {
        ecmaVersion: 'latest',
        sourceType: isModule ? 'module' : 'script',
        allowReturnOutsideFunction: true,
      }),
    )
  } catch {
    return 'no JavaScript'
  }
}

function expressionShape(code: string): string {
  const expression = scriptShape(`(${code}\n)`, true)
  return expression === 'no JavaScript' ? scriptShape(code, true) : expression
}

/** Returns the structure of a JSON text: its syntax tree without the values. */
function jsonShape(text: string): string {
  return scriptShape(`(${text}\n)`, false)
}

/** Returns the structure of CSS: its tokens. Omits words and numbers, because a value may replace them. */
function styleShape(css: string): string {
  const shape: string[] = []
  let inUrl = false
  tokenizeStyle(css, (type, start, end) => {
    const token = css.slice(start, end)
    if (/^["']/.test(token)) shape.push(inUrl ? schemeOf(unescapeStyle(token.slice(1))) : 'string')
    else if (!/^[\w#%.+\- ]*$/.test(token)) shape.push(`${type} ${token}`)
    inUrl =
      /^(?:url|src|image|(?:-webkit-)?image-set)\($/i.test(token) || (inUrl && token.trim() === '')
  })
  return shape.join(' ')
}

const unescapeStyle = (text: string): string =>
  text.replace(/\\([\da-f]{1,6})\s?/gi, (_all, digits: string) =>
    String.fromCodePoint(Math.min(parseInt(digits, 16), 0xffff)),
  )

const allowed = /^(?:https?|mailto|tel)$/i

function schemeOf(url: string): string {
  const scheme = /^([^/?#:]*):/.exec(
    url.replace(/[\t\n\r]/g, '').replace(/^[\u0000-\u0020]+/, ''),
  )?.[1]
  return scheme === undefined || allowed.test(scheme) ? 'an allowed scheme' : `${scheme}:`
}

/**
 * Returns the scheme, the host and the number of parameters of a URL. Returns only the scheme if an expression is at
 * the start of the URL or host, because its value may choose the host.
 */
function urlShape(value: string, model: string): string {
  if (/^\s*(?:(?:https?:)?\/\/)?zq/i.test(model)) return schemeOf(value)
  if (!URL.canParse(value, 'https://site.example/')) return `${schemeOf(value)} no URL`
  const { protocol, host, search } = new URL(value, 'https://site.example/')
  // `searchParams.size` would not count a parameter that is the empty text, as after `&&`.
  return `${protocol}//${host} ${/\?.*zq/i.test(model) ? search.split('&').length : 0}`
}

/** Matches the URL of a candidate, which extends to a blank, and its descriptors, which extend to a comma. */
const candidate = /([^\t\n\f\r ,][^\t\n\f\r ]*)((?:\([^)]*(?:\)|$)|[^,(])*)/g

/** Returns the schemes of the candidates of a `srcset`. A value may be empty or have several candidates. */
function sourceSetShape(value: string): string {
  const schemes = [schemeOf('')]
  candidate.lastIndex = 0
  for (let found = candidate.exec(value); found !== null; found = candidate.exec(value)) {
    const url = found[1]!
    if (url.endsWith(',')) candidate.lastIndex = found.index + url.length
    schemes.push(schemeOf(url))
  }
  return [...new Set(schemes)].join()
}

function refreshShape(value: string, model: string): string {
  const url = /url\s*=\s*['"]?(.*)$/is
  return urlShape(url.exec(value)?.[1] ?? '', url.exec(model)?.[1] ?? '')
}
