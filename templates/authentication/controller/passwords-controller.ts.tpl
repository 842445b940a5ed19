/** Replaces a forgotten password by a mailed link. */
import { mix, routes } from 'fwjs'
import { changePassword } from '#model/account'
import { logins } from '#model/login'
import { resetLink } from '#model/mailed-link'
import { AccountMail } from '../mail/account-mail.ts'
import { mailLink, passwordForm, readLink, refuseLink } from './account-forms.ts'
import { limits } from './account-limits.ts'
import { ApplicationController } from './application-controller.ts'

export class PasswordsController extends mix(
  ApplicationController,
  limits.mails('reset', ['create']),
  limits.requests(['update']),
) {
  newInput() {
    return this.render('/passwords/new')
  }

  create() {
    return mailLink(this, 'reset', () => this.newInput())
  }

  async edit() {
    await readLink(this, resetLink, this.url(passwords.newUrl))
    return this.render('/passwords/edit')
  }

  /** Changes the password, and logs out all devices: one of them may be a thief's. */
  async update() {
    const { account } = await readLink(this, resetLink, this.url(passwords.newUrl))
    const form = passwordForm(this)
    if (!form.validate()) return this.render('/passwords/edit')
    const isChanged = await changePassword(account, form.permitted.password)
    if (!isChanged) return refuseLink(this, this.url(passwords.newUrl))
    await logins.endAll(account)
    const { locale } = this.ctx
    await AccountMail.send({ kind: 'passwordChanged', email: account.email, locale })
    this.flash.set('notice', this.i18n.get('account.passwordChanged'))
    return this.redirect303(this.url(this.routes.sessions.newUrl))
  }
}

export const passwords = routes(PasswordsController, (r) => ({
  newUrl: r.get('/password', 'newInput').as('new'),
  createUrl: r.post('/password', 'create').as('create'),
  editUrl: r.get('/password/new', 'edit').as('edit'),
  updateUrl: r.post('/password/new', 'update').as('update'),
}))
