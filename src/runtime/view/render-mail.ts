/** Renders the bodies of a mail: text and HTML, each in its layout. */
import type { PageValues, ViewEngine, ViewHelper } from './engine.ts'
import { mailLayoutNotFound, mailNotFound } from './missing-view.ts'
import { run } from './render-view.ts'
import { SafeHtml } from './safe-html.ts'

/** The parameters of a call of `renderMail`. */
export interface MailRequest {
  /** The name of the mail, such as `welcome` for `mail/welcome.html.ssp` and `mail/welcome.txt.ssp`. */
  readonly mail: string
  readonly values: Readonly<Record<string, unknown>>
  /** The helper `s` of the templates. */
  readonly helper: ViewHelper
}

/** The rendered bodies of a mail; at least one is defined. */
export interface MailBodies {
  readonly html: string | undefined
  readonly text: string | undefined
}

const defaultLayout = 'default'

/**
 * Renders both bodies of a mail. A body without a template is undefined. The layout `mail/layouts/default.html.ssp`, or
 * `.txt.ssp` for the text, applies if it exists; a template selects another one with `set('layout', name)`.
 * @throws FwError `view.not-found` if the mail has neither template, and the errors of `renderView`
 */
export async function renderMail(engine: ViewEngine, request: MailRequest): Promise<MailBodies> {
  const html = await renderBody(engine, request, 'html')
  const text = await renderBody(engine, request, 'txt')
  if (html === undefined && text === undefined) throw mailNotFound(engine, request.mail)
  return { html, text }
}

async function renderBody(
  engine: ViewEngine,
  { mail, values, helper }: MailRequest,
  format: 'html' | 'txt',
): Promise<string | undefined> {
  const view = await engine.findMail(mail, format)
  if (view === undefined) return undefined
  const page = Object.create(null) as PageValues
  const body = await run(view, values, helper, page)
  const name = page['layout'] ?? defaultLayout
  if (typeof name !== 'string' || name === '') return body
  const layout = await engine.findMailLayout(name, format)
  if (layout !== undefined)
    return run(layout, { ...values, ...page, body: new SafeHtml(body) }, helper, page)
  if (page['layout'] === undefined) return body
  throw mailLayoutNotFound(name, format)
}
