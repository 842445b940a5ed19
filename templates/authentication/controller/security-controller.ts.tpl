/** Changes the address and the password of an account, and deletes it. Requires a login of the last ten minutes. */
import { mix, routes } from 'fwjs'
import { changePassword, findByPassword } from '#model/account'
import { logins } from '#model/login'
import { AccountMail } from '../mail/account-mail.ts'
import { emailForm, passwordForm } from './account-forms.ts'
import { limits, ownLimits } from './account-limits.ts'
import { ApplicationController } from './application-controller.ts'
import { requireFresh } from './require-login.ts'

export class SecurityController extends mix(
  ApplicationController,
  requireFresh,
  limits.mails('email', ['changeEmail']),
  ownLimits.logins(['changePassword']),
) {
  edit() {
    return this.render('/security/edit', { currentUser: this.currentUser })
  }

  /** Mails a link to the new address. The account keeps its old address until the link is used. */
  async changeEmail() {
    const form = emailForm(this)
    if (!form.validate()) return this.edit()
    const { email } = form.permitted
    const loginId = logins.currentId(this.ctx)
    await AccountMail.send({ kind: 'email', email, locale: this.ctx.locale, loginId })
    this.flash.set('notice', this.i18n.get('account.mailSent'))
    return this.redirect303(this.url(security.editUrl))
  }

  /** Changes the password, and logs out all other devices. */
  async changePassword() {
    const { currentUser, ctx } = this
    const form = passwordForm(this)
    if (!form.validate()) return this.edit()
    const { currentPassword = '', password } = form.permitted
    const { email, passwordHash } = currentUser
    // An account without a password, such as one that was imported, gets its first one here.
    const checked =
      passwordHash === undefined ? currentUser : await findByPassword(email, currentPassword)
    if (checked === undefined) {
      form.addErrors({ currentPassword: [{ name: 'invalid', messageParams: [] }] })
      return this.edit()
    }
    if (!(await changePassword(checked, password))) return this.haltWithBody(409)
    await logins.endOthers(ctx, currentUser)
    await limits.accept(ctx, email)
    await AccountMail.send({ kind: 'passwordChanged', email, locale: ctx.locale })
    this.flash.set('notice', this.i18n.get('account.passwordChanged'))
    return this.redirect303(this.url(security.editUrl))
  }

  async destroy() {
    const { currentUser, ctx } = this
    await logins.deleteAccount(ctx, currentUser)
    await AccountMail.send({ kind: 'deleted', email: currentUser.email, locale: ctx.locale })
    this.flash.set('notice', this.i18n.get('account.deleted'))
    return this.redirect303(this.url(this.routes.sessions.newUrl))
  }
}

export const security = routes(SecurityController, (r) => ({
  editUrl: r.get('/account/security', 'edit').as('edit'),
  emailUrl: r.post('/account/security/email', 'changeEmail').as('changeEmail'),
  passwordUrl: r.post('/account/security/password', 'changePassword').as('changePassword'),
  destroyUrl: r.post('/account/security/delete', 'destroy').as('destroy'),
}))
