/**
 * The mailed links. A form asks for an address (new…) and mails a link (mail…). The link opens a page (open…), whose button uses it
 * (use…): programs that follow the links of mails must not use them up.
 */
import { mix, routes } from 'fwjs'
import { hashPassword } from 'fwjs/accounts'
import { createAccount, normalizeEmail } from '#model/account'
import { logins } from '#model/login'
import { emailLink, magicLink, registrationLink, resetLink } from '#model/mailed-link'
import { AccountMail } from '../mail/account-mail.ts'
import { accountForm, emailForm, passwordForm } from './account-forms.ts'
import { limits } from './account-limits.ts'
import { ApplicationController } from './application-controller.ts'
import { completeLogin } from './sessions-controller.ts'

export class MailedLinksController extends mix(
  ApplicationController,
  limits.mails('register', ['mailRegistration']),
  limits.mails('reset', ['mailReset']),
  limits.mails('magic', ['mailMagic']),
  limits.requests(['useRegistration', 'useReset']),
) {
  newRegistration() {
    return this.render('/registrations/new')
  }

  mailRegistration() {
    return this.mailLink('register', () => this.newRegistration())
  }

  async openRegistration() {
    await this.readLink(registrationLink, this.url(mailedLinks.newRegistrationUrl))
    return this.render('/registrations/finish')
  }

  /** Creates the account, with the name and the password that the visitor chooses. */
  async useRegistration() {
    const address = await this.readLink(registrationLink, this.url(mailedLinks.newRegistrationUrl))
    const form = accountForm(this)
    if (!form.validate()) return this.render('/registrations/finish')
    const { name, password } = form.permitted
    const { isNew } = await createAccount(address, name, password)
    const message = isNew ? 'account.created' : 'account.linkInvalid'
    this.flash.set('notice', this.i18n.get(message))
    return this.redirect303(this.url(this.routes.sessions.newUrl))
  }

  newReset() {
    return this.render('/passwords/new')
  }

  mailReset() {
    return this.mailLink('reset', () => this.newReset())
  }

  async openReset() {
    await this.readLink(resetLink, this.url(mailedLinks.newResetUrl))
    return this.render('/passwords/edit')
  }

  /** Changes the password, and logs out all devices: one of them may be a thief's. */
  async useReset() {
    const { account } = await this.readLink(resetLink, this.url(mailedLinks.newResetUrl))
    const form = passwordForm(this)
    if (!form.validate()) return this.render('/passwords/edit')
    const passwordHash = await hashPassword(form.permitted.password)
    const isChanged = await resetLink.use(account, { passwordHash })
    if (!isChanged) return this.refuseLink(this.url(mailedLinks.newResetUrl))
    await logins.endAll(account)
    const { locale } = this.ctx
    await AccountMail.send({ kind: 'passwordChanged', email: account.email, locale })
    this.flash.set('notice', this.i18n.get('account.passwordChanged'))
    return this.redirect303(this.url(this.routes.sessions.newUrl))
  }

  newMagic() {
    return this.render('/magic_links/new')
  }

  mailMagic() {
    return this.mailLink('magic', () => this.newMagic())
  }

  async openMagic() {
    await this.readLink(magicLink, this.url(mailedLinks.newMagicUrl))
    return this.render('/magic_links/edit')
  }

  /** Logs in without a password. */
  async useMagic() {
    const { account } = await this.readLink(magicLink, this.url(mailedLinks.newMagicUrl))
    if (!(await magicLink.use(account))) return this.refuseLink(this.url(mailedLinks.newMagicUrl))
    return completeLogin(this, account, false)
  }

  async openEmail() {
    const { text } = await this.readLink(emailLink, this.url(this.routes.account.showUrl))
    return this.render('/emails/edit', { email: text })
  }

  /** Changes the address of an account, unless another account has got it meanwhile. Tells the old one, and logs out other devices. */
  async useEmail() {
    const { account, text } = await this.readLink(emailLink, this.url(this.routes.account.showUrl))
    const isChanged = await emailLink.use(account, { email: normalizeEmail(text) })
    if (!isChanged) return this.refuseLink(this.url(this.routes.account.showUrl))
    await logins.endOthers(this.ctx, account)
    const { locale } = this.ctx
    await AccountMail.send({ kind: 'emailChanged', email: account.email, locale })
    this.flash.set('notice', this.i18n.get('account.emailChanged'))
    return this.redirect303(this.url(this.routes.account.showUrl))
  }

  /**
   * Mails a link to the address in the form. Responds the same after the same work, whether the address has an account or not:
   * only the mail says which.
   */
  private async mailLink<Page>(kind: 'register' | 'reset' | 'magic', showForm: () => Page) {
    const form = emailForm(this)
    if (!form.validate()) return showForm()
    await AccountMail.send({ kind, email: form.permitted.email, locale: this.ctx.locale })
    this.flash.set('notice', this.i18n.get('account.mailSent'))
    return this.redirect303(this.url(this.routes.sessions.newUrl))
  }

  /** Returns what the link of the request contains. `newUrl` is the page where a new link is requested. */
  private async readLink<Found>(
    link: { find(token: string): Promise<Found | undefined> },
    newUrl: string,
  ): Promise<Found> {
    return (await link.find(this.params.get('token') ?? '')) ?? this.refuseLink(newUrl)
  }

  private refuseLink(newUrl: string): never {
    this.flash.set('alert', this.i18n.get('account.linkInvalid'))
    return this.halt({ status: 303, headers: { Location: newUrl } })
  }
}

export const mailedLinks = routes(MailedLinksController, (r) => ({
  newRegistrationUrl: r.get('/register', 'newRegistration').as('newRegistration'),
  mailRegistrationUrl: r.post('/register', 'mailRegistration').as('mailRegistration'),
  openRegistrationUrl: r.get('/register/finish', 'openRegistration').as('openRegistration'),
  useRegistrationUrl: r.post('/register/finish', 'useRegistration').as('useRegistration'),
  newResetUrl: r.get('/password', 'newReset').as('newReset'),
  mailResetUrl: r.post('/password', 'mailReset').as('mailReset'),
  openResetUrl: r.get('/password/new', 'openReset').as('openReset'),
  useResetUrl: r.post('/password/new', 'useReset').as('useReset'),
  newMagicUrl: r.get('/login/link', 'newMagic').as('newMagic'),
  mailMagicUrl: r.post('/login/link', 'mailMagic').as('mailMagic'),
  openMagicUrl: r.get('/login/link/enter', 'openMagic').as('openMagic'),
  useMagicUrl: r.post('/login/link/enter', 'useMagic').as('useMagic'),
  openEmailUrl: r.get('/account/email', 'openEmail').as('openEmail'),
  useEmailUrl: r.post('/account/email', 'useEmail').as('useEmail'),
}))
