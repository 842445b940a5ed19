/** `sentMails`: runs the jobs of a test, and returns the mails that the application has sent. */
import { runJobs } from '../../runtime/jobs.ts'
import {
  currentMailService,
  findMailService,
  formatAddress,
  MemoryMailbox,
  type Mail,
} from '../../runtime/mail.ts'
import { HtmlReader } from './html-reader.ts'

/** A mail that the application has sent. Its selectors read the HTML body as those of a page. */
export class SentMail extends HtmlReader {
  readonly #mail: Mail

  constructor(mail: Mail) {
    super()
    this.#mail = mail
  }

  /** The sender, such as `Shop <shop@example.com>`. */
  get from(): string {
    return formatAddress(this.#mail.from)
  }

  /** The recipients, such as `Ann <ann@example.com>`. */
  get to(): readonly string[] {
    return this.#mail.to.map(formatAddress)
  }

  get cc(): readonly string[] {
    return this.#mail.cc.map(formatAddress)
  }

  get bcc(): readonly string[] {
    return this.#mail.bcc.map(formatAddress)
  }

  get replyTo(): readonly string[] {
    return this.#mail.replyTo.map(formatAddress)
  }

  get subject(): string {
    return this.#mail.subject
  }

  /** The language of the bodies. */
  get locale(): string {
    return this.#mail.locale
  }

  /** The text body; empty if the mail has none. */
  get text(): string {
    return this.#mail.text ?? ''
  }

  /** The HTML body; empty if the mail has none. */
  get body(): string {
    return this.#mail.html ?? ''
  }

  /** The headers of the message and of `unsubscribe`. */
  get headers(): Headers {
    return new Headers({ ...this.#mail.headers })
  }

  /** The files, with their content as bytes. */
  get attachments(): Mail['attachments'] {
    return this.#mail.attachments
  }

  /** The HTML that the selectors read. */
  protected override get source(): string {
    return this.body
  }
}

/** Forgets the mails of earlier tests. */
export function forgetMails(): void {
  const transport = findMailService()?.transport
  if (transport instanceof MemoryMailbox) transport.mails.length = 0
}

/**
 * Runs the waiting jobs, and returns the mails that the application has sent since the test began, in the order of sending.
 * Rejects with the error of a job that fails. Nothing leaves this machine.
 */
export async function sentMails(): Promise<readonly SentMail[]> {
  const { transport } = currentMailService()
  await runJobs()
  return transport instanceof MemoryMailbox ? transport.mails.map((mail) => new SentMail(mail)) : []
}
