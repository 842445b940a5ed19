/** The forms that several pages of accounts have, and what precedes and follows a mailed link. */
import { email, minMaxLength, paramKey, ParamType, required } from 'fwjs'
import { AccountMail } from '../mail/account-mail.ts'
import type { ApplicationController } from './application-controller.ts'

export const emailForm = (controller: ApplicationController) =>
  controller
    .validation(
      controller.params,
      { email: ParamType.Email },
      paramKey('email').is(required, email),
    )
    .withPrefix('account')

/** NIST SP 800-63B-4 requires 15 characters where a password is the only factor, and no rules of composition. */
export const passwordForm = (controller: ApplicationController) =>
  controller
    .validation(
      controller.params,
      { password: ParamType.String, currentPassword: ParamType.optional(ParamType.String) },
      paramKey('password').is(required, minMaxLength(15, 200)),
    )
    .withPrefix('account')

/**
 * Mails a link to the address in the form. Responds the same after the same work, whether the address has an account or not: only
 * the mail says which.
 */
export async function mailLink<Page>(
  controller: ApplicationController,
  kind: 'register' | 'reset' | 'magic',
  showForm: () => Page,
) {
  const form = emailForm(controller)
  if (!form.validate()) return showForm()
  await AccountMail.send({ kind, email: form.permitted.email, locale: controller.ctx.locale })
  controller.flash.set('notice', controller.i18n.get('account.mailSent'))
  return controller.redirect303(controller.url(controller.routes.sessions.newUrl))
}

interface Link<Found> {
  find(token: string): Promise<Found | undefined>
}

/** Returns what the mailed link of the request contains. `url` is the page where a new link is requested. */
export const readLink = async <Found>(
  controller: ApplicationController,
  link: Link<Found>,
  url: string,
): Promise<Found> =>
  (await link.find(controller.params.get('token') ?? '')) ?? refuseLink(controller, url)

/** Leads to the page where a new link is requested. */
export function refuseLink(controller: ApplicationController, url: string): never {
  controller.flash.set('alert', controller.i18n.get('account.linkInvalid'))
  return controller.halt({ status: 303, headers: { Location: url } })
}
