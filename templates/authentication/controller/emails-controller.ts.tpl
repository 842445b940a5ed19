/** Changes the address of an account by a link that was mailed to the new one, and tells the old one. */
import { routes } from 'fwjs'
import { normalizeEmail } from '#model/account'
import { emailLink } from '#model/mailed-link'
import { AccountMail } from '../mail/account-mail.ts'
import { readLink, refuseLink } from './account-forms.ts'
import { ApplicationController } from './application-controller.ts'

export class EmailsController extends ApplicationController {
  async edit() {
    const { text } = await readLink(this, emailLink, this.accountUrl)
    return this.render('/emails/edit', { email: text })
  }

  /** Refuses an address that another account has got meanwhile. */
  async update() {
    const { account, text } = await readLink(this, emailLink, this.accountUrl)
    const isChanged = await emailLink.use(account, { email: normalizeEmail(text) })
    if (!isChanged) return refuseLink(this, this.accountUrl)
    const { locale } = this.ctx
    await AccountMail.send({ kind: 'emailChanged', email: account.email, locale })
    this.flash.set('notice', this.i18n.get('account.emailChanged'))
    return this.redirect303(this.accountUrl)
  }

  private get accountUrl(): string {
    return this.url(this.routes.account.showUrl)
  }
}

export const emails = routes(EmailsController, (r) => ({
  editUrl: r.get('/account/email', 'edit').as('edit'),
  updateUrl: r.post('/account/email', 'update').as('update'),
}))
