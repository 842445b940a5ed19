/** Logs in by a passkey. It is two factors in one: the device, and its screen lock. */
import { mix, routes } from 'fwjs'
import { passkeyCeremonies } from 'fwjs/accounts'
import { findByCredential } from '#model/passkey'
import { {{User}} } from '#model/{{file}}'
import { limits } from './account-limits.ts'
import { ApplicationController } from './application-controller.ts'
import { beginLogin } from './current-user.ts'

export class PasskeyLoginsController extends mix(
  ApplicationController,
  limits.requests(['options', 'create']),
) {
  /** The options by which the script asks the browser for a passkey. */
  options() {
    return passkeyCeremonies.loginOptions(this.ctx)
  }

  async create() {
    const passkey = await findByCredential(this.ctx, this.params.get('credential') ?? '')
    const {{user}} = passkey && (await {{User}}.findById(passkey.{{userId}}))
    if ({{user}} === undefined) {
      this.flash.set('alert', this.i18n.get('passkey.refused'))
      return this.redirect303(this.url(this.routes.sessions.newUrl))
    }
    await beginLogin(this.ctx, {{user}}, false)
    return this.redirectAfterLogin(this.url(this.routes.account.showUrl))
  }
}

export const passkeyLogins = routes(PasskeyLoginsController, (r) => ({
  optionsUrl: r.post('/login/passkey/options', 'options').as('options'),
  createUrl: r.post('/login/passkey', 'create').as('create'),
}))
