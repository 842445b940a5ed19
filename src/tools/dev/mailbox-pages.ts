/** Serves the mailbox of development at `/_fw/mail`, to this machine only: the kept mails, and previews. */
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { attachment, HttpResponse, type Handler, type HttpRequest } from '../../runtime/http.ts'
import { FolderMailbox, type Mail } from '../../runtime/mail.ts'
import { mailboxPage, mailboxPath, mailPage, type PreviewLink } from './mailbox-html.ts'
import { isLocalRequest } from './local-request.ts'

const previewEnding = '-preview.ts'

/** The number of mails on a page of the list. */
const pageSize = 50

/** Returns what `render` of a mailer returns: a mail, or undefined if there is none to send. */
type Preview = () => Mail | undefined | PromiseLike<Mail | undefined>

/** The previews of a file by the names that the mailbox shows. */
type Previews = Readonly<Record<string, Preview>>

/** Serves the pages of the mailbox. */
export class MailboxPages {
  readonly #mailbox: FolderMailbox
  readonly #previews: string

  /** @param folder the folder of the mails, see `mailFolder` */
  constructor(root: string, folder: string) {
    this.#mailbox = new FolderMailbox(folder)
    this.#previews = join(root, 'src/test/mail')
  }

  /** Returns a handler with the pages added. */
  wrap(handle: Handler): Handler {
    return (request) => {
      const [path = '', query] = request.target.split('?', 2)
      const isOwn = path === mailboxPath || path.startsWith(`${mailboxPath}/`)
      if (!isOwn || !isLocalRequest(request)) return handle(request)
      return this.#respond(request, path.slice(mailboxPath.length + 1), new URLSearchParams(query))
    }
  }

  async #respond(
    request: HttpRequest,
    path: string,
    query: URLSearchParams,
  ): Promise<HttpResponse> {
    const { method } = request
    if (method === 'POST' && path === '') return this.#clear(request)
    if (method !== 'GET' && method !== 'HEAD') return new HttpResponse(405, 'Not allowed.')
    if (path === '') return this.#list(query.get('before') ?? undefined)
    const [key = '', file = '', name = '', ...rest] = path.split('/')
    if (key === 'preview') return this.#preview(file, name, rest)
    const mail = await this.#mailbox.find(key)
    if (mail === undefined) return new HttpResponse(404, 'There is no such mail.')
    return mailResponse(mail, `${mailboxPath}/${key}`, [file, name])
  }

  /** Deletes all mails. Refuses a request that the browser says to be of another site or origin. */
  async #clear(request: HttpRequest): Promise<HttpResponse> {
    const site = request.header('sec-fetch-site') ?? 'same-origin'
    if (site !== 'same-origin') return new HttpResponse(403, 'Not allowed.')
    await this.#mailbox.clear()
    const response = new HttpResponse(303)
    response.headers.set('Location', mailboxPath)
    return response
  }

  async #list(before: string | undefined): Promise<HttpResponse> {
    const found = await this.#mailbox.list(pageSize + 1, before)
    const mails = found.slice(0, pageSize)
    const last = found.length > pageSize ? mails.at(-1)!.key : undefined
    const previews: PreviewLink[] = []
    for (const file of this.#previewFiles())
      for (const name of Object.keys(await this.#load(file))) previews.push({ file, name })
    return pageResponse((nonce) => mailboxPage({ mails, last, previews }, nonce))
  }

  #previewFiles(): readonly string[] {
    if (!existsSync(this.#previews)) return []
    return readdirSync(this.#previews, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith(previewEnding))
      .map((file) => file.replaceAll('\\', '/'))
      .sort()
  }

  /** Imports the previews of a file. A changed file has another URL, because Node caches modules by URL. */
  async #load(file: string): Promise<Previews> {
    const path = join(this.#previews, file)
    const url = `${pathToFileURL(path).href}?${statSync(path).mtimeMs}`
    const { previews = {} } = (await import(url)) as { readonly previews?: Previews }
    return previews
  }

  /** Responds with the mail of a preview. `file` and `name` are encoded as in the URL. */
  async #preview(file: string, name: string, part: readonly string[]): Promise<HttpResponse> {
    const known = this.#previewFiles().find((one) => encodeURIComponent(one) === file)
    const previews = known === undefined ? {} : await this.#load(known)
    const found = Object.keys(previews).find((one) => encodeURIComponent(one) === name)
    if (found === undefined) return new HttpResponse(404, 'There is no such preview.')
    const mail = await previews[found]!()
    if (mail !== undefined)
      return mailResponse(mail, `${mailboxPath}/preview/${file}/${name}`, part)
    return new HttpResponse(
      404,
      `The preview '${found}' has no mail: its mailer returned undefined, as for a record that does not exist. Create the record, or change the arguments in src/test/mail/${known}.`,
    )
  }
}

/** Responds with a mail, its HTML body or one of its files. */
function mailResponse(
  mail: Mail,
  url: string,
  [part = '', at]: readonly (string | undefined)[],
): HttpResponse {
  if (part === '') return pageResponse((nonce) => mailPage(mail, url, nonce))
  if (part === 'html' && mail.html !== undefined) return bodyResponse(mail.html)
  const file = mail.attachments[Number(at)]
  if (part !== 'file' || file === undefined) return new HttpResponse(404, 'There is no such file.')
  const response = new HttpResponse(200, file.content)
  response.headers.set('Content-Type', 'application/octet-stream')
  response.headers.set('Content-Disposition', attachment(file.filename))
  response.headers.set('X-Content-Type-Options', 'nosniff')
  return response
}

function pageResponse(render: (nonce: string) => string): HttpResponse {
  const nonce = randomBytes(16).toString('base64')
  return htmlResponse(
    render(nonce),
    `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'self'; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  )
}

/** The body as bytes, so that live reload adds no script to it. Its links open in a new tab; scripts never run. */
const bodyResponse = (html: string): HttpResponse =>
  htmlResponse(
    Buffer.from(html.replace(/<head\b[^>]*>/i, '$&<base target="_blank">')),
    "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src http: https: data:; font-src https:; frame-ancestors 'self'",
  )

function htmlResponse(body: HttpResponse['body'], policy: string): HttpResponse {
  const response = new HttpResponse(200, body)
  response.headers.set('Content-Type', 'text/html; charset=utf-8')
  response.headers.set('Content-Security-Policy', policy)
  response.headers.set('Cache-Control', 'no-store')
  response.headers.set('X-Content-Type-Options', 'nosniff')
  return response
}
