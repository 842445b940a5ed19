/** Renders the error pages of development: the error and its source line, and for a request its values and statements. */
import { escapeXml as escape } from '../../runtime/http.ts'
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
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">' +
    `<title>${escape(title)}</title><style nonce="${escape(nonce)}">${pageStyle}</style></head><body><main>` +
    `<header><p>${escape(kicker)}</p><h1>${escape(message)}</h1><p>${escape(error.name)}</p></header>` +
    `${sourceSection(error.place, root)}${before ?? ''}${stackSection(error)}${after ?? ''}</main></body></html>`
  )
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

function table(entries: Fields): string {
  const rows = entries.map(
    ([name, text]) =>
      `<tr><th scope="row">${escape(name)}</th><td><code>${escape(text)}</code></td></tr>`,
  )
  return `<table>${rows.join('')}</table>`
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

/** The style sheet: light or dark by the visitor's preference, and one column that fits a phone. */
const pageStyle = `
:root{color-scheme:light dark;--ink:light-dark(#1c2024,#e6e8eb);--soft:light-dark(#5b6470,#9aa4b2);--paper:light-dark(#fff,#15181c);
--pane:light-dark(#f5f6f8,#1d2126);--line:light-dark(#dfe3e8,#30363d);--bad:light-dark(#b3261e,#ff8a80);--mark:light-dark(#fdecea,#3a2020);--word:light-dark(#7b2fa0,#d9a8ff);--text:light-dark(#1b6b3a,#8fdca8)}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.55 system-ui,sans-serif}
main{max-width:64rem;margin:0 auto;padding:2rem 1.25rem 4rem}
header p{margin:0;color:var(--soft)}
h1{margin:.25rem 0 .5rem;color:var(--bad);font-size:1.375rem;line-height:1.35;overflow-wrap:anywhere;white-space:pre-wrap}
h2{margin:2rem 0 .5rem;font-size:1rem;overflow-wrap:anywhere}
h3{margin:1rem 0 .25rem;color:var(--soft);font-size:.875rem;font-weight:600}
code,pre,kbd{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.8125rem}
pre{margin:0;padding:.75rem 0;overflow-x:auto;background:var(--pane);border:1px solid var(--line);border-radius:.5rem;line-height:1.6;tab-size:2}
pre span,pre mark{display:block;padding:0 1rem;min-width:max-content}
pre mark{background:var(--mark);color:inherit}
pre .keyword{color:var(--word)}pre .string{color:var(--text)}pre .number{color:var(--text)}pre .comment{color:var(--soft)}
pre i{font-style:normal}
pre.wrap code{user-select:all}
a{color:inherit;text-underline-offset:.2em}
pre.wrap{padding:.75rem 1rem;white-space:pre-wrap;overflow-wrap:anywhere}
ol.stack{margin:0;padding:0;list-style:none}
.stack li{padding:.125rem 0;overflow-wrap:anywhere}
.stack .own{font-weight:600}
details{margin:.125rem 0;color:var(--soft)}
summary{cursor:pointer;font-size:.875rem}
table{width:100%;border-collapse:collapse}
th,td{padding:.3125rem .5rem .3125rem 0;border-bottom:1px solid var(--line);text-align:start;vertical-align:top;overflow-wrap:anywhere}
th{width:14rem;color:var(--soft);font-weight:400}
td.time{width:6rem;text-align:end;white-space:nowrap;color:var(--soft)}
.empty{color:var(--soft)}
button{padding:.375rem .75rem;border:1px solid var(--line);border-radius:.5rem;background:var(--pane);color:inherit;font:inherit;cursor:pointer}
@media (max-width:40rem){main{padding:1.25rem 1rem 3rem}h1{font-size:1.1875rem}th{width:38%}}
`
