/** The mails about accounts. Their texts are the messages below `account.mail`. */
import { ParamType } from 'fwjs'
import { mailer } from 'fwjs/mail'
import { controllers } from '#controller/controllers'
import { findByEmail, normalizeEmail } from '#model/account'
import { logins } from '#model/login'
import { emailLink, magicLink, registrationLink, resetLink } from '#model/mailed-link'
import type { {{User}} } from '#model/{{file}}'

/**
 * `email` may be any address that a visitor has typed: the request enqueues one job, whether it has an account or not. The links are
 * made here, so that no job contains a token. `loginId` is the login that requests a new address for its account: once it has
 * ended, such as by a new password, no link is mailed.
 */
export const AccountMail = mailer(
  'account',
  {
    kind: ParamType.String,
    email: ParamType.Email,
    locale: ParamType.String,
    loginId: ParamType.optional(ParamType.Long),
  },
  async ({ kind, email, locale, loginId }, { url }) => {
    const {{user}} = await findByEmail(email)
    const changing = loginId === undefined ? undefined : await logins.findAccount(loginId)
    // Never the spelling that a visitor has typed: a mail system may deliver it to somebody else.
    const to = {{user}}?.email ?? normalizeEmail(email)
    const isTaken = {{user}} !== undefined && (kind === 'register' || kind === 'email')
    const shown = isTaken ? 'registered' : kind
    const button = createButton(shown, to, {{user}}, changing)
    return (
      button && {
        to,
        locale,
        subject: (i18n) => i18n.getOrKey(`account.mail.${shown}.subject`),
        values: { kind: shown, url: button.route && url(button.route, undefined, button.query) },
      }
    )
  },
)

/** Returns the button of a mail, without a route if it has none; undefined if there is no mail. `owner` changes its address. */
function createButton(kind: string, email: string, {{user}}?: {{User}}, owner?: {{User}}) {
  const { mailedLinks: links, sessions } = controllers
  switch (kind) {
    case 'register':
      return { route: links.openRegistrationUrl, query: { token: registrationLink.sign(email) } }
    case 'reset':
      return {{user}} && { route: links.openResetUrl, query: { token: resetLink.sign({{user}}) } }
    case 'magic':
      return {{user}} && { route: links.openMagicUrl, query: { token: magicLink.sign({{user}}) } }
    case 'email':
      return owner && { route: links.openEmailUrl, query: { token: emailLink.sign(owner, email) } }
    case 'deleted':
      return { route: undefined, query: {} }
    default:
      // A notice: the address may have no account any more.
      return { route: sessions.newUrl, query: {} }
  }
}
