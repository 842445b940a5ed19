/** Creates accounts: a mail confirms the address, and its link leads to the choice of a password. */
import { mix, routes } from 'fwjs'
import { createAccount } from '#model/account'
import { registrationLink } from '#model/mailed-link'
import { mailLink, passwordForm, readLink } from './account-forms.ts'
import { limits } from './account-limits.ts'
import { ApplicationController } from './application-controller.ts'

export class RegistrationsController extends mix(
  ApplicationController,
  limits.mails('register', ['create']),
  limits.requests(['complete']),
) {
  newInput() {
    return this.render('/registrations/new')
  }

  create() {
    return mailLink(this, 'register', () => this.newInput())
  }

  async finish() {
    await readLink(this, registrationLink, this.url(registrations.newUrl))
    return this.render('/registrations/finish')
  }

  async complete() {
    const address = await readLink(this, registrationLink, this.url(registrations.newUrl))
    const form = passwordForm(this)
    if (!form.validate()) return this.render('/registrations/finish')
    const { isNew } = await createAccount(address, form.permitted.password)
    const message = isNew ? 'account.created' : 'account.linkInvalid'
    this.flash.set('notice', this.i18n.get(message))
    return this.redirect303(this.url(this.routes.sessions.newUrl))
  }
}

export const registrations = routes(RegistrationsController, (r) => ({
  newUrl: r.get('/register', 'newInput').as('new'),
  createUrl: r.post('/register', 'create').as('create'),
  finishUrl: r.get('/register/finish', 'finish').as('finish'),
  completeUrl: r.post('/register/finish', 'complete').as('complete'),
}))
