/** Sends mails to an SMTP server with the package `nodemailer`, which is loaded with the first mail. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type {
  NodemailerError,
  SendMailOptions,
  SMTPPoolOptions,
  SMTPPoolSentMessageInfo,
  Transporter,
} from 'nodemailer'
import { FwError } from '../base.ts'
import { parseMailUrl, type MailUrl } from './mail-url.ts'
import type { Mail } from './message.ts'
import { requiresTls, type MailSettings } from './settings.ts'
import { sendingErrorCode, type SendingErrorCode } from './smtp-reply.ts'
import {
  MailError,
  recipientsOf,
  type Delivery,
  type MailTransport,
  type RefusedRecipient,
} from './transport.ts'

type Pool = Transporter<SMTPPoolSentMessageInfo, SMTPPoolOptions>

/** @throws FwError `mail.package-missing` */
export function checkMailPackage(): void {
  try {
    createRequire(import.meta.url).resolve('nodemailer')
  } catch (cause) {
    throw new FwError(
      'mail.package-missing',
      'mail.url needs the package nodemailer: npm install nodemailer',
      { cause },
    )
  }
}

/** Sends mails to an SMTP server. Its connections are opened with the first mail. */
export class SmtpTransport implements MailTransport {
  readonly #settings: MailSettings
  readonly #url: MailUrl
  readonly #authority: string | undefined
  #pool: Promise<Pool> | undefined
  #opened: Pool | undefined

  /** @throws FwError `mail.not-configured` if the file of `mail.ca` cannot be read */
  constructor(url: string, settings: MailSettings) {
    this.#settings = settings
    this.#url = parseMailUrl(url)
    this.#authority = settings.ca === undefined ? undefined : readAuthority(settings.ca)
  }

  async send(mail: Mail, recipients = recipientsOf(mail)): Promise<Delivery> {
    this.#pool ??= this.#open()
    const pool = await this.#pool
    try {
      const { rejectedErrors = [] } = await pool.sendMail(toNodemailer(mail, recipients))
      return { refused: rejectedErrors.map(toRefused) }
    } catch (error) {
      throw this.#mailError(error as NodemailerError)
    }
  }

  close(): void {
    this.#opened?.close()
  }

  async #open(): Promise<Pool> {
    checkMailPackage()
    const { createTransport } = await import('nodemailer')
    const { isImplicitTls, host, port, user, password } = this.#url
    const { timeout, maxConnections } = this.#settings
    const ca = this.#authority
    const isRequired = requiresTls(this.#settings, host)
    this.#opened = createTransport({
      pool: true,
      maxConnections,
      host,
      port,
      secure: isImplicitTls,
      requireTLS: isRequired,
      opportunisticTLS: !isRequired,
      tls: {
        rejectUnauthorized: isRequired,
        ...(ca === undefined ? {} : { ca }),
      },
      ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
      connectionTimeout: timeout,
      greetingTimeout: timeout,
      socketTimeout: timeout,
      dnsTimeout: timeout,
      // Attachments are bytes: a path or URL in a message can never read a file or send a request.
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    return this.#opened
  }

  #mailError(error: NodemailerError): MailError {
    const { rejectedErrors: refusals = [] } = error
    const isEachRefused = refusals.length > 0
    const reason = isEachRefused ? refusals.map(describeRefusal).join('; ') : error.message
    const codes = (isEachRefused ? refusals : [error]).map(sendingErrorCode)
    const [first = 'mail.not-sent'] = codes
    const mixed = codes.includes('mail.settings-refused')
      ? 'mail.settings-refused'
      : 'mail.not-sent'
    const code = codes.every((one) => one === first) ? first : mixed
    const { host, port } = this.#url
    return new MailError(code, `${host}:${port} ${outcomes[code](reason)}`, { cause: error })
  }
}

/** Describes a failure after the name of the server. */
const outcomes: Readonly<Record<SendingErrorCode, (reason: string) => string>> = {
  'mail.refused': (reason) => `refused the mail: ${reason}`,
  'mail.not-sent': (reason) => `did not accept the mail: ${reason}`,
  'mail.settings-refused': (reason) =>
    `refused this application, not the mail: ${reason}. Check mail.url, mail.tls and mail.from.`,
}

function readAuthority(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new FwError(
      'mail.not-configured',
      `mail.ca cannot be read: ${(cause as Error).message}. Write the path of a certificate in PEM.`,
      { cause },
    )
  }
}

const toRefused = ({ recipient = '', response, message }: NodemailerError): RefusedRecipient => ({
  address: recipient,
  reason: response || message,
})

function describeRefusal(error: NodemailerError): string {
  const { address, reason } = toRefused(error)
  return `${address}: ${reason}`
}

function toNodemailer(mail: Mail, recipients: readonly string[]): SendMailOptions {
  const { id, date, from, to, cc, replyTo, subject, html, text, headers, attachments } = mail
  return {
    messageId: id,
    date,
    from,
    to: [...to],
    cc: [...cc],
    replyTo: [...replyTo],
    subject,
    headers,
    ...(text === undefined ? {} : { text }),
    ...(html === undefined ? {} : { html }),
    attachments: attachments.map(({ filename, contentType, content }) => ({
      filename,
      ...(contentType === undefined ? {} : { contentType }),
      content: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
    })),
    // The envelope has the recipients of `bcc`, who are in no header.
    envelope: { from: from.address, to: [...recipients] },
  }
}
