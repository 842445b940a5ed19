/** Renders the pages of the mailbox of development: the list of mails, and a mail with its bodies, headers and files. */
import { escapeXml as escape } from '../../runtime/http.ts'
import {
  formatAddress,
  type Mail,
  type MailSummary,
  type NamedAddress,
} from '../../runtime/mail.ts'
import { developmentPage, table } from './development-page.ts'

/** The path of the mailbox. */
export const mailboxPath = '/_fw/mail'

/** A preview of a mail, from a file of `src/test/mail/`. */
export interface PreviewLink {
  readonly file: string
  readonly name: string
}

const style = `
h1{color:inherit}
.mails td:first-child,.mails time{white-space:nowrap}
.mails td{font-size:.9375rem}
.frame{margin:.5rem 0;border:1px solid var(--line);border-radius:.5rem;overflow:hidden;background:#fff}
iframe{display:block;width:100%;height:40rem;margin:0 auto;border:0;background:#fff}
main:has(#phone:checked) iframe{width:22.5rem;max-width:100%;box-shadow:0 0 0 1px #dfe3e8}
label{margin-inline-end:1rem}
`
const formatAll = (addresses: readonly NamedAddress[]): string =>
  addresses.map(formatAddress).join(', ')

const formatDate = (date: Date): string =>
  `<time datetime="${date.toISOString()}">${date.toISOString().slice(0, 19).replace('T', ' ')}</time>`

/** A page of the mailbox. */
export interface MailboxPage {
  readonly mails: readonly MailSummary[]
  /** The key of the last mail, if there are older ones. */
  readonly last: string | undefined
  readonly previews: readonly PreviewLink[]
}

/** Renders the list of mails and previews. */
export function mailboxPage({ mails, last, previews }: MailboxPage, nonce: string): string {
  const rows = mails.map(
    ({ key, date, to, subject }) =>
      `<tr><td>${formatDate(date)}</td><td>${escape(formatAll(to))}</td>` +
      `<td><a href="${mailboxPath}/${key}">${escape(subject || '(no subject)')}</a></td></tr>`,
  )
  const older =
    last === undefined ? '' : `<p><a href="${mailboxPath}?before=${last}">Older mails</a></p>`
  const list =
    rows.length === 0
      ? '<p class="empty">No mail yet. Mails of this application appear here when their jobs have run.</p>'
      : `<table class="mails">${rows.join('')}</table>${older}<form method="post" action="${mailboxPath}"><p><button>Delete all</button></p></form>`
  const links = previews.map(
    ({ file, name }) =>
      `<li><a href="${previewUrl({ file, name })}">${escape(name)}</a> <span class="empty">${escape(file)}</span></li>`,
  )
  const section = links.length === 0 ? '' : `<h2>Previews</h2><ul>${links.join('')}</ul>`
  const main = `<header><p>Development keeps all mails; none leaves this machine.</p><h1>Mail</h1></header>${list}${section}`
  return developmentPage({ title: 'Mail', nonce, main, style })
}

const previewUrl = ({ file, name }: PreviewLink): string =>
  `${mailboxPath}/preview/${encodeURIComponent(file)}/${encodeURIComponent(name)}`

/** Renders a mail. `url` is the path of this page, below which its HTML and files are. */
export function mailPage(mail: Mail, url: string, nonce: string): string {
  const { html, text, subject, attachments } = mail
  const switcher =
    '<p><label><input type="radio" name="width" id="wide" checked> Wide</label><label><input type="radio" name="width" id="phone"> Phone</label></p>'
  const frame = `<h2>HTML</h2>${switcher}<div class="frame"><iframe src="${escape(url)}/html" title="HTML body" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe></div>`
  const files = attachments.map(
    ({ filename, content }, at) =>
      `<li><a href="${escape(url)}/file/${at}">${escape(filename)}</a> <span class="empty">${content.byteLength} bytes</span></li>`,
  )
  const main =
    `<header><p><a href="${mailboxPath}">Mail</a></p><h1>${escape(subject || '(no subject)')}</h1></header>` +
    table(headersOf(mail)) +
    (files.length === 0 ? '' : `<h2>Attachments</h2><ul>${files.join('')}</ul>`) +
    (html === undefined ? '' : frame) +
    (text === undefined ? '' : `<h2>Text</h2><pre class="wrap">${escape(text)}</pre>`)
  return developmentPage({ title: subject, nonce, main, style })
}

function headersOf(mail: Mail): (readonly [string, string])[] {
  const rows: (readonly [string, string])[] = [
    ['From', formatAddress(mail.from)],
    ['To', formatAll(mail.to)],
    ['Cc', formatAll(mail.cc)],
    ['Bcc', formatAll(mail.bcc)],
    ['Reply-To', formatAll(mail.replyTo)],
    ['Subject', mail.subject],
    ['Date', mail.date.toUTCString()],
    ['Message-ID', mail.id],
    ['Language', mail.locale],
    ...Object.entries(mail.headers),
  ]
  return rows.filter(([, text]) => text !== '')
}
