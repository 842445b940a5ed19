/** Composes a complete mail from the message of a mailer: renders its bodies, reads its attachments, checks its headers. */
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { FwError } from '../base.ts'
import { I18n, type MessageCatalog } from '../i18n.ts'
import { renderMail, type MailBodies, type ViewEngine } from '../view.ts'
import {
  headerText,
  parseAddress,
  parseSender,
  type MailAddress,
  type NamedAddress,
} from './address.ts'
import { inlineStyles } from './inline-styles.ts'
import { MailHelper, type MailUrls } from './mail-helper.ts'
import type { Mail, MailAttachment, MailFile, MailMessage } from './message.ts'
import type { MailSettings } from './settings.ts'

/** What the mails of an application need from it. */
export interface MailServices {
  readonly settings: MailSettings
  readonly views: ViewEngine
  readonly messages: MessageCatalog
  readonly urls: MailUrls
}

/** The largest number of recipients of one mail. Servers refuse more than 100 (RFC 5321 §4.5.3.1.8). */
const maxRecipients = 100

const invalid = (text: string): FwError => new FwError('mail.message-invalid', text)

/**
 * Composes the mail `name`. `key` makes its `Message-ID`: the same for each attempt to send it.
 * @throws FwError `mail.address-invalid`, `mail.message-invalid`, `mail.origin-missing`, `mail.not-configured` and `view.*`
 */
export async function composeMail(
  services: MailServices,
  name: string,
  message: MailMessage,
  key: string = randomUUID(),
): Promise<Mail> {
  const streams = (message.attachments ?? [])
    .map(({ content }) => content)
    .filter((content) => content instanceof Readable)
  // An error before a stream is read, such as that of a missing file, would end the process. Its reader throws it later.
  for (const stream of streams) stream.on('error', () => {})
  try {
    return await compose(services, name, message, key)
  } finally {
    for (const stream of streams) stream.destroy()
  }
}

async function compose(
  services: MailServices,
  name: string,
  message: MailMessage,
  key: string,
): Promise<Mail> {
  const { settings, messages, urls } = services
  const from = senderOf(message, settings)
  const recipients = parseRecipients(message)
  const headers = { ...checkHeaders(message.headers), ...unsubscribeHeaders(message.unsubscribe) }
  const i18n = new I18n(messages, message.locale)
  const { subject, values = {} } = message
  const subjectText = headerText(typeof subject === 'string' ? subject : subject(i18n), 'subject')
  const helper = new MailHelper(urls, i18n)
  const bodies = await renderMail(services.views, {
    mail: name,
    values: { subject: subjectText, ...values },
    helper,
  })
  const html = bodies.html === undefined ? undefined : await inlineStyles(bodies.html)
  const space = settings.maxSize - byteLength({ ...bodies, html })
  return {
    id: `<${key}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
    name,
    date: new Date(),
    from,
    ...recipients,
    replyTo: parseAll(message.replyTo, 'replyTo'),
    subject: subjectText,
    locale: i18n.locale,
    html,
    text: bodies.text,
    headers,
    attachments: await readFiles(message.attachments ?? [], space, settings.maxSize),
  }
}

function senderOf({ from }: MailMessage, settings: MailSettings): NamedAddress {
  if (from !== undefined) return parseAddress(from, 'from')
  if (settings.from !== undefined) return parseSender(settings.from)
  throw new FwError(
    'mail.not-configured',
    'The mail has no sender: set mail.from, or return `from` in the mailer.',
  )
}

const parseAll = (
  given: MailAddress | readonly MailAddress[] | undefined,
  what: string,
): readonly NamedAddress[] =>
  given === undefined ? [] : [given].flat().map((one: MailAddress) => parseAddress(one, what))

function parseRecipients(message: MailMessage): Pick<Mail, 'to' | 'cc' | 'bcc'> {
  const to = parseAll(message.to, 'to')
  const cc = parseAll(message.cc, 'cc')
  const bcc = parseAll(message.bcc, 'bcc')
  const count = to.length + cc.length + bcc.length
  if (count === 0) throw invalid('A mail needs a recipient: `to` is empty.')
  if (count > maxRecipients)
    throw invalid(
      `A mail has ${count} recipients: at most ${maxRecipients} are allowed. Send one mail to each.`,
    )
  return { to, cc, bcc }
}

/** The headers that members of a message set, or the transport. */
const ownHeaders =
  /^(?:to|cc|bcc|from|sender|reply-to|subject|date|message-id|mime-version|content-.*|list-unsubscribe.*|received|return-path|dkim-.*)$/i

function checkHeaders(headers: MailMessage['headers'] = {}): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[A-Za-z][\w-]{0,75}$/.test(name))
      throw invalid(`${JSON.stringify(name.slice(0, 80))} is not the name of a header.`)
    if (ownHeaders.test(name))
      throw invalid(`A mailer cannot set the header ${name}: use the member of the message.`)
    if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value) || value.length > 900)
      throw invalid(
        `The header ${name} of a mail has a line break or another control character, or more than 900 characters.`,
      )
  }
  return headers
}

function unsubscribeHeaders(url: string | undefined): Readonly<Record<string, string>> {
  if (url === undefined) return {}
  if (!/^(?:https:|mailto:)[^\s<>\p{Cc}]{1,900}$/u.test(url))
    throw invalid('`unsubscribe` of a mail must be an https or mailto URL.')
  return {
    'List-Unsubscribe': `<${url}>`,
    ...(url.startsWith('https:') ? { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' } : {}),
  }
}

const byteLength = ({ html = '', text = '' }: MailBodies): number =>
  Buffer.byteLength(html) + Buffer.byteLength(text)

async function readFiles(
  attachments: readonly MailAttachment[],
  space: number,
  limit: number,
): Promise<readonly MailFile[]> {
  const files: MailFile[] = []
  let left = space
  for (const { filename, content, contentType } of attachments) {
    if (
      contentType !== undefined &&
      !/^[\w.+-]+\/[\w.+-]+(?:; ?[\w-]+=[\w.-]+)*$/.test(contentType)
    )
      throw invalid(`The content type of an attachment is invalid: ${JSON.stringify(contentType)}.`)
    const bytes = await readContent(content, left)
    left -= bytes.byteLength
    files.push({ filename: headerText(filename, 'file name'), contentType, content: bytes })
  }
  if (left < 0) throw tooLarge(limit)
  return files
}

const tooLarge = (limit: number): FwError =>
  invalid(
    `A mail is larger than mail.maxSize (${limit} bytes): send a link to the file, or raise the limit.`,
  )

/** Reads an attachment. Stops, and closes a stream, after `space` bytes. */
async function readContent(content: MailAttachment['content'], space: number): Promise<Uint8Array> {
  if (typeof content === 'string') return Buffer.from(content)
  if (content instanceof Uint8Array) return content
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of content) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part
    parts.push(bytes)
    length += bytes.byteLength
    if (length > space) break
  }
  return Buffer.concat(parts)
}
