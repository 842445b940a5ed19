/** The messages that mailers return, and the complete mails that transports send. */
import type { I18n } from '../i18n.ts'
import type { Mails } from '../view.ts'
import type { MailAddress, NamedAddress } from './address.ts'

/** The name of a mail, such as `welcome` for `WEB-INF/mail/welcome.html.ssp`. Any string is accepted while `Mails` is empty. */
export type MailName = [keyof Mails] extends [never]
  ? string
  : Exclude<keyof Mails & string, `layouts/${string}`>

/** The values that the bodies of a mail declare. */
type MailValues<N extends string> = N extends keyof Mails
  ? Mails[N]
  : Readonly<Record<string, unknown>>

type Recipients = MailAddress | readonly MailAddress[]

/** A file of a mail. The mailer opens it at each attempt, so a stream is a new one each time. */
export interface MailAttachment {
  /** The name of the file, whose ending determines the type unless `contentType` does. */
  readonly filename: string
  readonly content: string | Uint8Array | AsyncIterable<Uint8Array | string>
  readonly contentType?: string | undefined
}

interface Envelope {
  readonly to: Recipients
  readonly cc?: Recipients | undefined
  readonly bcc?: Recipients | undefined
  /** The sender; by default the setting `mail.from`. */
  readonly from?: MailAddress | undefined
  readonly replyTo?: Recipients | undefined
  /** The subject, or a function that returns it in the recipient's language. */
  readonly subject: string | ((i18n: I18n) => string)
  /** The recipient's language; by default that of `messages.yml`. */
  readonly locale?: string | undefined
  readonly attachments?: readonly MailAttachment[] | undefined
  /**
   * Where recipients unsubscribe: an `https` URL, which mail programs POST to (RFC 8058), or a `mailto` URL. Sets the headers
   * `List-Unsubscribe` and `List-Unsubscribe-Post`.
   */
  readonly unsubscribe?: string | undefined
  /** Further headers, such as `{ 'Auto-Submitted': 'auto-generated' }`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** What a mailer returns: the recipients, the subject and the values of the bodies. */
export type MailMessage<N extends string = string> = Envelope &
  (Partial<MailValues<N>> extends MailValues<N>
    ? { readonly values?: MailValues<N> | undefined }
    : { readonly values: MailValues<N> })

/** A file of a complete mail. */
export interface MailFile {
  readonly filename: string
  readonly contentType: string | undefined
  readonly content: Uint8Array
}

/** A complete mail, as a transport sends it. */
export interface Mail {
  /** The value of `Message-ID`, which all attempts to send the mail share. */
  readonly id: string
  /** The name of the mail, such as `welcome`. */
  readonly name: string
  readonly date: Date
  readonly from: NamedAddress
  readonly to: readonly NamedAddress[]
  readonly cc: readonly NamedAddress[]
  readonly bcc: readonly NamedAddress[]
  readonly replyTo: readonly NamedAddress[]
  readonly subject: string
  /** The language of the bodies. */
  readonly locale: string
  readonly html: string | undefined
  readonly text: string | undefined
  /** The headers that no other member contains. */
  readonly headers: Readonly<Record<string, string>>
  readonly attachments: readonly MailFile[]
}
