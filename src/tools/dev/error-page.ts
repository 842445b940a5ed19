/** Renders the error pages of development: the error and its source line, and for a request its values and statements. */
import { escapeXml as escape } from '../../runtime/http.ts'
import { developmentPage, table } from './development-page.ts'
import { editorUrl } from './editor-link.ts'
import type { ErrorReport, SourceExcerpt, StackLine } from './error-report.ts'
import { highlight } from './highlight.ts'
import type { Fields, RequestReport } from './request-report.ts'

/** The parts of an error page. */
export interface ErrorPage {
  /** The line above the message, such as the request. */
  readonly kicker: string
  readonly error: ErrorReport
  /** The application's folder, for links to the editor. */
  readonly root: string
  /** The HTML between the source excerpt and the stack. */
  readonly before?: string
  /** The HTML below the stack. */
  readonly after?: string
  /** The nonce with which the Content-Security-Policy allows the inline style sheet. */
  readonly nonce: string
}

export interface FailedRequest {
  readonly error: ErrorReport
  readonly root: string
  readonly request: RequestReport
  /** The command that generates a test which reproduces the error. */
  readonly test: string
}

/** Renders a complete HTML page without scripts. */
export function errorPage({ kicker, error, root, nonce, before, after }: ErrorPage): string {
  const message = error.code === undefined ? error.message : `${error.message} (${error.code})`
  const title = message.split('\n', 1)[0]!.slice(0, 120)
  const main =
    `<header><p>${escape(kicker)}</p><h1>${escape(message)}</h1><p>${escape(error.name)}</p></header>` +
    `${sourceSection(error.place, root)}${before ?? ''}${stackSection(error)}${after ?? ''}`
  return developmentPage({ title, nonce, main })
}

export function failedRequestPage(
  { error, root, request, test }: FailedRequest,
  nonce: string,
): string {
  const { method, path, route, params, headers, session, flash, id } = request
  const at = route === undefined ? '' : `, route ${route}`
  const command = `<section><h2>A test that fails as this request did</h2><pre class="wrap"><code>${escape(test)}</code></pre></section>`
  const sections = [
    `<section><h2>Request</h2>${table([['id', id]])}`,
    fieldTable('Path', params.path),
    fieldTable('Query', params.query),
    fieldTable('Form', params.form),
    '</section>',
    `<section><h2>Session</h2>${session.length === 0 ? empty : table(session)}`,
    `${fieldTable('Flash', flash)}</section>`,
    statementSection(request.statements),
    `<section><h2>Headers</h2>${table(headers)}</section>`,
  ]
  return errorPage({
    kicker: `${method} ${path}${at}`,
    error,
    root,
    nonce,
    before: command,
    after: sections.join(''),
  })
}

export const formatPlace = ({ file, line, column }: SourceExcerpt): string =>
  [file, line, column].filter((part) => part !== undefined).join(':')

function sourceSection(place: SourceExcerpt | undefined, root: string): string {
  if (place === undefined) return ''
  const { frame } = place
  const heading = formatPlace(place)
  const lines = frame.split('\n').map((text) => {
    const element = text.startsWith('>') ? 'mark' : 'span'
    const bar = text.indexOf('|') + 1
    const code = /^[> ] *\d+ \|/.test(text) ? highlight(text.slice(bar)) : escape(text.slice(bar))
    return `<${element}>${escape(text.slice(0, bar))}${code}</${element}>`
  })
  const source = frame === '' ? '' : `<pre tabindex="0"><code>${lines.join('')}</code></pre>`
  const url = editorUrl(place, root, process.env['FW_EDITOR'])
  const title =
    url === undefined ? escape(heading) : `<a href="${escape(url)}">${escape(heading)}</a>`
  return `<section><h2>${title}</h2>${source}</section>`
}

function stackSection({ stack, causes }: ErrorReport): string {
  const own = stack.length === 0 ? '' : `<h2>Stack</h2>${stackList(stack)}`
  const chain = causes.map(
    ({ message, stack: lines }) =>
      `<h2>Caused by</h2><pre class="wrap">${escape(message)}</pre>${stackList(lines)}`,
  )
  return `<section>${own}${chain.join('')}</section>`
}

/** Renders the stack as a list. Adjacent frames that do not belong to the application are folded into one item. */
function stackList(lines: readonly StackLine[]): string {
  let items = ''
  for (let at = 0; at < lines.length;) {
    const line = lines[at]!
    if (line.own) {
      items += `<li class="own"><code>${escape(line.text)}</code></li>`
      at += 1
      continue
    }
    const next = lines.findIndex((other, index) => index > at && other.own)
    const end = next === -1 ? lines.length : next
    const folded = lines.slice(at, end).map(({ text }) => `<li><code>${escape(text)}</code></li>`)
    const count = folded.length === 1 ? '1 frame' : `${folded.length} frames`
    items += `<li><details><summary>${count} of Fw, packages and Node</summary><ol class="stack">${folded.join('')}</ol></details></li>`
    at = end
  }
  return `<ol class="stack">${items}</ol>`
}

const empty = '<p class="empty">Nothing.</p>'

function fieldTable(title: string, entries: Fields): string {
  return entries.length === 0 ? '' : `<h3>${title}</h3>${table(entries)}`
}

function statementSection(statements: RequestReport['statements']): string {
  if (statements.length === 0) return `<section><h2>SQL</h2>${empty}</section>`
  const rows = statements.map(({ sql, parameters, milliseconds, failure }) => {
    const values = parameters.map((text, at) => `<code>$${at + 1} = ${escape(text)}</code>`)
    const list = values.length === 0 ? '' : `<br>${values.join('<br>')}`
    const error = failure === undefined ? '' : `<br>${escape(failure)}`
    const time = milliseconds === undefined ? 'not answered' : `${milliseconds.toFixed(1)} ms`
    return `<tr><td><code>${escape(sql)}</code>${list}${error}</td><td class="time">${time}</td></tr>`
  })
  return `<section><h2>SQL</h2><table>${rows.join('')}</table></section>`
}
