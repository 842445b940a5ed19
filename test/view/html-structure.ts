/**
 * Describes the structure of a page as a browser parses it: its elements, the syntax of its scripts, the schemes of its
 * URLs. Omits values.
 */
import { parse as parseScript } from 'acorn'
// @ts-expect-error -- css-tree ships no types
import { tokenize, tokenNames } from 'css-tree/tokenizer'
import { parse } from 'parse5'

interface HtmlNode {
  readonly nodeName: string
  readonly attrs?: readonly {
    readonly name: string
    readonly value: string
    readonly prefix?: string
  }[]
  readonly childNodes?: readonly HtmlNode[]
  readonly content?: HtmlNode
  readonly value?: string
}

/**
 * Returns the structure of a page. With `bareNames` false, it omits attributes without a value, because an expression
 * may print their names.
 */
export function htmlStructure(html: string, bareNames = true): string {
  return describe(parse(html), bareNames)
}

function describe(node: HtmlNode, bareNames: boolean): string {
  if (node.nodeName === '#text') return ''
  if (node.nodeName === '#comment') return '#comment'
  const attributes = (node.attrs ?? [])
    .filter(({ name, value }) => bareNames || value !== '' || hasValue.test(name))
    .map(attribute)
    .join(' ')
  const children = node.childNodes ?? []
  const inside = node.content === undefined ? '' : describe(node.content, bareNames)
  return `${node.nodeName}[${attributes}](${content(node, children.map((child) => child.value ?? '').join('')) ?? inside + children.map((child) => describe(child, bareNames)).join('')})`
}

function content(node: HtmlNode, text: string): string | undefined {
  if (node.nodeName === 'style') return styleStructure(text)
  if (node.nodeName !== 'script') return undefined
  const type = node.attrs?.find(({ name }) => name === 'type')?.value ?? ''
  if (/[/+]json$/.test(type.split(';')[0]!.trim())) return jsonStructure(text)
  return type === '' || type === 'module' ? scriptStructure(text) : ''
}

/** Matches the attributes whose names are static, so that they count even if their value is empty. */
const hasValue = /^(?:src|href|xlink:href|style|action|title|class|value|id$|data$|on|hx-|x-|@)/
const links = /^(href|src|action|formaction|data|poster|to|ping)$/

function attribute({ name, value }: { readonly name: string; readonly value: string }): string {
  if (/^(on|@|x-data)/.test(name)) return `${name}=${scriptStructure(value)}`
  if (name === 'style') return `style=${styleStructure(value)}`
  if (name === 'srcdoc') return `srcdoc=${htmlStructure(value)}`
  if (name === 'srcset')
    return `srcset=${[...new Set(['', ...sourceUrls(value)].map(scheme))].join()}`
  if (name === 'content' && value.startsWith('0; url='))
    return `${name}=${scheme(value.slice('0; url='.length))}`
  if (links.test(name)) return `${name}=${scheme(value)}`
  return name.replace(/^(data|aria)-.*/, '$1-')
}

/** Returns the URLs of a srcset. Each extends to a blank; its descriptors extend to a comma. */
function sourceUrls(value: string): string[] {
  const urls: string[] = []
  let rest = value
  for (;;) {
    const [, url, after] = /^[\t\n\f\r ,]*([^\t\n\f\r ]+)([^]*)$/.exec(rest) ?? []
    if (url === undefined) return urls
    urls.push(url)
    rest = url.endsWith(',') ? after! : after!.replace(/^(?:\([^)]*(?:\)|$)|[^,(])*/, '')
  }
}

function scheme(url: string): string {
  const found = /^([^/?#:]*):/.exec(url.replace(/[\t\n\r]/g, '').replace(/^[\u0000-\u0020]+/, ''))
  return found && !/^(https?|mailto|tel)$/i.test(found[1]!) ? `BAD ${found[1]}` : 'ok'
}

const skipped = new Set(['start', 'end', 'raw', 'range', 'regex', 'cooked', 'directive'])

/** Returns the syntax tree of a script without positions and literals. */
export function scriptStructure(text: string, isModule = false): string {
  try {
    const tree = parseScript(text, {
      ecmaVersion: 'latest',
      sourceType: isModule ? 'module' : 'script',
      allowReturnOutsideFunction: true,
    })
    return JSON.stringify(tree, (key, value: unknown) =>
      skipped.has(key) || (key === 'value' && typeof value !== 'object') ? undefined : value,
    )
  } catch {
    return 'SYNTAX'
  }
}

/** Returns the structure of JSON. Parses it as an expression, so that a value may be a key. */
function jsonStructure(text: string): string {
  const structure = scriptStructure(`(${text}\n)`)
  return structure === 'SYNTAX' ? 'BROKEN JSON' : structure
}

/** Returns the tokens of a style without words, numbers and harmless functions, because a value may replace these. */
function styleStructure(css: string): string {
  const text = css.replace(/\b(?:var|calc|rgba?)\([\w#%.,+\- ]*\)/g, 'v')
  const found: string[] = []
  tokenize(text, (type: number, start: number, end: number) => {
    const token = text.slice(start, end)
    if (/^["']/.test(token)) found.push('S')
    else if (tokenNames[type] === 'comment-token') found.push('C')
    else if (!/^[\w#%.+\- \s\u0080-\uffff]*$/.test(token)) found.push(token)
  })
  return found.join('')
}
