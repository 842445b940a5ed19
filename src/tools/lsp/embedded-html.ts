/** The HTML and CSS of a template, without its code, for the language services of VS Code. */
import type * as Css from 'vscode-css-languageservice'
import type * as Html from 'vscode-html-languageservice'
import { resultOrError } from '../../templates/compile.ts'
import {
  parseTemplate,
  TemplateError,
  type TemplateNode,
  TemplateSource,
} from '../../templates/read.ts'
import type { TextLines } from '../workspace.ts'

/** The services, which are loaded when an editor asks for HTML the first time. */
export interface EmbeddedServices {
  readonly html: Html.LanguageService
  readonly css: Css.LanguageService
  readonly html5: typeof Html
}

let services: Promise<EmbeddedServices> | undefined

/** Loads the services once. */
export function embeddedServices(): Promise<EmbeddedServices> {
  services ??= loadServices()
  return services
}

async function loadServices(): Promise<EmbeddedServices> {
  const [html, css] = await Promise.all([
    import('vscode-html-languageservice').then(commonJs),
    import('vscode-css-languageservice').then(commonJs),
  ])
  return { html: html.getLanguageService(), css: css.getCSSLanguageService(), html5: html }
}

/** Matches code in a template that cannot be parsed. */
const anyCode =
  /<%--(?:(?!<%--)[^])*?--%>|<%(?:(?!<%)[^])*?%>|<%[^\r\n]*|\$\{[^}\r\n]*\}?|#(?:if|elseif|for|match|case|set|do)[ \t]*\([^\r\n]*\)?|#(?:else|otherwise|end)(?![\w-])/g

/** Returns the exports of a CommonJS module, of which Node recognizes only some as names of an ES module. */
const commonJs = <M extends object>(module: M): M =>
  ('default' in module ? module.default : module) as M

/** Returns the text with `x` for each character of an expression, and blanks for other code; offsets stay the same. */
export function maskCode(text: string): string {
  const source = new TemplateSource('views/page.html.ssp', text)
  const nodes = resultOrError(() => parseTemplate(source))
  if (nodes instanceof TemplateError)
    return text.replace(anyCode, (code) => fill(code, code.startsWith('${') ? 'x' : ' '))
  return nodes.map((node) => maskNode(node, text)).join('')
}

function maskNode(node: TemplateNode, text: string): string {
  const code = text.slice(node.pos, node.end)
  if (node.kind === 'text') return code
  return fill(code, node.kind === 'output' ? 'x' : ' ')
}

const fill = (code: string, char: string): string => code.replace(/[^\r\n]/g, char)

/** A template as a document of HTML, in UTF-16. */
export function htmlDocument({ html5 }: EmbeddedServices, lines: TextLines): Html.TextDocument {
  return html5.TextDocument.create('file:///template.html', 'html', 0, maskCode(lines.text))
}

/**
 * Returns a document with only the CSS around an offset, at the same offsets: the content of a `<style>` element or the declarations of
 * a `style` attribute. Returns `undefined` outside of CSS.
 */
export function cssDocument(
  { html, html5 }: EmbeddedServices,
  document: Html.TextDocument,
  offset: number,
): Html.TextDocument | undefined {
  const text = document.getText()
  const scanner = html.createScanner(text)
  const { TokenType } = html5
  let attribute = ''
  for (let token = scanner.scan(); token !== TokenType.EOS; token = scanner.scan()) {
    const [start, end] = [scanner.getTokenOffset(), scanner.getTokenEnd()]
    if (start > offset) return undefined
    if (token === TokenType.AttributeName) attribute = scanner.getTokenText().toLowerCase()
    const isInside = offset >= start && offset <= end
    if (token === TokenType.Styles && isInside) return only(html5, text, start, end, ['', ''])
    if (token === TokenType.AttributeValue && isInside && attribute === 'style') {
      const isQuoted = /^["']/.test(text.slice(start))
      if (!isQuoted || offset === start) return undefined
      const isClosed = end - start > 1 && text[end - 1] === text[start]
      if (isClosed && offset === end) return undefined
      return only(html5, text, start + 1, isClosed ? end - 1 : end, ['a{', '}'])
    }
  }
  return undefined
}

function only(
  html5: typeof Html,
  text: string,
  start: number,
  end: number,
  [before, after]: readonly [string, string],
): Html.TextDocument {
  const blank = (part: string): string => fill(part, ' ')
  // The rule that surrounds declarations replaces blanks before them.
  const head = blank(text.slice(0, start)).slice(0, start - before.length) + before
  const css = head + text.slice(start, end) + after
  return html5.TextDocument.create('file:///template.css', 'css', 0, css)
}

/** Converts a range of a service, in UTF-16, to one of the editor. */
export const editorRange = (
  document: Html.TextDocument,
  lines: TextLines,
  { start, end }: Html.Range,
): Html.Range => lines.range(document.offsetAt(start), document.offsetAt(end))
