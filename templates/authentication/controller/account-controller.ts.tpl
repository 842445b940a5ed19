/** The account of the {{words}} who is logged in: the devices, and links to the settings. */
import { mix, ParamType, routes } from 'fwjs'
import { Login, logins } from '#model/login'
import { ApplicationController } from './application-controller.ts'
import { requireLogin } from './require-login.ts'

export class AccountController extends mix(ApplicationController, requireLogin) {
  async show() {
    const { currentUser, ctx } = this
    const own = Login.where({ {{userId}}: currentUser.id }).orderBy('id', 'desc').limit(50)
    const currentId = logins.currentId(ctx)
    return this.render('/account/show', { currentUser, logins: await own.findAll(), currentId })
  }

  /** Logs out one device. */
  async endLogin() {
    const id = this.params.getAs('id', ParamType.Long) ?? this.haltWithBody(404)
    if (!(await logins.endOne(this.currentUser, id))) return this.haltWithBody(404)
    this.flash.set('notice', this.i18n.get('account.devicesLoggedOut'))
    return this.redirect303(this.url(account.showUrl))
  }

  async endOtherLogins() {
    await logins.endOthers(this.ctx, this.currentUser)
    this.flash.set('notice', this.i18n.get('account.devicesLoggedOut'))
    return this.redirect303(this.url(account.showUrl))
  }
}

export const account = routes(AccountController, (r) => ({
  showUrl: r.get('/account', 'show').as('show'),
  endLoginUrl: r.post('/account/logins/:id/end', 'endLogin').as('endLogin'),
  endOthersUrl: r.post('/account/logins/end', 'endOtherLogins').as('endOtherLogins'),
}))
