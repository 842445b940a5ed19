/** Asks for the code of the second factor, between the password and the login. */
import { mix, paramKey, ParamType, required, routes } from 'fwjs'
import { logins } from '#model/login'
import { secondFactors } from '#model/second-factor'
import { ApplicationController } from './application-controller.ts'

export class CodesController extends mix(ApplicationController, secondFactors.limit(['create'])) {
  async newInput() {
    const pending = await secondFactors.findPending(this.ctx)
    return pending === undefined ? this.startAgain() : this.render('/codes/new')
  }

  async create() {
    const pending = await secondFactors.findPending(this.ctx)
    if (pending === undefined) return this.startAgain()
    const { account, remember } = pending
    const form = this.validation(
      this.params,
      { code: ParamType.String },
      paramKey('code').is(required),
    ).withPrefix('secondFactor')
    if (!form.validate()) return this.render('/codes/new')
    if (!(await secondFactors.accept(this.ctx, account, form.permitted.code))) {
      this.status = 401
      this.flash.now.set('alert', this.i18n.get('secondFactor.refused'))
      return this.render('/codes/new')
    }
    await logins.begin(this.ctx, account, remember)
    return this.redirectAfterLogin(this.url(this.routes.account.showUrl))
  }

  private startAgain() {
    return this.redirect303(this.url(this.routes.sessions.newUrl))
  }
}

export const codes = routes(CodesController, (r) => ({
  newUrl: r.get('/login/code', 'newInput').as('new'),
  createUrl: r.post('/login/code', 'create').as('create'),
}))
