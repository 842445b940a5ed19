/** Changes the address of an account by a link that was mailed to the new one, and tells the old one. */
import { routes } from 'fwjs'
import { changeEmail, emailLink } from '#model/mailed-link'
import { AccountMail } from '../mail/account-mail.ts'
import { refuseLink } from './account-forms.ts'
import { ApplicationController } from './application-controller.ts'

export class EmailsController extends ApplicationController {
  async edit() {
    const { text } = await this.readLink()
    return this.render('/emails/edit', { email: text })
  }

  async update() {
    const { account, text } = await this.readLink()
    if (!(await changeEmail(account, text))) return this.refuse()
    const { locale } = this.ctx
    await AccountMail.send({ kind: 'emailChanged', email: account.email, locale })
    this.flash.set('notice', this.i18n.get('account.emailChanged'))
    return this.redirect303(this.url(this.routes.account.showUrl))
  }

  /** Returns the account and the new address of the mailed link. */
  private async readLink() {
    return (await emailLink.find(this.params.get('token') ?? '')) ?? this.refuse()
  }

  private refuse(): never {
    return refuseLink(this, this.url(this.routes.account.showUrl))
  }
}

export const emails = routes(EmailsController, (r) => ({
  editUrl: r.get('/account/email', 'edit').as('edit'),
  updateUrl: r.post('/account/email', 'update').as('update'),
}))
