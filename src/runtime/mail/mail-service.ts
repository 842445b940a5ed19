/** The mails of an application: composes them and passes them to its transport. */
import { FwError } from '../base.ts'
import { PerApplication, type ApplicationScope } from '../config.ts'
import { I18n } from '../i18n.ts'
import { composeMail, type MailServices } from './compose.ts'
import { MailHelper } from './mail-helper.ts'
import type { Mail, MailMessage } from './message.ts'
import type { Delivery, MailTransport } from './transport.ts'

/** Composes and sends the mails of one application. */
export class MailService {
  readonly #services: MailServices
  /** Undefined without `mail.url`, in environments that send mails. */
  readonly transport: MailTransport | undefined
  /** Returns the absolute URL of a route, as in templates. @throws FwError `mail.origin-missing` */
  readonly url: MailHelper['url']

  constructor(services: MailServices, transport: MailTransport | undefined) {
    this.#services = services
    this.transport = transport
    const helper = new MailHelper(services.urls, new I18n(services.messages))
    this.url = helper.url.bind(helper)
  }

  compose(name: string, message: MailMessage, key?: string): Promise<Mail> {
    return composeMail(this.#services, name, message, key)
  }

  /** @throws FwError `mail.not-configured` without a mail server */
  requireTransport(): MailTransport {
    if (this.transport !== undefined) return this.transport
    throw new FwError(
      'mail.not-configured',
      'There is no mail server: set mail.url, such as smtp://user:password@host:587.',
    )
  }

  /** Sends a mail to `recipients`, by default to all of the mail. @throws MailError, FwError `mail.not-configured` */
  deliver(mail: Mail, recipients?: readonly string[]): Promise<Delivery> {
    return this.requireTransport().send(mail, recipients)
  }

  close(): void {
    this.transport?.close()
  }
}

const services = new PerApplication<MailService>()

/** Registers the service of an application. Returns a function that removes and closes it. */
export function openMailService(scope: ApplicationScope, service: MailService): () => void {
  const remove = services.open(scope, service)
  return () => {
    remove()
    service.close()
  }
}

/** Returns the service of the running application, if one runs. */
export const findMailService = (): MailService | undefined => services.current

/** Returns the service of the running application. @throws FwError `mail.not-configured` if no application runs */
export function currentMailService(): MailService {
  const service = findMailService()
  if (service !== undefined) return service
  throw new FwError(
    'mail.not-configured',
    'No application runs: a mailer needs its settings, templates and routes.',
  )
}
