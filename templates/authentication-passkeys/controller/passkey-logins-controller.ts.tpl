/** Logs in by a passkey. It is two factors in one: the device, and its screen lock. */
import { mix, routes } from 'fwjs'
import { logins } from '#model/login'
import { passkeyStore } from '#model/passkey'
import { limits } from './account-limits.ts'
import { ApplicationController } from './application-controller.ts'

export class PasskeyLoginsController extends mix(
  ApplicationController,
  limits.requests(['options', 'create']),
) {
  /** The options by which the script asks the browser for a passkey. */
  options() {
    return passkeyStore.loginOptions(this.ctx)
  }

  async create() {
    const credential = this.params.get('credential') ?? ''
    const {{user}} = await passkeyStore.findAccount(this.ctx, credential)
    if ({{user}} === undefined) {
      this.flash.set('alert', this.i18n.get('passkey.refused'))
      return this.redirect303(this.url(this.routes.sessions.newUrl))
    }
    await logins.begin(this.ctx, {{user}}, false)
    return this.redirectAfterLogin(this.url(this.routes.account.showUrl))
  }
}

export const passkeyLogins = routes(PasskeyLoginsController, (r) => ({
  optionsUrl: r.post('/login/passkey/options', 'options').as('options'),
  createUrl: r.post('/login/passkey', 'create').as('create'),
}))
