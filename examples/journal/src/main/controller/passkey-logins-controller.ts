/** Logs in by a passkey. It is two factors in one: the device, and its screen lock. */
import { mix, routes } from 'fwjs'
import { passkeyStore } from '#model/passkey'
import { limits } from './account-limits.ts'
import { ApplicationController } from './application-controller.ts'
import { completeLogin } from './sessions-controller.ts'

export class PasskeyLoginsController extends mix(
  ApplicationController,
  limits.requests(['options', 'create']),
) {
  /** The script of the forms with passkeys. */
  script() {
    return passkeyStore.sendScript(this.ctx)
  }

  /** The options by which the script asks the browser for a passkey. */
  options() {
    return passkeyStore.loginOptions(this.ctx)
  }

  async create() {
    const credential = this.params.get('credential') ?? ''
    const user = await passkeyStore.findAccount(this.ctx, credential)
    if (user === undefined) {
      this.flash.set('alert', this.i18n.get('passkey.refused'))
      return this.redirect303(this.url(this.routes.sessions.newUrl))
    }
    return completeLogin(this, user, false)
  }
}

export const passkeyLogins = routes(PasskeyLoginsController, (r) => ({
  scriptUrl: r.get('/login/passkey/script', 'script').as('script'),
  optionsUrl: r.post('/login/passkey/options', 'options').as('options'),
  createUrl: r.post('/login/passkey', 'create').as('create'),
}))
