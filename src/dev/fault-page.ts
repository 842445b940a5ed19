/** The page of a fault: the error, and the request that met it. */
import { escapeXml as escape } from '../http.ts'
import { errorPage } from './error-page.ts'
import type { ErrorReport } from './error-report.ts'
import type { RequestReport } from './request-report.ts'

export interface FaultReport {
  readonly error: ErrorReport
  readonly request: RequestReport
  /** The command that writes a failing test; absent where requests are not kept. */
  readonly test?: string
}

type Fields = RequestReport['headers']

/** @param nonce of the page's style */
export function faultPage({ error, request, test }: FaultReport, nonce: string): string {
  const { method, path, route, params, headers, session, flash, id } = request
  const at = route === undefined ? '' : `, route ${route}`
  const command =
    test === undefined
      ? ''
      : `<section><h2>A test that fails as this request did</h2><pre class="wrap"><code>${escape(test)}</code></pre></section>`
  const shown = [
    `<section><h2>Request</h2>${table([['id', id]])}`,
    fields('Path', params.path),
    fields('Query', params.query),
    fields('Form', params.form),
    '</section>',
    `<section><h2>Session</h2>${session.length === 0 ? nothing : table(session)}`,
    `${fields('Flash', flash)}</section>`,
    statementPart(request.statements),
    `<section><h2>Headers</h2>${table(headers)}</section>`,
  ]
  return errorPage({
    kicker: `${method} ${path}${at}`,
    error,
    nonce,
    before: command,
    after: shown.join(''),
  })
}

const nothing = '<p class="empty">Nothing.</p>'

function fields(title: string, entries: Fields): string {
  return entries.length === 0 ? '' : `<h3>${title}</h3>${table(entries)}`
}

function table(entries: Fields): string {
  const rows = entries.map(
    ([name, text]) =>
      `<tr><th scope="row">${escape(name)}</th><td><code>${escape(text)}</code></td></tr>`,
  )
  return `<table>${rows.join('')}</table>`
}

function statementPart(statements: RequestReport['statements']): string {
  if (statements.length === 0) return `<section><h2>SQL</h2>${nothing}</section>`
  const rows = statements.map(({ sql, parameters, milliseconds, failure }) => {
    const values = parameters.map((text, at) => `<code>$${at + 1} = ${escape(text)}</code>`)
    const told = failure === undefined ? '' : `<br>${escape(failure)}`
    const time = milliseconds === undefined ? 'not answered' : `${milliseconds.toFixed(1)} ms`
    const given = values.length === 0 ? '' : `<br>${values.join('<br>')}`
    return `<tr><td><code>${escape(sql)}</code>${given}${told}</td><td class="time">${time}</td></tr>`
  })
  return `<section><h2>SQL</h2><table>${rows.join('')}</table></section>`
}
