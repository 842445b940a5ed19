/** Renders a page's Markdown to HTML: anchors of headings, links within the site, code blocks, tables that scroll. */
import { lexer, Parser, Renderer, type Tokens } from 'marked'
import { escapeXml } from '../../runtime/http.ts'
import { highlightCode } from './highlight-code.ts'
import type { Picture } from './pictures.ts'
import { plainText } from './plain-text.ts'

/** A heading below the page's title. */
export interface Heading {
  readonly depth: number
  /** The id of its element. */
  readonly id: string
  readonly text: string
}

/** Returns the URL for the target of a link; undefined if the site does not contain the target. */
export type ResolveLink = (target: string) => string | undefined

/** Finds what pages refer to. */
export interface PageTargets {
  readonly link: ResolveLink
  /** Returns the picture for the target of an image; undefined if the site does not contain it. */
  readonly picture: (target: string) => Picture | undefined
}

/** Converts a heading's Markdown to its anchor, as code hosts do. */
const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')

/** Gives each heading of a page an id. Another heading with the same text gets a number. */
export class Anchors {
  readonly #count = new Map<string, number>()

  next(heading: string): string {
    const anchor = toAnchor(heading)
    const count = this.#count.get(anchor) ?? 0
    this.#count.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  }
}

/** Renders one page, and collects its headings. */
class PageRenderer extends Renderer {
  readonly headings: Heading[] = []
  readonly #anchors = new Anchors()
  readonly #targets: PageTargets

  constructor(targets: PageTargets) {
    super()
    this.#targets = targets
  }

  override heading({ tokens, depth, text: markdown }: Tokens.Heading): string {
    const id = this.#anchors.next(markdown)
    const html = this.parser.parseInline(tokens)
    if (depth === 1) return `<h1 id="${id}">${html}</h1>\n`
    const text = plainText(tokens)
    this.headings.push({ depth, id, text })
    const label = escapeXml(`Link to “${text}”`)
    return `<h${depth} id="${id}">${html} <a class="anchor" href="#${id}" aria-label="${label}">#</a></h${depth}>\n`
  }

  override link({ href, tokens }: Tokens.Link): string {
    const html = this.parser.parseInline(tokens)
    const url = this.#targets.link(href)
    return url === undefined ? html : `<a href="${escapeXml(url)}">${html}</a>`
  }

  override image({ href, text }: Tokens.Image): string {
    const picture = this.#targets.picture(href)
    return picture === undefined ? '' : renderPicture(picture, text)
  }

  /** A paragraph of a picture that the site does not contain is empty. */
  override paragraph(token: Tokens.Paragraph): string {
    const html = this.parser.parseInline(token.tokens)
    return html === '' ? '' : `<p>${html}</p>\n`
  }

  override code({ text, lang = '' }: Tokens.Code): string {
    return renderCode(text, lang)
  }

  /** Browsers report a header cell without text as a mistake, so a table without texts in its header has none. */
  override table(token: Tokens.Table): string {
    const html = super.table(token)
    const hasHeader = token.header.some(({ text }) => text !== '')
    return `<div class="table">${hasHeader ? html : html.replace(/<thead>[^]*?<\/thead>/, '')}</div>\n`
  }

  override tablecell(cell: Tokens.TableCell): string {
    return cell.header && cell.text === '' ? '<td></td>\n' : super.tablecell(cell)
  }

  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return text.startsWith('<!--') ? '' : escapeXml(text)
  }
}

/** Renders a picture with its size, so that the page does not move when it is loaded. */
export const renderPicture = ({ name, width, height }: Picture, description: string): string =>
  `<img src="${name}" alt="${escapeXml(description)}" width="${width}" height="${height}" loading="lazy">`

/**
 * Renders a code block. `info` is its language, optionally followed by a title, which begins with a capital letter, such as
 * `ruby Rails`.
 */
export function renderCode(code: string, info: string): string {
  const [language = '', title = ''] = info.split(' ', 2)
  const caption = /^[A-Z]/.test(title) ? `<figcaption>${escapeXml(title)}</figcaption>` : ''
  const attribute = caption === '' ? '' : ` data-title="${escapeXml(title)}"`
  return `<figure class="code"${attribute}>${caption}<pre><code>${highlightCode(code, language)}</code></pre></figure>\n`
}

/** Puts code blocks of several frameworks that follow one another into one element, which shows them side by side. */
const groupFrameworks = (html: string): string =>
  html.replaceAll(/(?:<figure class="code"[^]*?<\/figure>\n)+/g, (blocks) =>
    blocks.includes(' data-title="') ? `<div class="beside">\n${blocks}</div>\n` : blocks,
  )

/** Renders Markdown. `targets` get the target of each link and picture as written. */
export function renderMarkdown(
  markdown: string,
  targets: PageTargets,
): { readonly html: string; readonly headings: readonly Heading[] } {
  const renderer = new PageRenderer(targets)
  const html = Parser.parse(lexer(markdown), { renderer })
  return { html: groupFrameworks(html), headings: renderer.headings }
}
