/** Logs in by a password, and out. */
import { mix, paramKey, ParamType, required, routes } from 'fwjs'
import { findByPassword } from '#model/account'
import { logins } from '#model/login'
import type { {{User}} } from '#model/{{file}}'
import { limits } from './account-limits.ts'
import { ApplicationController } from './application-controller.ts'

export class SessionsController extends mix(ApplicationController, limits.logins(['create'])) {
  newInput() {
    return this.render('/sessions/new')
  }

  async create() {
    const form = this.validation(
      this.params,
      { email: ParamType.String, password: ParamType.String, remember: ParamType.Boolean },
      paramKey('email').is(required),
      paramKey('password').is(required),
    ).withPrefix('account')
    if (!form.validate()) return this.render('/sessions/new')
    const { email, password, remember } = form.permitted
    const {{user}} = await findByPassword(email, password)
    if ({{user}} === undefined) {
      this.status = 401
      this.flash.now.set('alert', this.i18n.get('account.refused'))
      return this.render('/sessions/new')
    }
    return completeLogin(this, {{user}}, remember)
  }

  async destroy() {
    await logins.end(this.ctx)
    this.flash.set('notice', this.i18n.get('account.loggedOut'))
    return this.redirect303(this.url(sessions.newUrl))
  }
}

/**
 * Logs the account in and forgets its failed attempts: at once, because a round trip to the database takes longer than a statement. Then
 * leads back to the page that required the login{{orToTheCode}}.
 */
export async function completeLogin(
  controller: ApplicationController,
  {{user}}: {{User}},
  remember: boolean,
) {
  {{beginLogin}}
  return controller.redirectAfterLogin(controller.url(controller.routes.account.showUrl))
}

export const sessions = routes(SessionsController, (r) => ({
  newUrl: r.get('/login', 'newInput').as('new'),
  createUrl: r.post('/login', 'create').as('create'),
  destroyUrl: r.post('/logout', 'destroy').as('destroy'),
}))
