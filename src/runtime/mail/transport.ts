/** The contract of a mail transport, and the errors of sending. */
import { FwError } from '../base.ts'
import type { NamedAddress } from './address.ts'
import type { Mail } from './message.ts'
import type { SendingErrorCode } from './smtp-reply.ts'

/** A recipient that the mail server refused. */
export interface RefusedRecipient {
  readonly address: string
  /** The server's response, such as `550 5.1.1 no such user`. */
  readonly reason: string
}

/** What became of a sent mail. */
export interface Delivery {
  /** The recipients that the server refused, although it accepted others. */
  readonly refused: readonly RefusedRecipient[]
}

/** Sends mails. */
export interface MailTransport {
  /**
   * Sends a mail to `recipients`, by default to all of the mail.
   * @throws MailError if the server accepted the mail for no recipient
   */
  send(mail: Mail, recipients?: readonly string[]): Promise<Delivery>
  /** Closes the connections. */
  close(): void
}

/** An error of sending. */
export class MailError extends FwError {
  /** True if another attempt would fail too, because the server refused the mail or all its recipients for good. */
  readonly isPermanent: boolean

  constructor(code: SendingErrorCode, message: string, options: { readonly cause?: unknown }) {
    super(code, message, options)
    this.isPermanent = code === 'mail.refused'
  }
}

/** Returns the addresses of all recipients. */
export const recipientsOf = ({ to, cc, bcc }: Mail): readonly string[] =>
  [...to, ...cc, ...bcc].map(({ address }: NamedAddress) => address)
