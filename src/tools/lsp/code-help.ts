/** Hovers and signatures: of code by TypeScript, of HTML and CSS by their services. */
import type {
  CancellationToken,
  Hover,
  SignatureHelp,
  SignatureHelpParams,
  TextDocumentPositionParams,
} from 'vscode-languageserver'
import { isJade, templateName } from '../../runtime/view.ts'
import { cssDocument, editorRange, embeddedServices, htmlDocument } from './embedded-html.ts'
import { pathOf, type Session, type TemplatePlace } from './session.ts'

/** Returns the description of what is at a place. */
export async function hover(
  session: Session,
  { textDocument, position }: TextDocumentPositionParams,
  token: CancellationToken,
): Promise<Hover | null> {
  const method = 'textDocument/hover'
  const place = session.templateAt(textDocument, position)
  if (place === undefined) {
    const path = pathOf(textDocument.uri)
    if (path === undefined || !session.servesCode) return null
    return (await session.askAt<Hover>(method, path, position, token)) ?? null
  }
  const { twin, offset } = place
  const code = twin?.toCode(offset)
  if (twin === undefined || code === undefined) return hoverText(place)
  const found = await session.askInTwin<Hover>(method, twin, code, token)
  if (found === undefined) return null
  const { range, ...rest } = found
  const copied = range === undefined ? undefined : twin.copiedRange(range)
  return { ...rest, ...(copied && { range: copied }) }
}

async function hoverText({ state, offset }: TemplatePlace): Promise<Hover | null> {
  if (templateName(state.file)?.format !== 'html' || isJade(state.file)) return null
  const services = await embeddedServices()
  const document = htmlDocument(services, state.text)
  const position = document.positionAt(offset)
  const { html, css } = services
  const styles = cssDocument(services, document, offset)
  const found =
    styles === undefined
      ? html.doHover(document, position, html.parseHTMLDocument(document))
      : css.doHover(styles, position, css.parseStylesheet(styles))
  if (found?.range === undefined) return found
  return { ...found, range: editorRange(document, state.text, found.range) }
}

/** Returns the parameters of the call around a place. */
export async function signatureHelp(
  session: Session,
  { textDocument, position, context }: SignatureHelpParams,
  token: CancellationToken,
): Promise<SignatureHelp | null> {
  const method = 'textDocument/signatureHelp'
  const place = session.templateAt(textDocument, position)
  if (place === undefined) {
    const path = pathOf(textDocument.uri)
    if (path === undefined || !session.servesCode) return null
    return (await session.askAt<SignatureHelp>(method, path, position, token, { context })) ?? null
  }
  const { twin, offset } = place
  const code = twin?.toCode(offset)
  if (twin === undefined || code === undefined) return null
  const help = await session.askInTwin<SignatureHelp>(method, twin, code, token, { context })
  // The calls of escapers around an expression are not code of the template.
  const isGenerated = help?.signatures.some(({ label }) => label.startsWith('__'))
  return isGenerated === true ? null : (help ?? null)
}
