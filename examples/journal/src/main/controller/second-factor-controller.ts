/** Adds and removes the second factor of an account, which logs out the other devices. Requires a login of the last ten minutes. */
import { mix, paramKey, ParamType, required, routes } from 'fwjs'
import { logins } from '#model/login'
import { ApplicationController } from './application-controller.ts'
import { requireFresh } from './require-login.ts'

const { secondFactors } = logins

export class SecondFactorController extends mix(ApplicationController, requireFresh) {
  async show() {
    if (await secondFactors.has(this.currentUser)) return this.render('/second_factor/show')
    await secondFactors.start(this.ctx)
    return this.showSecret()
  }

  async create() {
    const form = this.validation(
      this.params,
      { code: ParamType.String },
      paramKey('code').is(required),
    ).withPrefix('secondFactor')
    if (!form.validate()) return this.showSecret()
    const codes = await secondFactors.add(this.ctx, this.currentUser, form.permitted.code)
    if (codes !== undefined) return this.render('/second_factor/codes', { codes })
    this.status = 400
    this.flash.now.set('alert', this.i18n.get('secondFactor.refused'))
    return this.showSecret()
  }

  async destroy() {
    await secondFactors.remove(this.ctx, this.currentUser)
    this.flash.set('notice', this.i18n.get('secondFactor.removed'))
    return this.redirect303(this.url(this.routes.account.showUrl))
  }

  /** Shows the new secret, which the session keeps until a code shows that the app has it. */
  private async showSecret() {
    const { email } = this.currentUser
    const found = await secondFactors.findNew(this.ctx, email, this.i18n.get('site.title'))
    return found === undefined ? this.haltWithBody(400) : this.render('/second_factor/new', found)
  }
}

export const secondFactor = routes(SecondFactorController, (r) => ({
  showUrl: r.get('/account/second-factor', 'show').as('show'),
  createUrl: r.post('/account/second-factor', 'create').as('create'),
  destroyUrl: r.post('/account/second-factor/delete', 'destroy').as('destroy'),
}))
