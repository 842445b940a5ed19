/** The mails about accounts. Their texts are the messages below `account.mail`. */
import { ParamType } from 'fwjs'
import { mailer } from 'fwjs/mail'
import { controllers } from '#controller/controllers'
import { findByEmail, normalizeEmail } from '#model/account'
import { emailLink, magicLink, registrationToken, resetLink } from '#model/mailed-link'
import { {{User}} } from '#model/{{file}}'

/**
 * `email` may be any address that a visitor has typed: the request enqueues one job, whether it has an account or not. The links are
 * made here, so that no job contains a token. `{{userId}}` is the account that gets a new address.
 */
export const AccountMail = mailer(
  'account',
  {
    kind: ParamType.String,
    email: ParamType.Email,
    locale: ParamType.String,
    {{userId}}: ParamType.optional(ParamType.Long),
  },
  async ({ kind, email, locale, {{userId}} }, { url }) => {
    const {{user}} = await findByEmail(email)
    const changing = {{userId}} === undefined ? undefined : await {{User}}.findById({{userId}})
    // Never the spelling that a visitor has typed: a mail system may deliver it to somebody else.
    const to = {{user}}?.email ?? normalizeEmail(email)
    const link = createLink(kind, to, {{user}}, changing)
    return (
      link && {
        to,
        locale,
        subject: (i18n) => i18n.getOrKey(`account.mail.${link.kind}.subject`),
        values: { kind: link.kind, url: link.route && url(link.route, undefined, link.query) },
      }
    )
  },
)

/** Returns the button of a mail, without a route if it has none; undefined if there is nothing to send to the address. */
function createLink(kind: string, email: string, {{user}}?: {{User}}, changing?: {{User}}) {
  const { emails, magicLinks, passwords, registrations, sessions } = controllers
  const logIn = { kind, route: sessions.newUrl, query: {} }
  if (kind === 'register' || kind === 'email') {
    if ({{user}} !== undefined) return { ...logIn, kind: 'registered' }
    if (kind === 'register')
      return { kind, route: registrations.finishUrl, query: { token: registrationToken(email) } }
    if (changing === undefined) return undefined
    return { kind, route: emails.editUrl, query: { token: emailLink.sign(changing, email) } }
  }
  if (kind === 'deleted') return { kind, route: undefined, query: {} }
  // A notice: the address may have no account any more.
  if (kind !== 'reset' && kind !== 'magic') return logIn
  if ({{user}} === undefined) return undefined
  return kind === 'reset'
    ? { kind, route: passwords.editUrl, query: { token: resetLink.sign({{user}}) } }
    : { kind, route: magicLinks.editUrl, query: { token: magicLink.sign({{user}}) } }
}
