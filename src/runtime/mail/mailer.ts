/** `mailer`: defines a mail, which a job composes and sends. */
import { randomUUID } from 'node:crypto'
import { FwError } from '../base.ts'
import { job, type EnqueueOptions, type Job, type JobArguments, type JobContext } from '../jobs.ts'
import { ParamType, type ParamTypes } from '../params.ts'
import type { MailHelper } from './mail-helper.ts'
import { currentMailService } from './mail-service.ts'
import type { Mail, MailMessage, MailName } from './message.ts'
import { MailError } from './transport.ts'

/** The second argument of a mailer's function. */
export interface MailContext {
  /** Returns the absolute URL of a route, as in templates. @throws FwError `mail.origin-missing` without the setting `origin` */
  readonly url: MailHelper['url']
}

/** Returns the message to send; undefined sends nothing. */
type CreateMessage<P extends ParamTypes, N extends string> = (
  values: JobArguments<P>,
  context: MailContext,
) => MailMessage<N> | undefined | PromiseLike<MailMessage<N> | undefined>

/** The arguments that each job has besides those of its mailer. */
const ownTypes = {
  /** The key of the `Message-ID`. The id of the job would not do: it is unique only in its database. */
  mailKey: ParamType.String,
  /** The recipients whom the server refused, in a job that tries only these again; absent in the first job. */
  mailRecipients: ParamType.optional(ParamType.array(ParamType.String)),
}

type JobValues = JobArguments<typeof ownTypes> & Readonly<Record<string, unknown>>

/** A mail that `mailer` defines. */
export class Mailer<P extends ParamTypes = ParamTypes> {
  /** The name of the mail, such as `welcome`. */
  readonly name: string
  readonly #create: (values: JobArguments<P>, context: MailContext) => unknown
  readonly #job: Job

  constructor(
    name: string,
    types: P,
    create: (values: JobArguments<P>, context: MailContext) => unknown,
  ) {
    const reserved = Object.keys(ownTypes).find((key) => Object.hasOwn(types, key))
    if (reserved !== undefined)
      throw new FwError(
        'jobs.option-invalid',
        `The mailer '${name}' has an argument '${reserved}', which is a name that Fw uses: rename it.`,
      )
    this.name = name
    this.#create = create
    const jobTypes: ParamTypes = { ...types, ...ownTypes }
    this.#job = job(`mail.${name.replaceAll('/', '.')}`, jobTypes, (values, ctx) =>
      this.#deliver(values as JobValues, ctx),
    )
  }

  /**
   * Enqueues the mail with one statement. In a transaction, the mail is sent only if the transaction commits. If the process is
   * killed while it sends the mail, the recipients may get it twice, with the same `Message-ID`.
   * @throws FwError `mail.not-configured` without a mail server, and those of `Job.enqueue`
   */
  async send(values: JobArguments<P>, options?: EnqueueOptions): Promise<void> {
    currentMailService().requireTransport()
    await this.#enqueue({ ...values, mailKey: randomUUID() }, options)
  }

  /**
   * Sends the mail at once, without a job: for scripts. Returns false if the function of the mailer returned no message.
   * @throws MailError; FwError `mail.*` and `view.*`
   */
  async sendNow(values: JobArguments<P>): Promise<boolean> {
    const mail = await this.render(values)
    if (mail !== undefined) await currentMailService().deliver(mail)
    return mail !== undefined
  }

  /**
   * Composes the mail without sending it, for previews and tests. Returns undefined if the function returned no message.
   * @throws FwError `mail.*` and `view.*`
   */
  render(values: JobArguments<P>): Promise<Mail | undefined> {
    return this.#compose(values)
  }

  async #enqueue(values: object, options: EnqueueOptions = {}): Promise<void> {
    await this.#job.enqueue(values as JobArguments<ParamTypes>, options)
  }

  async #compose(values: JobArguments<P>, key?: string): Promise<Mail | undefined> {
    const service = currentMailService()
    const message = await this.#create(values, { url: service.url })
    return message === undefined
      ? undefined
      : service.compose(this.name, message as MailMessage, key)
  }

  async #deliver(all: JobValues, ctx: JobContext): Promise<void> {
    const { mailKey, mailRecipients, ...values } = all
    const mail = await this.#compose(values as unknown as JobArguments<P>, mailKey)
    if (mail === undefined) return ctx.logger.info({ mail: this.name }, 'no mail to send')
    try {
      const sent = await currentMailService().deliver(mail, mailRecipients)
      if (sent.refused.length === 0) return
      // The other recipients have the mail. The further job stores the reason if the server refuses these again.
      const refused = sent.refused.map(({ address }) => address)
      const { queue, priority } = ctx
      await this.#enqueue({ ...all, mailRecipients: refused }, { queue, priority })
    } catch (error) {
      if (error instanceof MailError && error.isPermanent) ctx.deadLetter(error.message)
      throw error
    }
  }
}

/**
 * Defines the mail with the templates `WEB-INF/mail/<name>.html.ssp` and `<name>.txt.ssp`. A job stores its arguments, which have
 * `types`. The job calls `create` at each attempt: it loads records, and returns recipients, subject and the values of the
 * templates. Define mailers in `src/main/mail/`: every process that runs jobs loads this folder.
 *
 *     export const WelcomeMail = mailer('welcome', { userId: ParamType.Long }, async ({ userId }) => {
 *       const user = await User.findById(userId)
 *       return user && { to: user.email, subject: 'Welcome', values: { name: user.name } }
 *     })
 *     await WelcomeMail.send({ userId: 5 })
 *
 * @throws FwError `jobs.name-taken` for a second mailer of this name, `jobs.option-invalid` for a reserved argument
 */
export function mailer<N extends MailName, const P extends ParamTypes>(
  name: N,
  types: P,
  create: CreateMessage<P, N>,
): Mailer<P> {
  return new Mailer(name, types, create)
}
